import { invalidArgument } from './errors.ts'

/** A page as the API sends it. */
export interface PageReply<Row> {
  data: Row[]
  has_more: boolean
  next_cursor: string | null
}

export interface RowBound {
  /** The most rows to fetch. No page asks for more than what is missing. */
  maxRows?: number | undefined
}

export interface PageRequest {
  cursor: string | undefined
  /** Undefined for the API's default of 25. */
  limit: number | undefined
}

/** The most rows that a page can have. */
const longestPage = 100

/**
 * The results of a search or a list. `for await` reads them row by row, and fetches a page when it is needed: rows cost money, so
 * nothing is fetched ahead, and nothing more after a `break`. Each iteration begins at the first page.
 */
export class Pages<Row, Page extends PageReply<Row>> implements AsyncIterable<Row> {
  readonly #fetchPage: (request: PageRequest) => Promise<Page>
  readonly #first: PageRequest
  readonly #maxRows: number | undefined

  constructor(fetchPage: (request: PageRequest) => Promise<Page>, first: PageRequest, bound: RowBound = {}) {
    this.#fetchPage = fetchPage
    this.#first = first
    this.#maxRows = checkBound(bound.maxRows)
  }

  /** The rows of all pages. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Row, void, undefined> {
    for await (const page of this.#read(this.#maxRows)) yield* page.data
  }

  /** The pages, as the API sends them. */
  pages(): AsyncGenerator<Page, void, undefined> {
    return this.#read(this.#maxRows)
  }

  /** The rows as an array. It needs a bound, here or where the search was made; `Infinity` reads all that the API gives. */
  async toArray(bound: RowBound = {}): Promise<Row[]> {
    const own = checkBound(bound.maxRows)
    if (own === undefined && this.#maxRows === undefined)
      throw invalidArgument('toArray needs maxRows, because rows are charged.', 'maxRows')
    const rows: Row[] = []
    for await (const page of this.#read(Math.min(own ?? Infinity, this.#maxRows ?? Infinity))) rows.push(...page.data)
    return rows
  }

  async *#read(maxRows: number | undefined): AsyncGenerator<Page, void, undefined> {
    let left = maxRows ?? Infinity
    let { cursor } = this.#first
    const longest = this.#first.limit ?? (maxRows === undefined ? undefined : longestPage)
    while (left > 0) {
      const page = await this.#fetchPage({ cursor, limit: longest === undefined ? undefined : Math.min(longest, left) })
      left -= page.data.length
      cursor = page.next_cursor ?? undefined
      yield page
      if (!page.has_more || cursor === undefined) return
    }
  }
}

function checkBound(maxRows: number | undefined): number | undefined {
  if (maxRows !== undefined && maxRows !== Infinity && !(Number.isInteger(maxRows) && maxRows >= 0))
    throw invalidArgument('maxRows must be a whole number, 0 or greater, or Infinity.', 'maxRows')
  return maxRows
}
