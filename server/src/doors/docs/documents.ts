import { readFile } from 'node:fs/promises'
import { html } from '../../foundation/http/pages/html.ts'
import { sitePage } from './layout.ts'
import type { RenderedDocument, TextSection } from './markdown.ts'
import { type DocumentPage, findPages, pathOf, resolveLink } from './pages.ts'

// The examples of the documents are written for it.
const exampleAddress = 'http://127.0.0.1:8080'

/** A document in the forms in which it is served and searched. */
interface ServedDocument {
  page: string
  markdown: string
  title: string
  sections: TextSection[]
}

/** The documents of a project, rendered when first asked for. */
export class DocumentLibrary {
  readonly pages: readonly DocumentPage[]
  readonly publicUrl: string
  readonly #projectDir: string
  readonly #rendered = new Map<DocumentPage, Promise<ServedDocument>>()

  /** `publicUrl`, the address of this service, replaces the one in the examples. */
  constructor({ projectDir, publicUrl }: { projectDir: string; publicUrl: string }) {
    this.pages = findPages(projectDir)
    this.publicUrl = publicUrl
    this.#projectDir = projectDir
  }

  open(page: DocumentPage): Promise<ServedDocument> {
    const known = this.#rendered.get(page)
    if (known) return known
    const rendered = this.#render(page)
    this.#rendered.set(page, rendered)
    // A later request reads it again.
    rendered.catch(() => this.#rendered.delete(page))
    return rendered
  }

  async #render(page: DocumentPage): Promise<ServedDocument> {
    // Loaded on demand: most processes never serve a document.
    const { absoluteMarkdown, renderMarkdown, textSections } = await import('./markdown.ts')
    const source = await readFile(`${this.#projectDir}/${page.file}`, 'utf8')
    const text = (page.select?.(source) ?? source).replaceAll(exampleAddress, this.publicUrl)
    const resolve = (target: string) => resolveLink(this.pages, page, target)
    const rendered = renderMarkdown(text, resolve)
    return {
      page: this.#pageOf(page, rendered),
      markdown: absoluteMarkdown(text, { site: this.publicUrl, page: pathOf(page) }, resolve),
      title: rendered.title,
      sections: textSections(text),
    }
  }

  #pageOf(page: DocumentPage, { title, body, sections }: RenderedDocument): string {
    return sitePage(this.pages, this.publicUrl, {
      path: pathOf(page),
      title,
      description: page.description,
      isIndexed: true,
      sections: html`<nav class="sections" aria-label="On this page">
        <ul>${sections.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`)}</ul>
      </nav>`,
      content: body,
    })
  }
}

/** The list of pages that assistants look for, see llmstxt.org. */
export function renderLlmsText({ pages, publicUrl }: DocumentLibrary): string {
  const link = ({ label, description, ...page }: DocumentPage) =>
    `- [${label}](${publicUrl}${pathOf({ label, description, ...page })}.md): ${description}\n`
  const ofReader = (reader: DocumentPage['reader']) =>
    pages
      .filter((page) => page.reader === reader)
      .map(link)
      .join('')
  return `# Storedex API

> Store and contact intelligence for e-commerce: search stores and people, enrich domains, reveal contacts, export files.

Every request needs an API key as a bearer token. The base address is ${publicUrl}/api/v1.

## Reference

- [OpenAPI document](${publicUrl}/api/v1/openapi.json): All operations with their parameters, replies, errors and scopes, as OpenAPI 3.1.
- [Search](${publicUrl}/docs/search?q=reveal): Finds pages and operations by words, with the parameter q.

## Documents

${ofReader('customer')}
## Optional

${ofReader('operator')}`
}
