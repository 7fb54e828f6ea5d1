import type { ContactSortKey, StoreSortKey } from '@storedex/search-index'
import { expect } from 'vitest'
import type { Mode } from '../../../../src/foundation/kernel/ids.ts'
import type { ContactSearch, SearchEngine, StoreSearch } from '../../../../src/search/engines/engine.ts'
import { normalizePersonFilters } from '../../../../src/search/query/person-query.ts'
import { normalizeStoreConditions, normalizeStoreFilters } from '../../../../src/search/query/store-query.ts'
import type { Vocabulary } from '../../../../src/search/query/vocabulary.ts'
import { sendRequestOrThrow } from '../support/requests.ts'
import { drawConditions, drawPersonFilters, drawStoreFilters, oneOf, type Random } from './records.ts'

/** A search with its page size. Plain data, so that it can be sent to another process. */
export type DirectQuery =
  | { kind: 'stores'; search: Omit<StoreSearch, 'after'> }
  | { kind: 'contacts'; search: Omit<ContactSearch, 'after'> }

const pageSizes = [3, 10, 26, 101]
const modes: Mode[] = ['live', 'live', 'live', 'test']

/** All contacts of each mode, and this many random searches of each kind. */
export function drawDirectQueries(vocabulary: Vocabulary, random: Random, count: number): DirectQuery[] {
  const stores = (mode: Mode, filters = {}): DirectQuery => ({
    kind: 'stores',
    search: { mode, query: normalizeStoreFilters(vocabulary, filters, 'all'), limit: oneOf(random, pageSizes) },
  })
  const contacts = (mode: Mode, maxPerStore: number, conditions = {}, person = {}): DirectQuery => ({
    kind: 'contacts',
    search: {
      mode,
      store: normalizeStoreConditions(vocabulary, conditions, 'store'),
      storeIds: null,
      person: normalizePersonFilters(vocabulary, person),
      maxPerStore,
      limit: oneOf(random, pageSizes),
    },
  })
  const several = <T>(draw: () => T) => Array.from({ length: count }, draw)
  return [
    ...(['live', 'test'] as const).flatMap((mode) => [stores(mode), contacts(mode, 4_096)]),
    ...several(() => stores(oneOf(random, modes), drawStoreFilters(random))),
    ...several(() =>
      contacts(oneOf(random, modes), oneOf(random, [1, 2, 10]), drawConditions(random), drawPersonFilters(random)),
    ),
  ]
}

/** The results of an engine, page by page; the page size must not matter. */
export async function answersOf(
  engine: SearchEngine,
  questions: readonly DirectQuery[],
  pageSize?: number,
): Promise<StoreSortKey[][]> {
  const answers: StoreSortKey[][] = []
  for (const { kind, search } of questions) {
    const limit = pageSize ?? search.limit
    answers.push(
      kind === 'stores'
        ? await allPages(limit, (after: StoreSortKey | null) => engine.findStores({ ...search, limit, after }))
        : await allPages(limit, (after: ContactSortKey | null) => engine.findContacts({ ...search, limit, after })),
    )
  }
  return answers
}

async function allPages<P extends object>(limit: number, find: (after: P | null) => Promise<P[]>): Promise<P[]> {
  const found: P[] = []
  for (;;) {
    const page = await find(found.at(-1) ?? null)
    found.push(...page)
    if (page.length < limit) return found
  }
}

/** The same for API requests. */
export interface ApiQuery {
  path: string
  body: object
}

export function drawApiQueries(random: Random, count: number): ApiQuery[] {
  const limit = () => oneOf(random, [10, 26, 100])
  return Array.from({ length: count }, () => [
    { path: '/stores/search', body: { filters: drawStoreFilters(random), limit: limit() } },
    {
      path: '/contacts/search',
      body: { person: drawPersonFilters(random), store: drawConditions(random), limit: limit() },
    },
  ]).flat()
}

/** Everything a service delivers on the pages of each query. */
export async function deliveriesOf(api: string, key: string, questions: readonly ApiQuery[]): Promise<object[][]> {
  const deliveries: object[][] = []
  for (const { path, body } of questions) {
    const delivered: object[] = []
    let cursor: unknown = null
    do {
      const page = (await sendRequestOrThrow(api, key, path, { ...body, cursor })).body
      delivered.push(...(page.data as object[]))
      cursor = page.next_cursor
    } while (cursor !== null)
    deliveries.push(delivered)
  }
  return deliveries
}

/** Expects equal, non-empty results. */
export function expectSameAnswers(found: object[][], expected: object[][]): void {
  expect(expected.some((answers) => answers.length > 0)).toBe(true)
  expect(found).toEqual(expected)
}
