import { type Facet, flagTokens, type Vocabulary } from '../search/vocabulary.ts'
import type { Store } from '../stores/schema.ts'

/** What a search needs of a store beside its document: all of it follows from the document and the taxonomy. */
export interface SearchColumns {
  /** Infinity without a score: last in the result order. */
  negatedScore: number
  /** Sorted. */
  tokens: number[]
  createdEstimate: string | null
  firstDiscoveredAt: string | null
}

export function searchColumnsOf(store: Store, vocabulary: Vocabulary): SearchColumns {
  return {
    // Not simply negated: -0 and 0 would be two spellings of one score.
    negatedScore: store.lead_fit_score === null ? Number.POSITIVE_INFINITY : 0 - store.lead_fit_score,
    tokens: tokensOf(store, vocabulary),
    createdEstimate: store.store_created_at?.estimate ?? null,
    firstDiscoveredAt: store.first_discovered_at,
  }
}

/** Shows each word of a store that stands in the taxonomy. */
export function visitWords(store: Store, visit: WordVisitor): void {
  visitOne('category', store.category, visit)
  visitOne('country', store.country, visit)
  visitOne('traffic_tier', store.traffic_tier, visit)
  visitOne('revenue_tier', store.revenue_tier, visit)
  visitOne('theme_type', store.technologies.theme.type, visit)
  for (const app of store.technologies.apps) visit('app', app)
  for (const pixel of store.technologies.pixels) visit('pixel', pixel)
  for (const role of store.contacts_summary.roles) visit('role', role)
}

type WordVisitor = (facet: Facet, value: string) => void

function visitOne(facet: Facet, value: string | null, visit: WordVisitor): void {
  if (value !== null) visit(facet, value)
}

function tokensOf(store: Store, vocabulary: Vocabulary): number[] {
  const tokens = new Set<number>()
  visitWords(store, (facet, value) => {
    const term = vocabulary.find(facet, value)
    // A store that silently lacked a token would be missing from searches.
    if (!term) throw new Error(`the taxonomy has no ${facet} "${value}", which ${store.domain} uses`)
    tokens.add(term.token)
  })
  if (store.platform_plus) tokens.add(flagTokens.platformPlus)
  if (store.contacts_summary.has_revealable_contacts) tokens.add(flagTokens.revealableContacts)
  return [...tokens].sort((a, b) => a - b)
}
