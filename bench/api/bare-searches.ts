import type { Pool } from '../../server/src/db/pool.ts'
import { normalizePersonFilters } from '../../server/src/search/person.ts'
import { type ContactSearch, findContacts } from '../../server/src/search/postgres/find-contacts.ts'
import { findStores, type StoreSearch } from '../../server/src/search/postgres/find-stores.ts'
import { normalizeStoreConditions, normalizeStoreFilters } from '../../server/src/search/query.ts'
import type { Vocabulary } from '../../server/src/search/vocabulary.ts'
import type { ContactSearchFilters } from './contact-filters.ts'
import type { StoreFilters } from './store-filters.ts'
import { type SearchItem, searchLimit } from './workload.ts'

/** A row more than the page says whether there is a next one. */
const limit = searchLimit + 1

/** The search for the page that an item asks for, at the place that a cursor would hold. */
export async function prepareStoreSearch(
  pool: Pool,
  vocabulary: Vocabulary,
  { filters: { filters }, pagesBefore }: SearchItem<StoreFilters>,
): Promise<StoreSearch> {
  const query = normalizeStoreFilters(vocabulary, filters, 'all')
  const first: StoreSearch = { mode: 'live', query, after: null, limit, deliverEmails: 'all' }
  return walkTo(first, pagesBefore, async (search) => {
    const found = await findStores(pool, search)
    return found.map(({ negatedScore, id }) => ({ negatedScore, storeId: id }))
  })
}

export async function prepareContactSearch(
  pool: Pool,
  vocabulary: Vocabulary,
  { filters, pagesBefore }: SearchItem<ContactSearchFilters>,
): Promise<ContactSearch> {
  const first: ContactSearch = {
    mode: 'live',
    store: normalizeStoreConditions(vocabulary, filters.store ?? {}, 'store'),
    storeIds: null,
    person: normalizePersonFilters(vocabulary, filters.person),
    maxPerStore: filters.max_contacts_per_store ?? 1,
    after: null,
    limit,
  }
  return walkTo(first, pagesBefore, async (search) => {
    const found = await findContacts(pool, search)
    return found.map(({ negatedScore, storeId, place }) => ({ negatedScore, storeId, contact: place }))
  })
}

/** The first page where the search has too few. */
async function walkTo<Search extends { after: unknown }>(
  first: Search,
  pagesBefore: number,
  find: (search: Search) => Promise<Search['after'][]>,
): Promise<Search> {
  let search = first
  for (let page = 0; page < pagesBefore; page++) {
    const positions = await find(search)
    if (positions.length < limit) return first
    search = { ...search, after: positions[searchLimit - 1]! }
  }
  return search
}
