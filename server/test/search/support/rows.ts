import { packTraits, signatureToken, traitsToken } from '@storedex/search-index'
import { type Facet, flagTokens } from '../../../src/search/query/vocabulary.ts'
import { numberOf, type PersonFacts, type StoreFacts, vocabulary } from './random-catalogue.ts'
import { hasRevealable } from './reference.ts'
import type { PersonRow, SearchRow } from './tables.ts'

/** What an import would leave; document and preview say which store it is. */
export function rowOf(store: StoreFacts, place: number): SearchRow {
  const tokens = (facet: Facet, values: (string | null)[]) =>
    values.flatMap((value) => (value === null ? [] : vocabulary.find(facet, value)!.token))
  return {
    mode: store.mode,
    negatedScore: store.score === null ? Number.POSITIVE_INFINITY : -store.score,
    tokens: [
      ...tokens('category', [store.category]),
      ...tokens('country', [store.country]),
      ...tokens('traffic_tier', [store.traffic]),
      ...tokens('revenue_tier', [store.revenue]),
      ...tokens('theme_type', [store.theme]),
      ...tokens('app', store.apps),
      ...tokens('pixel', store.pixels),
      ...(store.plus ? [flagTokens.platformPlus] : []),
      ...(hasRevealable(store, 'all') ? [flagTokens.revealableContacts] : []),
      ...(hasRevealable(store, 'verified') ? [flagTokens.verifiedRevealableContacts] : []),
      ...(store.people.length > 0 ? [flagTokens.contacts] : []),
      ...store.people.flatMap((person) => [
        traitsToken(traitsOf(person)),
        ...tokens('role', [person.role]),
        ...tokens('role', [person.role]).map((role) => signatureToken(role, traitsOf(person))),
      ]),
    ],
    activeAds: store.ads,
    createdEstimate: store.createdAt === null ? null : new Date(store.createdAt),
    firstDiscoveredAt: store.discoveredAt === null ? null : new Date(store.discoveredAt),
    document: String(place),
    preview: String(place),
  }
}

/** The people of a store. */
export function peopleRowsOf(store: StoreFacts, storeId: number): PersonRow[] {
  return store.people.map((person, index) => ({
    storeId,
    number: numberOf(index),
    role: person.role,
    traits: traitsOf(person),
    preview: String(numberOf(index)),
  }))
}

/** 0 without a role. */
export function roleTokenOf(role: string | null): number {
  return role === null ? 0 : vocabulary.find('role', role)!.token
}

function traitsOf({ seniority, verifiedEmail, phone, profile }: PersonFacts): number {
  return packTraits({ seniority, hasVerifiedEmail: verifiedEmail, hasPhone: phone, hasProfile: profile })
}
