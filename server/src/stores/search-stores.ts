import type { Static } from 'typebox'
import { Closed } from '../kernel/shapes.ts'
import { StoreSearchFilters } from '../search/filters.ts'
import { findStores } from '../search/postgres/find-stores.ts'
import { hashQuery, narrows, normalizeStoreFilters } from '../search/query.ts'
import { payForDelivery } from '../usage/charge.ts'
import type { CatalogueContext, PaidReply } from './context.ts'
import { Store } from './schema.ts'
import { findPage, ListReply, pageParameters, renderList } from './search-page.ts'

export const StoreSearchRequest = Closed({ filters: StoreSearchFilters, ...pageParameters })

export const StoreSearchReply = ListReply(Store)

/** A page of the stores that match, best lead fit first; its rows and its new stores are paid for before it is sent. */
export async function searchStores(
  ctx: CatalogueContext,
  request: Static<typeof StoreSearchRequest>,
): Promise<PaidReply> {
  const { deliverEmails } = ctx
  const query = normalizeStoreFilters(ctx.vocabulary, request.filters, deliverEmails)
  const { rows, nextCursor } = await findPage(ctx, request, {
    queryHash: hashQuery(query, 'stores'),
    isNarrowed: narrows(query),
    filtersParam: 'filters',
    find: (after, limit) => findStores(ctx.db, { mode: ctx.caller.mode, query, after, limit, deliverEmails }),
    positionOf: ({ negatedScore, id }) => ({ negatedScore, storeId: id, contact: null }),
  })
  const { balance } = await payForDelivery(ctx, { storeIds: rows.map((store) => store.id), searchRows: rows.length })
  const data = rows.map((store) => store.document)
  return { body: renderList(ctx, data, nextCursor), balance }
}
