import type { Static } from 'typebox'
import { type DeliveredHistory, deliverHistory, type HistoryQuery, selectHistory } from '../delivery/history-queries.ts'
import { type ListQuery, readListPage } from '../delivery/list-pages.ts'
import { type CatalogueContext, type PaidReply, parseHost, storeNotFound } from '../delivery/paid-reply.ts'
import { findStoreIds } from '../delivery/queries.ts'
import { describeChange, type StoreChangeRow, type StoreHistory } from '../delivery/store-history.ts'
import { deliverAndCharge } from '../usage/charge.ts'
import { hashViewedPage } from '../usage/viewing/viewed-pages.ts'

export interface HistoryRequest {
  limit?: number
  cursor?: string
}

type HistoryPage = Static<typeof StoreHistory>

/**
 * A page of the history of a store, newest first, found by its domain, an alias, or a URL with either. Each page is charged
 * like a lookup: the store costs one export per period, however many pages are read.
 */
export async function readStoreHistory(
  ctx: CatalogueContext,
  domain: string,
  request: HistoryRequest,
): Promise<{ history: HistoryPage } & Omit<PaidReply, 'body'>> {
  const host = parseHost(domain)
  let paid: Omit<PaidReply, 'body'> = { balance: {} }
  const history = await readPage(ctx, host, request, async (query) => {
    const charged = await deliverHistoryAndCharge(ctx, query)
    if (!charged.delivered.isKnown) throw storeNotFound(host)
    paid = { balance: charged.balance, rowsCharged: charged.delivered.rows_charged }
    return charged.delivered.changes
  })
  return { history, ...paid }
}

/**
 * The same for a person who looks at a store. Its first page comes with the store's view and is paid with that; the cursor
 * shows it.
 */
export function readViewedHistory(ctx: CatalogueContext, host: string, request: HistoryRequest): Promise<HistoryPage> {
  return readPage(ctx, host, request, (query) => selectHistory(ctx.db, ctx.caller.mode, query))
}

function deliverHistoryAndCharge(
  ctx: CatalogueContext,
  query: HistoryQuery,
): Promise<{ delivered: DeliveredHistory; balance: PaidReply['balance'] }> {
  const { db, caller } = ctx
  const viewedPage = hashHistoryPage(caller, query.host)
  return deliverAndCharge(ctx, {
    viewedPage,
    deliver: (charge) => deliverHistory(db, charge, query),
    estimateCost: async () => {
      const storeIds = await findStoreIds(db, caller.mode, [query.host])
      return { storeIds, searchRows: viewedPage ? storeIds.length : 0 }
    },
  })
}

/** The first page of a history, for a person who looks at it; later ones are free. */
export function hashHistoryPage(caller: Pick<CatalogueContext['caller'], 'personId'>, host: string): Buffer | null {
  return hashViewedPage(caller, ['store history', host])
}

async function readPage(
  { cursors, now, caller, requestId }: CatalogueContext,
  host: string,
  { limit, cursor }: HistoryRequest,
  select: (query: HistoryQuery) => Promise<StoreChangeRow[]>,
): Promise<HistoryPage> {
  const list: ListQuery<StoreChangeRow> = {
    list: 'store history',
    filters: { host },
    ...(limit !== undefined && { limit }),
    ...(cursor !== undefined && { cursor }),
    positionOf: ({ at, batch, field }) => ({ at, row: batch * fieldSpace + field }),
    select: (after, count) => select({ host, after: after && positionOf(after.row), limit: count }),
  }
  const page = await readListPage({ cursors, now, accountId: caller.accountId, mode: caller.mode }, list)
  return {
    object: 'list',
    data: page.rows.map(describeChange),
    has_more: page.hasMore,
    next_cursor: page.nextCursor,
    request_id: requestId,
  }
}

/** The place of a change is one number: its batch, and its field within the batch. More fields than there will ever be. */
const fieldSpace = 256

function positionOf(row: number): HistoryQuery['after'] {
  return { batch: Math.floor(row / fieldSpace), field: row % fieldSpace }
}
