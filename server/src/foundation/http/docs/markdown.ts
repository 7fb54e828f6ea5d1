import { Marked, type Tokens } from 'marked'
import { Html, html } from '../pages/html.ts'

export interface RenderedDocument {
  title: string
  body: Html
  /** The headings of the second level. */
  sections: { id: string; text: string }[]
}

/**
 * Renders a document of this project. Headings can be linked to, by the ids that GitHub gives them. `resolveLink` returns
 * where a relative link leads on this site; a link without a target becomes plain text.
 */
export function renderMarkdown(text: string, resolveLink: (target: string) => string | null): RenderedDocument {
  const ids = new HeadingIds()
  const sections: RenderedDocument['sections'] = []
  let title = ''
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text: source }: Tokens.Heading) {
        const plain = plainTextOf(source)
        const id = ids.next(plain)
        if (depth === 1) title ||= plain
        if (depth === 2) sections.push({ id, text: plain })
        const content = new Html(this.parser.parseInline(tokens))
        const level = new Html(`h${depth}`)
        if (depth === 1) return html`<${level} id="${id}">${content}</${level}>\n`.text
        return html`<${level} id="${id}"><a class="anchor" href="#${id}">${content}</a></${level}>\n`.text
      },
      link({ href, tokens }: Tokens.Link) {
        const content = new Html(this.parser.parseInline(tokens))
        const target = isElsewhere(href) || href.startsWith('#') ? href : resolveLink(href)
        return target === null ? content.text : html`<a href="${target}">${content}</a>`.text
      },
      // Reached by the keyboard, because they scroll.
      code: ({ text: code }: Tokens.Code) => html`<pre tabindex="0"><code>${code}</code></pre>\n`.text,
      table(token: Tokens.Table) {
        const cells = (row: Tokens.TableCell[], name: 'td' | 'th') =>
          new Html(row.map(({ tokens }) => `<${name}>${this.parser.parseInline(tokens)}</${name}>`).join(''))
        const rows = token.rows.map((row) => html`<tr>${cells(row, 'td')}</tr>\n`)
        return html`<div class="table" tabindex="0"><table>
<thead><tr>${cells(token.header, 'th')}</tr></thead>
<tbody>
${rows}</tbody>
</table></div>
`.text
      },
      // The documents need none, so whatever looks like HTML is text.
      html: ({ text: markup }: Tokens.HTML | Tokens.Tag) => html`${markup}`.text,
    },
  })
  return { body: new Html(marked.parse(text, { async: false })), title, sections }
}

function isElsewhere(href: string): boolean {
  return /^https?:\/\//.test(href)
}

/** The text of a heading without its marks. */
function plainTextOf(source: string): string {
  return source.replace(/[`*]/g, '').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
}

/** The ids of headings as GitHub makes them, so that links within a document work there and here. */
class HeadingIds {
  readonly #used = new Map<string, number>()

  next(text: string): string {
    const slug = text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-')
    const count = this.#used.get(slug) ?? 0
    this.#used.set(slug, count + 1)
    return count === 0 ? slug : `${slug}-${count}`
  }
}
