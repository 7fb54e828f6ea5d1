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

/** The words of a store in the taxonomy, facet by facet. */
export function* wordsOf({ technologies, contacts_summary, ...store }: Store): Generator<[Facet, string]> {
  if (store.category !== null) yield ['category', store.category]
  if (store.country !== null) yield ['country', store.country]
  if (store.traffic_tier !== null) yield ['traffic_tier', store.traffic_tier]
  if (store.revenue_tier !== null) yield ['revenue_tier', store.revenue_tier]
  if (technologies.theme.type !== null) yield ['theme_type', technologies.theme.type]
  for (const app of technologies.apps) yield ['app', app]
  for (const pixel of technologies.pixels) yield ['pixel', pixel]
  for (const role of contacts_summary.roles) yield ['role', role]
}

function tokensOf(store: Store, vocabulary: Vocabulary): number[] {
  const tokens = new Set<number>()
  for (const [facet, value] of wordsOf(store)) {
    const term = vocabulary.find(facet, value)
    // A store that silently lacked a token would be missing from searches.
    if (!term) throw new Error(`the taxonomy has no ${facet} "${value}", which ${store.domain} uses`)
    for (const token of vocabulary.tokensWithParents(term)) tokens.add(token)
  }
  if (store.platform_plus) tokens.add(flagTokens.platformPlus)
  if (store.contacts_summary.has_revealable_contacts) tokens.add(flagTokens.revealableContacts)
  return [...tokens].sort((a, b) => a - b)
}
