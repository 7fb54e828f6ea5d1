import type { Static } from 'typebox'
import { type Access, authorize } from '../../customers/auth/access.ts'
import { hashViewedPage } from '../../customers/ledger/spending.ts'
import { type ListQuery, readListPage } from '../../foundation/kernel/list-pages.ts'
import { payForHost } from '../delivery/deliver.ts'
import { type HistoryQuery, selectHistory } from '../delivery/history-queries.ts'
import { type CatalogueContext, type PaidReply, parseHost, storeNotFound } from '../delivery/paid-reply.ts'
import { describeChange, type StoreChangeRow, type StoreHistory } from '../delivery/store-history.ts'

export interface HistoryRequest {
  limit?: number
  cursor?: string
}

type HistoryPage = Static<typeof StoreHistory>

/** For people a first page costs a search row, once in ten minutes, and no export. */
export const readingHistory = {
  key: { scope: 'stores:read' },
  member: { role: 'viewer', needsAccess: true, spends: ['search_rows'] },
  kind: 'spend',
  spends: ['store_exports'],
} as const satisfies Access

/**
 * A page of the history of a store, newest first, found by its domain, an alias, or a URL with either. Each page is charged
 * like a lookup: the store costs one export per period, however many pages are read. A person pays the row of the first page: a
 * cursor shows that it was paid, by the store's view or by a page before.
 */
export async function readStoreHistory(
  ctx: CatalogueContext,
  domain: string,
  request: HistoryRequest,
): Promise<{ history: HistoryPage } & Omit<PaidReply, 'body'>> {
  authorize(ctx, readingHistory)
  const host = parseHost(domain)
  const isPerson = ctx.caller.userId !== null
  if (isPerson && request.cursor !== undefined)
    return { history: await readViewedHistory(ctx, host, request), balance: {}, rowsCharged: 0 }
  let paid: Omit<PaidReply, 'body'> = { balance: {} }
  const history = await readPage(ctx, host, request, async (query) => {
    const store = await payForHost(ctx, host, hashHistoryPage(ctx.caller, host))
    if (!store) throw storeNotFound(host)
    paid = { balance: store.balance, rowsCharged: store.rowsCharged }
    return selectHistory(ctx.db, ctx.caller.mode, query)
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

/** The first page of a history, for a person who looks at it; later ones are free. */
function hashHistoryPage(caller: Pick<CatalogueContext['caller'], 'userId'>, host: string): Buffer | null {
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
