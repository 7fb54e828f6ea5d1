import type { DeliverEmails } from '../../../src/foundation/encryption/contact-facts.ts'
import type { Mode } from '../../../src/foundation/kernel/ids.ts'
import type { ContactPersonFilters, StoreSearchFilters } from '../../../src/search/query/filters.ts'
import { type PersonFacts, parents, type StoreFacts, same } from './random-catalogue.ts'

/** A naive reference for filters and order, by attributes alone: no tokens, packed traits, normal forms or SQL. */

const lists = (words: string[], value: string) => words.some((word) => same(word, value))
const isUnset = (words: string[] | undefined): words is undefined | [] => !words || words.length === 0
const oneOf = (words: string[] | undefined, values: (string | null)[]) =>
  isUnset(words) || values.some((value) => value !== null && lists(words, value))

function isUnder(category: string | null, words: string[] | undefined): boolean {
  if (isUnset(words)) return true
  for (let at = category ?? undefined; at !== undefined; at = parents.get(at)) if (lists(words, at)) return true
  return false
}

function uses(has: string[], filter: StoreSearchFilters['apps']): boolean {
  return (
    oneOf(filter?.any, has) &&
    (filter?.all ?? []).every((word) => has.some((value) => same(word, value))) &&
    !(filter?.none ?? []).some((word) => has.some((value) => same(word, value)))
  )
}

function isWithin(day: string | null, filter: StoreSearchFilters['store_created_at']): boolean {
  if (!filter) return true
  return (
    day !== null && (filter.from === undefined || day >= filter.from) && (filter.to === undefined || day <= filter.to)
  )
}

export function canBeRevealed(person: PersonFacts, deliverEmails: DeliverEmails): boolean {
  const { verifiedEmail, otherEmail, phone, profile } = person
  return verifiedEmail || phone || profile || (otherEmail && deliverEmails === 'all')
}

/** Whether a contact of the store can be revealed. */
export function hasRevealable({ people }: StoreFacts, deliverEmails: DeliverEmails): boolean {
  return people.some((person) => canBeRevealed(person, deliverEmails))
}

function matchesStore(store: StoreFacts, filters: StoreSearchFilters, deliverEmails: DeliverEmails): boolean {
  const adsMin = filters.meta_ads?.active_ads_min ?? 0
  const wantsRevealable = filters.contacts?.has_revealable_contacts
  const roles = store.people.map((person) => person.role)
  return (
    isUnder(store.category, filters.categories) &&
    oneOf(filters.countries, [store.country]) &&
    oneOf(filters.traffic_tiers, [store.traffic]) &&
    oneOf(filters.revenue_tiers, [store.revenue]) &&
    oneOf(filters.themes?.types, [store.theme]) &&
    oneOf(filters.contacts?.roles_any, roles) &&
    (filters.platform_plus === undefined || store.plus === filters.platform_plus) &&
    (wantsRevealable === undefined || hasRevealable(store, deliverEmails) === wantsRevealable) &&
    uses(store.apps, filters.apps) &&
    uses(store.pixels, filters.pixels) &&
    (adsMin === 0 || (store.ads !== null && store.ads >= adsMin)) &&
    isWithin(store.createdAt, filters.store_created_at) &&
    isWithin(store.discoveredAt, filters.first_discovered_at)
  )
}

function matchesPerson(person: PersonFacts, filters: ContactPersonFilters): boolean {
  const agrees = (wanted: boolean | undefined, has: boolean) => wanted === undefined || wanted === has
  return (
    oneOf(filters.roles_any, [person.role]) &&
    oneOf(filters.seniority_any, [person.seniority]) &&
    agrees(filters.has_verified_email, person.verifiedEmail) &&
    agrees(filters.has_phone, person.phone) &&
    agrees(filters.has_profile, person.profile)
  )
}

/** Identifies a result: the store's id, and the contact's number within the store. */
export type ResultId = [storeId: number, contactNumber?: number]

/** A store with its id and the numbers of its contacts. */
export interface StoreOnFile extends StoreFacts {
  id: number
  numbers: readonly number[]
}

/** The matching stores: best score first, stores without a score last, then by id. */
export function expectedStores(
  stores: readonly StoreOnFile[],
  search: { mode: Mode; filters: StoreSearchFilters; deliverEmails: DeliverEmails },
): StoreOnFile[] {
  const rank = (store: StoreFacts) => store.score ?? Number.NEGATIVE_INFINITY
  return stores
    .filter((store) => store.mode === search.mode && matchesStore(store, search.filters, search.deliverEmails))
    .sort((a, b) => (rank(a) === rank(b) ? a.id - b.id : rank(a) > rank(b) ? -1 : 1))
}

/** The first matching contacts of a store, without some: most senior first, then verified email, then by number. */
export function expectedContacts(
  store: StoreOnFile,
  filters: ContactPersonFilters,
  maxPerStore: number,
  without: ReadonlySet<number> = new Set(),
): ResultId[] {
  const rank = ({ seniority, verifiedEmail }: PersonFacts) =>
    ['executive', 'decision_maker', 'other'].indexOf(seniority) + (verifiedEmail ? 0 : 0.5)
  return store.people
    .map((person, index) => ({ person, number: store.numbers[index]! }))
    .filter(({ person, number }) => matchesPerson(person, filters) && !without.has(store.id * 4_096 + number))
    .sort((a, b) => rank(a.person) - rank(b.person) || a.number - b.number)
    .slice(0, maxPerStore)
    .map(({ number }): ResultId => [store.id, number])
}
