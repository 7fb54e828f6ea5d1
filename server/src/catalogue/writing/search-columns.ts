import { isPersonToken, signatureToken, traitsToken } from '@storedex/search-index'
import type { Store } from '../../product/delivery/store-document.ts'
import { type Facet, flagTokens, type Vocabulary } from '../../search/query/vocabulary.ts'

/** The search columns of a store row, derived from its document, contacts and taxonomy. */
export interface SearchColumns {
  /** Infinity if there is no score, which sorts last. */
  negatedScore: number
  /** Sorted. */
  tokens: number[]
  createdEstimate: string | null
  firstDiscoveredAt: string | null
}

/** `contactTokens` are the tokens that do not follow from the document. */
export function computeSearchColumns(store: Store, contactTokens: number[], vocabulary: Vocabulary): SearchColumns {
  return {
    // Subtracted, not negated: -0 and 0 would be two values for one score.
    negatedScore: store.lead_fit_score === null ? Number.POSITIVE_INFINITY : 0 - store.lead_fit_score,
    tokens: tokensOf(store, contactTokens, vocabulary),
    createdEstimate: store.store_created_at?.estimate ?? null,
    firstDiscoveredAt: store.first_discovered_at,
  }
}

/** Calls `visit` for each taxonomy value of a store. */
export function visitTaxonomyValues(store: Store, visit: TaxonomyValueVisitor): void {
  visitOne('category', store.category, visit)
  visitOne('country', store.country, visit)
  visitOne('traffic_tier', store.traffic_tier, visit)
  visitOne('revenue_tier', store.revenue_tier, visit)
  visitOne('theme_type', store.technologies.theme.type, visit)
  for (const app of store.technologies.apps) visit('app', app)
  for (const pixel of store.technologies.pixels) visit('pixel', pixel)
  for (const role of store.contacts_summary.roles) visit('role', role)
}

export type TaxonomyValueVisitor = (facet: Facet, value: string) => void

function visitOne(facet: Facet, value: string | null, visit: TaxonomyValueVisitor): void {
  if (value !== null) visit(facet, value)
}

const contactFlags: readonly number[] = [
  flagTokens.contacts,
  flagTokens.revealableContacts,
  flagTokens.verifiedRevealableContacts,
]

/** Selects the tokens that come from a store's contacts, except those of roles, which the document has. */
export function selectContactTokens(tokens: number[]): number[] {
  return tokens.filter((token) => isPersonToken(token) || contactFlags.includes(token))
}

function tokensOf(store: Store, contactTokens: number[], vocabulary: Vocabulary): number[] {
  const tokens = new Set<number>(contactTokens)
  visitTaxonomyValues(store, (facet, value) => {
    const term = vocabulary.find(facet, value)
    // A store without the token would silently be missing from searches.
    if (!term) throw new Error(`the taxonomy has no ${facet} "${value}", which ${store.domain} uses`)
    tokens.add(term.token)
  })
  if (store.platform_plus) tokens.add(flagTokens.platformPlus)
  return [...tokens].sort((a, b) => a - b)
}

/** The contacts of a store with the same role and traits. */
export interface SignatureRow {
  role: string | null
  traits: number
  total: number
  revealable: boolean
  verified_revealable: boolean
  verified_emails: number
}

/** Builds the `contacts_summary` of a store's document. */
export function summarizeContacts(rows: SignatureRow[]): Store['contacts_summary'] {
  const roles = new Set(rows.flatMap(({ role }) => (role === null ? [] : [role])))
  return {
    total: sum(rows, (row) => row.total),
    has_revealable_contacts: rows.some((row) => row.revealable),
    verified_email_count: sum(rows, (row) => row.verified_emails),
    // By code unit, as PostgreSQL sorts with collation "C": role values are ASCII.
    roles: [...roles].sort(),
  }
}

/** Computes the tokens that come from a store's contacts, except those of roles, which the document has. */
export function computeContactTokens(rows: SignatureRow[], vocabulary: Vocabulary): number[] {
  const tokens = new Set<number>()
  if (rows.length > 0) tokens.add(flagTokens.contacts)
  for (const { role, traits, revealable, verified_revealable } of rows) {
    if (revealable) tokens.add(flagTokens.revealableContacts)
    if (verified_revealable) tokens.add(flagTokens.verifiedRevealableContacts)
    tokens.add(traitsToken(traits))
    if (role !== null) tokens.add(signatureToken(tokenOfRole(role, vocabulary), traits))
  }
  return [...tokens]
}

function tokenOfRole(role: string, vocabulary: Vocabulary): number {
  const term = vocabulary.find('role', role)
  // A store without the token would silently be missing from searches.
  if (!term) throw new Error(`the taxonomy has no role "${role}", which a contact has`)
  return term.token
}

function sum(rows: SignatureRow[], figure: (row: SignatureRow) => number): number {
  return rows.reduce((total, row) => total + figure(row), 0)
}
