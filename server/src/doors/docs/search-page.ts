import { type Html, html } from '../../foundation/http/pages/html.ts'
import type { DocumentLibrary } from './documents.ts'
import { sitePage } from './layout.ts'
import { operationEntries, type SearchedDocument } from './operations.ts'
import { pathOf } from './pages.ts'
import {
  excerptOf,
  markWords,
  maxQueryLength,
  queryWords,
  type SearchEntry,
  searchEntries,
  type TextPart,
} from './search.ts'

/** All that is searched: the operations of the reference, and the documents by heading. */
export async function collectEntries(documents: DocumentLibrary, reference: SearchedDocument): Promise<SearchEntry[]> {
  const ofPages = documents.pages.map(async (page) => {
    const { title, sections } = await documents.open(page)
    return sections.map((section) => ({ ...section, where: title, path: pathOf(page) }))
  })
  return [...operationEntries(reference), ...(await Promise.all(ofPages)).flat()]
}

/** The page with the results of a query, or with an empty form. */
export function renderSearchPage(
  { pages, publicUrl }: DocumentLibrary,
  entries: readonly SearchEntry[],
  query: string,
): string {
  const words = queryWords(query)
  const found = searchEntries(entries, words)
  const results = found.slice(0, maxResults)
  return sitePage(pages, publicUrl, {
    path: '/docs/search',
    title: words.length > 0 ? `${query}: search` : 'Search',
    description: 'Search the API reference and its documents.',
    isIndexed: false,
    sections: null,
    content: html`<h1>Search the documentation</h1>
      <form class="search" role="search" action="/docs/search">
        <input type="search" name="q" value="${query}" maxlength="${String(maxQueryLength)}" aria-label="Words to find"
          required />
        <button>Search</button>
      </form>
      ${words.length > 0 && html`<p role="status">${countOf(found.length)}</p>`}
      <ol class="results">${results.map((entry) => resultOf(entry, words))}</ol>`,
  })
}

const maxResults = 30

function countOf(results: number): string {
  if (results === 0) return 'Nothing contains all of these words. Try fewer or shorter ones.'
  if (results > maxResults) return `The first ${maxResults} of ${results} results`
  return results === 1 ? '1 result' : `${results} results`
}

function resultOf({ path, id, heading, where, text }: SearchEntry, words: readonly string[]): Html {
  return html`<li><h2><a href="${path}#${id}">${marked(markWords(heading, words))}</a></h2>
        <p class="where">${where}</p>
        <p>${marked(excerptOf(text, words))}</p></li>
      `
}

function marked(parts: readonly TextPart[]): Html[] {
  return parts.map(({ text, isMatch }) => (isMatch ? html`<mark>${text}</mark>` : html`${text}`))
}
