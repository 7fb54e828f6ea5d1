import { type Access, authorize } from '../../customers/auth/access.ts'
import type { DeliverEmails } from '../../foundation/encryption/contact-facts.ts'
import { normalizeStoreFilters } from '../../search/query/store-query.ts'
import type { Vocabulary } from '../../search/query/vocabulary.ts'
import { openExclusion, readAccountSets } from '../exclusion/exclude.ts'
import { type CountContext, holderOf, millisecondsSince } from './context.ts'
import { isByToken, rankValues, tokensOfFacet, valuesOfFacet, withoutStoreFacet } from './facets.ts'
import { PartsOfCount } from './parts.ts'
import { defaultFacetLimit, type FacetValue, type StoreCount, type StoreCountRequest } from './schema.ts'

export const countingStores = {
  key: { scope: 'stores:read' },
  member: { role: 'viewer', needsAccess: true },
  kind: 'read',
} as const satisfies Access

/** Counts the stores that a search would find, and what choosing other values of its facets would find. Costs nothing. */
export async function countStores(ctx: CountContext, request: StoreCountRequest): Promise<StoreCount> {
  authorize(ctx, countingStores)
  const { caller, search, vocabulary, deliverEmails } = ctx
  const { limit, parts, whole, facets } = planStoreCount(vocabulary, deliverEmails, request)
  const { exclusion } = await openExclusion(ctx, request.exclude)
  const { exportedStores } = await readAccountSets(ctx)
  const startedAt = performance.now()
  const result = await search.count({
    mode: caller.mode,
    holder: holderOf(ctx),
    signal: ctx.signal,
    parts,
    exclude: exclusion,
    exported: exportedStores,
    revealed: null,
    verifiedOnly: deliverEmails === 'verified',
  })
  const engineMs = millisecondsSince(startedAt)
  const { stores } = whole.partOf(result)
  return {
    object: 'store_count',
    total: stores,
    new_exports: stores - result.exported,
    facets: Object.fromEntries(
      facets.map(({ name, place }): [string, FacetValue[]] => [
        name,
        rankValues(valuesOfFacet(vocabulary, name, place.tokensOf(result), place.partOf(result).stores), limit),
      ]),
    ),
    engine_ms: engineMs,
    request_id: ctx.requestId,
  }
}

/** What to count for a request, and where its figures are in the result. */
export function planStoreCount(vocabulary: Vocabulary, deliverEmails: DeliverEmails, request: StoreCountRequest) {
  const { filters, facet_limit: limit = defaultFacetLimit } = request
  const collected = new PartsOfCount()
  const queryOf = (conditions: typeof filters) => {
    const store = normalizeStoreFilters(vocabulary, conditions, deliverEmails)
    return { store, storeIds: null, person: null, maxPerStore: null }
  }
  const whole = collected.add(queryOf(filters))
  const facets = [...new Set(request.facets)].map((name) => {
    const wanted = { tokens: tokensOfFacet(vocabulary, name), limit: isByToken(name) ? limit : null }
    return { name, place: collected.add(queryOf(withoutStoreFacet(filters, name)), wanted) }
  })
  return { limit, parts: collected.parts, whole, facets }
}
