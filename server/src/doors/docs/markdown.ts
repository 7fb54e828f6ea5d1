import { Marked, type Token, type Tokens } from 'marked'
import { Html, html } from '../../foundation/http/pages/html.ts'

/** Returns the path of a relative link's target on this site, or null if the target is not served. */
type LinkResolver = (target: string) => string | null

export interface RenderedDocument {
  title: string
  body: Html
  /** The headings of the second level. */
  sections: { id: string; text: string }[]
}

/** A heading and the text below it, without marks. */
export interface TextSection {
  id: string
  heading: string
  text: string
}

/**
 * Renders a document of this project. Headings can be linked to, by the ids that GitHub gives them. A link without a target
 * becomes plain text.
 */
export function renderMarkdown(text: string, resolveLink: LinkResolver): RenderedDocument {
  const ids = new HeadingIds()
  const sections: RenderedDocument['sections'] = []
  let title = ''
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }: Tokens.Heading) {
        const plain = plainText(tokens)
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
        const target = isOnThisPageOrElsewhere(href) ? href : resolveLink(href)
        return target === null ? content.text : html`<a href="${target}">${content}</a>`.text
      },
      // Reached by the keyboard, because they scroll.
      code: ({ text: code }: Tokens.Code) =>
        html`<div class="code"><pre tabindex="0"><code>${code}</code></pre></div>\n`.text,
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

/** The document as Markdown whose links work from anywhere; a link without a target becomes its text. */
export function absoluteMarkdown(
  text: string,
  base: { site: string; page: string },
  resolveLink: LinkResolver,
): string {
  const links = new Map<string, string>()
  const marked = new Marked()
  void marked.walkTokens(marked.lexer(text), (token) => {
    if (token.type !== 'link') return
    const { raw, href, text: label } = token as Tokens.Link
    if (isElsewhere(href)) return
    const target = href.startsWith('#') ? base.page + href : resolveLink(href)
    links.set(raw, target === null ? label : `[${label}](${base.site}${target})`)
  })
  let result = text
  for (const [raw, replacement] of links) result = result.replaceAll(raw, () => replacement)
  return result
}

/** The text of a document by heading, for a search; ids are those of the rendered page. */
export function textSections(text: string): TextSection[] {
  const ids = new HeadingIds()
  const sections: TextSection[] = []
  for (const token of new Marked().lexer(text)) {
    if (token.type === 'heading') {
      const heading = plainText((token as Tokens.Heading).tokens)
      sections.push({ id: ids.next(heading), heading, text: '' })
    } else {
      const section = sections.at(-1)
      if (section) section.text = `${section.text} ${plainText([token])}`.trim()
    }
  }
  return sections.map((section) => ({ ...section, text: section.text.split(/\s+/).join(' ') }))
}

function isElsewhere(href: string): boolean {
  return /^https?:\/\//.test(href)
}

function isOnThisPageOrElsewhere(href: string): boolean {
  return href.startsWith('#') || isElsewhere(href)
}

/** The text of tokens without their marks: inline ones joined, blocks, items and cells apart. */
export function plainText(tokens: readonly Token[]): string {
  return tokens.map(plainTextOf).join('')
}

function plainTextOf(token: Token): string {
  switch (token.type) {
    case 'table': {
      const { header, rows } = token as Tokens.Table
      return [header, ...rows].map((row) => row.map((cell) => plainText(cell.tokens)).join(' ')).join(' ')
    }
    case 'list':
      return (token as Tokens.List).items.map((item) => plainText(item.tokens)).join(' ')
    case 'space':
    case 'br':
    case 'hr':
      return ' '
    // Marks of other languages would look like those of Markdown.
    case 'code':
      return `${(token as Tokens.Code).text.replaceAll('`', '')} `
    default: {
      const { tokens, text = '' } = token as { tokens?: Token[]; text?: string }
      const own = tokens ? plainText(tokens) : text
      return isBlock(token.type) ? `${own} ` : own
    }
  }
}

function isBlock(type: string): boolean {
  return ['paragraph', 'blockquote', 'list_item'].includes(type)
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
