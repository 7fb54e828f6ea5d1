import type { ContactSortKey, StoreSortKey } from '@storedex/search-index'
import type { ContactSearch, SearchEngine, StoreSearch } from '../../../server/src/search/engines/engine.ts'
import { normalizePersonFilters } from '../../../server/src/search/query/person-query.ts'
import { normalizeStoreConditions, normalizeStoreFilters } from '../../../server/src/search/query/store-query.ts'
import type { Vocabulary } from '../../../server/src/search/query/vocabulary.ts'
import type { EngineName } from '../../../server/test/support/programs/program.ts'
import type { ContactSearchFilters, StoreFilters } from '../load/filters.ts'
import { type SearchItem, searchLimit } from '../load/workload.ts'

/** Finds the rows of a page: with a query each time, or known in advance, because the engine in memory sends no statement. */
export type BareStoreSearch = () => Promise<StoreSortKey[]>
export type BareContactSearch = () => Promise<ContactSortKey[]>

/** One more row than the page shows whether there is a next page. */
const limit = searchLimit + 1

/** The search for an item's page, starting at the position that a cursor would hold. */
export async function prepareStoreSearch(
  postgres: SearchEngine,
  engine: EngineName,
  vocabulary: Vocabulary,
  { filters: { filters }, pagesBefore }: SearchItem<StoreFilters>,
): Promise<BareStoreSearch> {
  const query = normalizeStoreFilters(vocabulary, filters, 'all')
  const first: StoreSearch = { mode: 'live', query, after: null, limit }
  return prepare(engine, first, pagesBefore, (search) => postgres.findStores(search))
}

export async function prepareContactSearch(
  postgres: SearchEngine,
  engine: EngineName,
  vocabulary: Vocabulary,
  { filters, pagesBefore }: SearchItem<ContactSearchFilters>,
): Promise<BareContactSearch> {
  const first: ContactSearch = {
    mode: 'live',
    store: normalizeStoreConditions(vocabulary, filters.store ?? {}, 'store'),
    storeIds: null,
    person: normalizePersonFilters(vocabulary, filters.person),
    maxPerStore: filters.max_contacts_per_store ?? 1,
    after: null,
    limit,
  }
  return prepare(engine, first, pagesBefore, (search) => postgres.findContacts(search))
}

async function prepare<Position, Search extends { after: Position | null }>(
  engine: EngineName,
  first: Search,
  pagesBefore: number,
  find: (search: Search) => Promise<Position[]>,
): Promise<() => Promise<Position[]>> {
  const search = await searchForPage(first, pagesBefore, find)
  const findPage = async () => (await find(search)).slice(0, searchLimit)
  if (engine === 'postgres') return findPage
  const page = await findPage()
  return async () => page
}

/** Falls back to the first page where the search has too few. */
async function searchForPage<Position, Search extends { after: Position | null }>(
  first: Search,
  pagesBefore: number,
  find: (search: Search) => Promise<Position[]>,
): Promise<Search> {
  let search = first
  for (let page = 0; page < pagesBefore; page++) {
    const positions = await find(search)
    if (positions.length < limit) return first
    search = { ...search, after: positions[searchLimit - 1]! }
  }
  return search
}
