import { type Static, Type } from 'typebox'
import { ApiError } from '../kernel/errors.ts'
import { figure } from '../kernel/format.ts'
import { Closed, Nullable, RequestId } from '../kernel/shapes.ts'
import { StoreSearchFilters } from '../search/filters.ts'
import { findStores } from '../search/postgres/find-stores.ts'
import { hashQuery, narrows, normalizeStoreFilters } from '../search/query.ts'
import { payForDelivery, requireSearchRows } from '../usage/charge.ts'
import type { PaidReply, StoresContext } from './context.ts'
import { openSearchCursor, sealSearchCursor } from './cursor.ts'
import { Store } from './schema.ts'

const SearchLimit = Type.Integer({ minimum: 1, maximum: 100, default: 25, description: 'Rows a page.' })

const Cursor = Type.String({ pattern: '^cur_[A-Za-z0-9_-]+$', maxLength: 500 })

const SearchCursor = Type.Union([Cursor, Type.Null()], {
  default: null,
  description: 'The next_cursor of the page before, with the same filters.',
})

export const StoreSearchRequest = Closed({
  filters: StoreSearchFilters,
  limit: Type.Optional(SearchLimit),
  cursor: Type.Optional(SearchCursor),
})

export const StoreSearchReply = Closed({
  object: Type.Literal('list'),
  data: Type.Array(Store, { maxItems: 100 }),
  has_more: Type.Boolean(),
  next_cursor: Nullable(Cursor),
  request_id: RequestId,
})

/** A page of the stores that match, best lead fit first; its rows and its new stores are paid for before it is sent. */
export async function searchStores(ctx: StoresContext, request: Static<typeof StoreSearchRequest>): Promise<PaidReply> {
  const limit = request.limit ?? 25
  const query = normalizeStoreFilters(ctx.vocabulary, request.filters)
  const queryHash = hashQuery(query, 'stores')
  const cursor = openSearchCursor(ctx, request.cursor ?? null, queryHash)
  const rowsWalked = cursor?.rowsWalked ?? 0
  const bound = narrows(query) ? ctx.searchBounds.max_rows_walked : ctx.searchBounds.max_rows_walked_unfiltered
  if (rowsWalked >= bound)
    throw new ApiError(
      'search_too_broad',
      `This search was walked for ${figure(rowsWalked)} rows, as far as it goes; add a filter.`,
      { param: 'filters' },
    )
  requireSearchRows(ctx, limit)

  const found = await findStores(ctx.db, {
    mode: ctx.caller.mode,
    query,
    after: cursor ? cursor.position : null,
    limit: limit + 1,
  })
  const page = found.slice(0, limit)
  const last = page.at(-1)
  const nextCursor =
    found.length > limit && last
      ? sealSearchCursor(ctx, {
          queryHash,
          position: { negatedScore: last.negatedScore, storeId: last.id, contact: null },
          rowsWalked: rowsWalked + page.length,
        })
      : null

  const balance = await payForDelivery(ctx, { storeIds: page.map((store) => store.id), searchRows: page.length })
  const data = page.map((store) => store.document).join(',')
  const next = nextCursor === null ? 'null' : `"${nextCursor}"`
  return {
    body: `{"object":"list","data":[${data}],"has_more":${nextCursor !== null},"next_cursor":${next},"request_id":"${ctx.requestId}"}`,
    balance,
  }
}
