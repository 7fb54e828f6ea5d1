import {
  buildSegment,
  type ContactSortKey,
  IdList,
  type IdSet,
  type LiveSegment,
  mergeSegments,
  type StoreSortKey,
} from '@storedex/search-index'
import fc from 'fast-check'
import { expect } from 'vitest'
import { type PlainStore, stageStores } from '../../../../packages/search-index/test/support/plain-segments.ts'
import type { DeliverEmails } from '../../../src/foundation/encryption/contact-facts.ts'
import { contactKey, type Mode, splitContactKey } from '../../../src/foundation/kernel/ids.ts'
import { countInProcess, countJobOf } from '../../../src/search/counting/counter.ts'
import type { Exclusion, SearchEngine } from '../../../src/search/engines/engine.ts'
import { findContactsIn, findStoresIn } from '../../../src/search/engines/memory.ts'
import type { ContactPersonFilters, StoreConditions, StoreSearchFilters } from '../../../src/search/query/filters.ts'
import { normalizePersonFilters } from '../../../src/search/query/person-query.ts'
import { normalizeStoreConditions, normalizeStoreFilters } from '../../../src/search/query/store-query.ts'
import {
  modes,
  pageLimits,
  personFilters,
  type StoreFacts,
  storeConditions,
  storeFilters,
  vocabulary,
} from './random-catalogue.ts'
import { expectedContacts, expectedStores, type ResultId, type StoreOnFile } from './reference.ts'
import { contactRowsOf, roleTokenOf, rowOf } from './tables.ts'

/** Random searches, compared page by page with the reference. */

/** Engines over the same catalogue, and its stores. */
export interface Catalogue {
  stores: readonly StoreOnFile[]
  engines: readonly SearchEngine[]
  /** Lists of which searches exclude the first ids; without them nothing is excluded. */
  excluded?: ExcludedLists
}

interface ExcludedLists {
  /** Some name stores that there are not. */
  stores: readonly IdList[]
  contacts: IdList
  /** The stores of the contacts, in the same order. */
  storesOfContacts: IdList
}

/** What a search excludes, as shares of the lists. */
interface ExcludedShares {
  stores: number[]
  contacts: number
}

/** Searches of one catalogue exclude more and less of the same lists, so that what is kept of one serves others. */
const excludedShares: fc.Arbitrary<ExcludedShares | null> = fc.option(
  fc.record({
    stores: fc.array(fc.double({ min: 0, max: 0.7, noNaN: true }), { maxLength: 2 }),
    contacts: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1, noNaN: true })),
  }),
  { freq: 2 },
)

/** Draws what searches exclude. */
export function drawExcluded(seed: number, stores: readonly StoreOnFile[]): ExcludedLists {
  const shuffled = <T>(items: readonly T[]): T[] => {
    const all = fc.shuffledSubarray([...items], { minLength: items.length })
    return fc.sample(all, { seed, numRuns: 1 })[0]!
  }
  const ids = [...stores.map(({ id }) => id), stores.length + 7, 4_000_000_000]
  const keys = shuffled(stores.flatMap(({ id, numbers }) => numbers.map((number) => contactKey(id, number))))
  const storesOfContacts = new IdList(keys.map((key) => splitContactKey(key).storeId))
  return { stores: [new IdList(shuffled(ids)), new IdList(ids)], contacts: new IdList(keys), storesOfContacts }
}

interface Excluded {
  exclude: Exclusion | null
  storeIds: Set<number>
  contactKeys: Set<number>
  storesOfContacts: Set<number>
}

function excludedBy(lists: ExcludedLists | undefined, shares: ExcludedShares | null): Excluded {
  const firstOf = (ids: IdList, share: number): IdSet => ({ ids, count: Math.floor(ids.length * share) })
  const idsIn = (sets: IdSet[]) => new Set(sets.flatMap(({ ids, count }) => [...ids.slice(0, count)]))
  const stores = lists ? (shares?.stores ?? []).map((share, index) => firstOf(lists.stores[index]!, share)) : []
  const contacts = lists && shares ? [firstOf(lists.contacts, shares.contacts)] : []
  const ofContacts = lists && shares ? [firstOf(lists.storesOfContacts, shares.contacts)] : []
  return {
    exclude: shares && { storeIds: stores, contactKeys: contacts, storesOfContacts: ofContacts },
    storeIds: idsIn(stores),
    contactKeys: idsIn(contacts),
    storesOfContacts: idsIn(ofContacts),
  }
}

