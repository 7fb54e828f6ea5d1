import { contactsPerStore, IdList } from '@storedex/search-index'
import fc from 'fast-check'
import { expect } from 'vitest'
import { system } from '../../../src/customers/auth/actor.ts'
import type { DeliverEmails } from '../../../src/foundation/encryption/contact-facts.ts'
import type { Mode } from '../../../src/foundation/kernel/ids.ts'
import type { CountContext } from '../../../src/product/counts/context.ts'
import { countContacts } from '../../../src/product/counts/count-contacts.ts'
import { countStores } from '../../../src/product/counts/count-stores.ts'
import {
  type ContactFacetName,
  contactFacetNames,
  type StoreFacetName,
  storeFacetNames,
} from '../../../src/product/counts/schema.ts'
import type { SearchEngine } from '../../../src/search/engines/engine.ts'
import type { ContactPersonFilters, StoreConditions, StoreSearchFilters } from '../../../src/search/query/filters.ts'
import type { Catalogue } from './engine-comparison.ts'
import { modes, personFilters, storeConditions, storeFilters, vocabulary, words } from './random-catalogue.ts'
import { canBeRevealed, expectedContacts, expectedStores, type ResultId, type StoreOnFile } from './reference.ts'

/** Random counts by the code of the API, compared with the reference. */

interface RandomCount {
  mode: Mode
  deliverEmails: DeliverEmails
  limit: number
  /** One of so many stores is exported, and one of so many contacts revealed. */
  taken: number
  /** Whether these are left out. */
  excludesTaken: boolean
}

interface RandomStoreCount extends RandomCount {
  filters: StoreSearchFilters
  facets: StoreFacetName[]
}

interface RandomContactCount extends RandomCount {
  store: StoreConditions
  person: ContactPersonFilters
  maxPerStore: number | null
  facets: ContactFacetName[]
}

const anyCount = {
  mode: modes,
  deliverEmails: fc.constantFrom<DeliverEmails>('all', 'verified'),
  limit: fc.constantFrom(1, 2, 20),
  taken: fc.integer({ min: 2, max: 5 }),
  excludesTaken: fc.boolean(),
}

export const storeCounts: fc.Arbitrary<RandomStoreCount> = fc.record({
  ...anyCount,
  filters: storeFilters,
  facets: fc.subarray([...storeFacetNames]),
})

export const contactCounts = (_greatestId: number): fc.Arbitrary<RandomContactCount> =>
  fc.record({
    ...anyCount,
    store: storeConditions,
    person: personFilters,
    maxPerStore: fc.option(fc.integer({ min: 1, max: 3 })),
    facets: fc.subarray([...contactFacetNames]),
  })

/** Compares every engine with the reference, PostgreSQL without facets; returns how many stores match. */
export async function expectStoreCounts({ stores, engines }: Catalogue, count: RandomStoreCount): Promise<number> {
  const { mode, deliverEmails, filters, facets, limit, taken, excludesTaken } = count
  const matching = (chosen: StoreSearchFilters) =>
    expectedStores(stores, { mode, filters: chosen, deliverEmails }).filter(
      ({ id }) => !excludesTaken || id % taken !== 0,
    )
  const found = matching(filters)
  const exported = stores.filter(({ id }) => id % taken === 0).map(({ id }) => id)
  const expected = {
    object: 'store_count',
    total: found.length,
    new_exports: found.filter(({ id }) => id % taken !== 0).length,
    facets: facetsOf(facets, limit, (name, value) => matching(chooseOfStores(filters, name, value)).length),
  }
  for (const [index, engine] of engines.entries()) {
    const asked = index === 0 ? [] : facets
    const request = {
      filters,
      facets: asked,
      facet_limit: limit,
      ...(excludesTaken && { exclude: { exported: true as const } }),
    }
    const reply = await countStores(contextOf(engine, count, exported), request)
    expect(reply).toMatchObject(index === 0 ? { ...expected, facets: {} } : expected)
  }
  return found.length
}

