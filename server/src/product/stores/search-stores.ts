import { type Static, Type } from 'typebox'
import { type Access, authorize } from '../../customers/auth/access.ts'
import { ClosedObject } from '../../foundation/kernel/shapes.ts'
import { StoreSearchFilters } from '../../search/query/filters.ts'
import { hashQuery, narrowsStores, normalizeStoreFilters } from '../../search/query/store-query.ts'
import { deliverStores } from '../delivery/deliver.ts'
import type { PaidReply } from '../delivery/paid-reply.ts'
import { chargedFrom, findPage, ListReply, pageParameters, renderList } from '../delivery/search-paging.ts'
import { Store } from '../delivery/store-document.ts'
import { Exclude, excludeHashParts, openExclusion, type SearchContext } from '../exclusion/exclude.ts'

export const StoreSearchRequest = ClosedObject(
  { filters: StoreSearchFilters, exclude: Type.Optional(Exclude), ...pageParameters },
  { title: 'StoreSearchRequest', description: 'Which stores to find, and which page of them.' },
)

export const StoreList = ListReply(Store)

/** People look at stores, which takes no export. */
export const searchingStores = {
  key: { scope: 'stores:read', admitsWithCharge: true },
  member: { role: 'viewer', needsAccess: true, spends: ['search_rows'] },
  kind: 'spend',
  spends: ['search_rows', 'store_exports'],
} as const satisfies Access

/**
 * A page of matching stores, best lead fit first. Its rows and, unless a person looks at it, its new exports are charged
 * before it is sent.
 */
export async function searchStores(ctx: SearchContext, request: Static<typeof StoreSearchRequest>): Promise<PaidReply> {
  authorize(ctx, searchingStores)
  const { caller, search, deliverEmails } = ctx
  const query = normalizeStoreFilters(ctx.vocabulary, request.filters, deliverEmails)
  const { positions, startedAt, nextCursor, endReason, limit, viewedPage } = await findPage(ctx, request, {
    queryHash: hashQuery(query, 'stores', ...excludeHashParts(request.exclude)),
    isNarrowed: narrowsStores(query),
    filtersParam: 'filters',
    find: async (after, limit, walkStartedAt) => {
      const { exclusion, startedAt } = await openExclusion(ctx, request.exclude, { startedAt: walkStartedAt })
      const found = await search.findStores({ mode: caller.mode, query, exclude: exclusion, after, limit })
      return { positions: found, startedAt }
    },
  })
  const storeIds = positions.map((position) => position.storeId)
  const { items, balance, rowsCharged } = await deliverStores(chargedFrom(ctx, startedAt), storeIds, {
    limit,
    viewedPage,
  })
  return { body: renderList(ctx, items, nextCursor), balance, endReason, rowsCharged }
}