/** Which engines and limits the pages of a search use, in turn. */
export interface PagingPlan {
  turns: number[]
  limits: number[]
}

export const pagingPlans: fc.Arbitrary<PagingPlan> = fc.record({
  turns: fc.array(fc.nat(11), { minLength: 1, maxLength: 4 }),
  limits: pageLimits,
})

interface RandomStoreSearch {
  mode: Mode
  filters: StoreSearchFilters
  deliverEmails: DeliverEmails
  shares: ExcludedShares | null
}

interface RandomContactSearch {
  mode: Mode
  conditions: StoreConditions
  filters: ContactPersonFilters
  storeIds: number[] | null
  maxPerStore: number
  shares: ExcludedShares | null
}

export const storeSearches: fc.Arbitrary<RandomStoreSearch> = fc.record({
  mode: modes,
  filters: storeFilters,
  deliverEmails: fc.constantFrom<DeliverEmails>('all', 'verified'),
  shares: excludedShares,
})

/** Contact searches; some name stores by id, up to `greatestId` and some beyond. */
export const contactSearches = (greatestId: number): fc.Arbitrary<RandomContactSearch> =>
  fc.record({
    mode: modes,
    conditions: storeConditions,
    filters: personFilters,
    storeIds: fc.option(fc.uniqueArray(fc.integer({ min: 1, max: greatestId + 5 }), { maxLength: 50 }), { freq: 1 }),
    maxPerStore: fc.integer({ min: 1, max: 10 }),
    shares: excludedShares,
  })

/** Compares each engine, and the engines in turn, with the reference; returns the number of matches. */
export async function expectStores(
  catalogue: Catalogue,
  search: RandomStoreSearch,
  course: PagingPlan,
): Promise<number> {
  const { mode, filters, deliverEmails } = search
  const { exclude, ...excluded } = excludedBy(catalogue.excluded, search.shares)
  const expected = expectedStores(catalogue.stores, search)
    .filter(({ id }) => !excluded.storeIds.has(id) && !excluded.storesOfContacts.has(id))
    .map(({ id }): ResultId => [id])
  const query = normalizeStoreFilters(vocabulary, filters, deliverEmails)
  await expectWalks<StoreSortKey>(catalogue, expected, course, {
    find: (engine, after, limit) => engine.findStores({ mode, query, exclude, after, limit }),
    placeOf: ({ storeId }) => [storeId],
  })
  return expected.length
}

/** The same for contacts. */
export async function expectContacts(
  catalogue: Catalogue,
  search: RandomContactSearch,
  course: PagingPlan,
): Promise<number> {
  const { mode, conditions, filters, storeIds, maxPerStore } = search
  const { exclude, ...excluded } = excludedBy(catalogue.excluded, search.shares)
  const expected = expectedStores(catalogue.stores, { mode, filters: conditions, deliverEmails: 'all' })
    .filter(({ id }) => (storeIds?.includes(id) ?? true) && !excluded.storeIds.has(id))
    .flatMap((store) => expectedContacts(store, filters, maxPerStore, excluded.contactKeys))
  const store = normalizeStoreConditions(vocabulary, conditions, 'store')
  const person = normalizePersonFilters(vocabulary, filters)
  await expectWalks<ContactSortKey>(catalogue, expected, course, {
    find: (engine, after, limit) =>
      engine.findContacts({ mode, store, storeIds, person, maxPerStore, exclude, after, limit }),
    placeOf: ({ storeId, contact }) => [storeId, contact & 4095],
  })
  return expected.length
}

interface Pages<Position> {
  find(engine: SearchEngine, after: Position | null, limit: number): Promise<Position[]>
  placeOf(position: Position): ResultId
}