/** The same for people. */
export async function expectContactCounts({ stores, engines }: Catalogue, count: RandomContactCount): Promise<number> {
  const { mode, deliverEmails, store, person, maxPerStore, facets, limit, taken, excludesTaken } = count
  const isRevealed = ([storeId, number]: ResultId) => (storeId + number!) % taken === 0
  const peopleOf = (conditions: StoreConditions, chosen: ContactPersonFilters) =>
    expectedStores(stores, { mode, filters: conditions, deliverEmails }).map((one) => ({
      store: one,
      people: expectedContacts(one, chosen, Number.POSITIVE_INFINITY)
        .filter((id) => !excludesTaken || !isRevealed(id))
        .slice(0, maxPerStore ?? undefined),
    }))
  const total = (conditions: StoreConditions, chosen: ContactPersonFilters) =>
    peopleOf(conditions, chosen).reduce((sum, { people }) => sum + people.length, 0)
  const found = peopleOf(store, person)
  const revealed = stores
    .flatMap(({ id, numbers }) => numbers.map((number): ResultId => [id, number]))
    .filter(isRevealed)
    .map(([id, number]) => id * contactsPerStore + number!)
  const expected = {
    object: 'contact_count',
    contacts: total(store, person),
    stores: found.filter(({ people }) => people.length > 0).length,
    unrevealed: found
      .flatMap(({ store: one, people }) => people.filter((id) => canReveal(one, id, deliverEmails)))
      .filter((id) => !isRevealed(id)).length,
    facets: facetsOf(facets, limit, (name, value) =>
      name === 'roles' || name === 'seniorities'
        ? total(store, { ...person, [name === 'roles' ? 'roles_any' : 'seniority_any']: [value] })
        : total(chooseOfStores(store, name, value), person),
    ),
  }
  const exclude = excludesTaken && { exclude: { revealed: true as const } }
  const request = { store, person, max_contacts_per_store: maxPerStore, facet_limit: limit, ...exclude }
  for (const [index, engine] of engines.entries()) {
    const asked = index === 0 ? [] : facets
    const reply = await countContacts(contextOf(engine, count, revealed), { ...request, facets: asked })
    expect(reply).toMatchObject(index === 0 ? { ...expected, facets: {} } : expected)
  }
  return expected.contacts
}

function canReveal({ people, numbers }: StoreOnFile, [, number]: ResultId, deliverEmails: DeliverEmails): boolean {
  return canBeRevealed(people[numbers.indexOf(number!)]!, deliverEmails)
}

const wordsOf = (list: readonly string[]) => list.map((word) => word.split('/')[0]!)
const valuesOf: Record<StoreFacetName | ContactFacetName, string[]> = {
  categories: wordsOf(words.category),
  countries: words.country,
  traffic_tiers: words.traffic_tier,
  revenue_tiers: words.revenue_tier,
  platform_plus: ['true', 'false'],
  apps: words.app,
  pixels: words.pixel,
  theme_types: words.theme_type,
  contact_roles: words.role,
  roles: words.role,
  seniorities: words.seniority,
}

/** Each value with what choosing it finds, the greatest first. */
function facetsOf<Name extends StoreFacetName | ContactFacetName>(
  names: readonly Name[],
  limit: number,
  find: (name: Name, value: string) => number,
) {
  return Object.fromEntries(
    names.map((name) => [
      name,
      valuesOf[name]
        .map((value) => ({ value, count: find(name, value) }))
        .filter(({ count }) => count > 0)
        .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
        .slice(0, limit)
        .map((one) => expect.objectContaining(one)),
    ]),
  )
}

/** The filters after somebody chose a value of a facet. */
function chooseOfStores(filters: StoreSearchFilters, name: StoreFacetName, value: string): StoreSearchFilters {
  if (name === 'platform_plus') return { ...filters, platform_plus: value === 'true' }
  if (name === 'theme_types') return { ...filters, themes: { types: [value] } }
  if (name === 'contact_roles') return { ...filters, contacts: { ...filters.contacts, roles_any: [value] } }
  if (name === 'apps' || name === 'pixels') return { ...filters, [name]: { ...filters[name], any: [value] } }
  return { ...filters, [name]: [value] }
}

/** A request's context; the account has exported the stores, or revealed the contacts, with these ids. */
function contextOf(search: SearchEngine, { mode, deliverEmails }: RandomCount, ids: number[]): CountContext {
  const context: Partial<CountContext> = {
    actor: system,
    caller: { accountId: 1, mode, entitlement: { period: { start: new Date(0) } } } as CountContext['caller'],
    now: new Date(1),
    ids: { openMany: () => [] } as unknown as CountContext['ids'],
    accountSets: setsOf(ids) as unknown as CountContext['accountSets'],
    search,
    vocabulary,
    deliverEmails,
    signal: null,
    requestId: 'req_test',
  }
  return context as CountContext
}

function setsOf(ids: number[]) {
  const set = (members: number[]) => ({ ids: new IdList(members), count: members.length })
  const stores = set([...new Set(ids.map((id) => Math.floor(id / contactsPerStore)))])
  const records = { newestTime: 0, before: () => ({ ids: set(ids), stores }) }
  return { exportedStores: async () => records, revealedContacts: async () => records, lists: async () => [] }
}