async function expectWalks<P>({ engines }: Catalogue, expected: ResultId[], course: PagingPlan, pages: Pages<P>) {
  const { turns, limits } = course
  for (const engine of engines) expect(await walk([engine], limits, pages)).toEqual(expected)
  const inTurn = turns.map((turn) => engines[turn % engines.length]!)
  expect(await walk(inTurn, limits, pages)).toEqual(expected)
}

/** All results of a search, each page from the next engine with the next limit. */
async function walk<P>(engines: SearchEngine[], limits: number[], { find, placeOf }: Pages<P>): Promise<ResultId[]> {
  const places: ResultId[] = []
  for (let page = 0, after: P | null = null; ; page++) {
    const limit = limits[page % limits.length]!
    const found: P[] = await find(engines[page % engines.length]!, after, limit)
    expect(found.length).toBeLessThanOrEqual(limit)
    places.push(...found.map(placeOf))
    if (found.length < limit) return places
    after = found.at(-1)!
  }
}

/** Segments of each mode. */
export interface View {
  live: readonly LiveSegment[]
  test: readonly LiveSegment[]
}

/** The memory engine over fixed segments. */
export function memoryEngine(view: View): SearchEngine {
  return {
    findStores: async (search) => findStoresIn(view[search.mode], search),
    findContacts: async (search) => findContactsIn(view[search.mode], search),
    count: (search) => countInProcess(() => {}).count(countJobOf({ batch: 0, lists: view }, search)),
  }
}

export function merged({ live, test }: View): View {
  const mergeAll = (segments: readonly LiveSegment[]): LiveSegment[] => [
    { segment: mergeSegments(segments), dead: null },
  ]
  return { live: mergeAll(live), test: mergeAll(test) }
}

/** The segment in which a store is alive, and the segments with dead copies; a dead copy has the attributes of another store. */
interface Home {
  segment: number
  graves: { segment: number; wasLike: number }[]
}

/** Splits stores, with ids from 1, at random over segments with dead copies, by the seed. */
export function splitAtRandom(seed: number, stores: readonly StoreFacts[], segments: number): View {
  const segment = fc.nat(segments - 1)
  const grave = fc.record({ segment, wasLike: fc.nat(stores.length - 1) })
  const home = fc.record({ segment, graves: fc.array(grave, { maxLength: 2 }) })
  const homes = fc.sample(fc.array(home, { minLength: stores.length, maxLength: stores.length, size: 'max' }), {
    seed,
    numRuns: 1,
  })[0]!
  const segmentsOf = (mode: 'live' | 'test') =>
    Array.from({ length: segments }, (_, index) => segmentOf(stores, homes, mode, index))
  return { live: segmentsOf('live'), test: segmentsOf('test') }
}

function segmentOf(stores: readonly StoreFacts[], homes: Home[], mode: 'live' | 'test', index: number): LiveSegment {
  const contents: PlainStore[] = []
  const deadIds = new Set<number>()
  for (const [place, store] of stores.entries()) {
    const { segment, graves } = homes[place]!
    if (store.mode !== mode) continue
    if (segment === index) contents.push(plainStore(store, place + 1))
    else {
      const grave = graves.find((one) => one.segment === index)
      if (!grave) continue
      contents.push(plainStore(stores[grave.wasLike]!, place + 1))
      deadIds.add(place + 1)
    }
  }
  const segment = buildSegment(stageStores(contents))
  const dead = new Int32Array((segment.size + 31) >>> 5)
  for (const [document, id] of segment.ids.entries()) if (deadIds.has(id)) dead[document >> 5]! |= 1 << (document & 31)
  return { segment, dead: deadIds.size > 0 ? dead : null }
}

/** A store as read from the tables. */
function plainStore(store: StoreFacts, id: number): PlainStore {
  const { negatedScore, tokens, activeAds, createdEstimate, firstDiscoveredAt } = rowOf(store, id)
  return {
    id,
    negatedScore,
    activeAds: activeAds ?? 0,
    created: createdEstimate?.getTime() ?? null,
    discovered: firstDiscoveredAt?.getTime() ?? null,
    tokens: [...new Set(tokens)].sort((a, b) => a - b),
    contacts: contactRowsOf(store, id).map(({ role, traits, number, revealable }) => ({
      role: roleTokenOf(role),
      traits,
      number,
      isRevealable: revealable,
    })),
  }
}
