/** Paging of store search and contact search: parameters, cursors, the bound on a walk, the list reply. */

import type { StoreSortKey } from '@storedex/search-index'
import { type TSchema, Type } from 'typebox'
import { hashViewedPage } from '../../customers/ledger/spending.ts'
import { type JsonText, jsonWithList } from '../../foundation/http/replies.ts'
import type { CursorPayload } from '../../foundation/kernel/cursor-sealer.ts'
import { Refusal } from '../../foundation/kernel/errors.ts'
import { invalidCursor } from '../../foundation/kernel/list-pages.ts'
import { ListOf } from '../../foundation/kernel/shapes.ts'
import { formatNumber } from '../../foundation/kernel/time.ts'
import type { CatalogueContext } from './paid-reply.ts'

const maxLimit = 100
const defaultLimit = 25

/** The paging parameters of a search request. */
export const pageParameters = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: maxLimit,
      default: defaultLimit,
      description: 'Rows per page, 1 to 100.',
      errorCode: 'invalid_limit',
    }),
  ),
  cursor: Type.Optional(
    Type.Union([Type.String({ pattern: '^cur_[A-Za-z0-9_-]+$', maxLength: 500 }), Type.Null()], {
      ...invalidCursor,
      default: null,
      description:
        'The next_cursor of the previous page, unchanged, with the same filters; null or left out for the first page.',
    }),
  ),
}

export const ListReply = <T extends TSchema>(item: T) => ListOf(item, maxLimit)

type CursorPosition = CursorPayload['position']

/** What paging needs to know of a search. */
interface PagedSearch<Position> {
  /** Hash of the endpoint and the query in normal form, to which a cursor is bound. */
  queryHash: string
  /** Whether a filter narrows the catalogue; a walk without one ends earlier. */
  isNarrowed: boolean
  /** The parameter that holds all filters, if there is one; errors name it. */
  filtersParam?: string
  /** `startedAt` is when the walk began; null on its first page, whose result decides it. */
  find(after: CursorPosition | null, limit: number, startedAt: Date | null): Promise<Found<Position>>
}

interface Found<Position> {
  positions: Position[]
  startedAt: Date
}

interface Page<Position> extends Found<Position> {
  nextCursor: string | null
  /** Why the walk ends although more matches; null unless it does. */
  endReason: string | null
  /** Rows asked for. */
  limit: number
  /** Identifies the page that a person looks at; null for a key. */
  viewedPage: Buffer | null
}

/**
 * Finds the positions of the requested page. Before it searches, it refuses an invalid cursor and a walk beyond its bound. The charge
 * refuses a limit above the search rows left, whatever was found: otherwise refused pages would tell, free of charge, whether
 * there is a match.
 */
export async function findPage<Position extends StoreSortKey>(
  ctx: CatalogueContext,
  request: { limit?: number; cursor?: string | null },
  search: PagedSearch<Position>,
): Promise<Page<Position>> {
  const limit = request.limit ?? defaultLimit
  const cursor = openSearchCursor(ctx, request.cursor ?? null, search.queryHash)
  const rowsWalked = cursor?.rowsWalked ?? 0
  requireWithinBounds(ctx, search, rowsWalked)
  const viewedPage = hashViewedPage(ctx.caller, [search.queryHash, limit, cursor?.position])

  const walkStartedAt = cursor && new Date(cursor.startedAtMs)
  const { positions: found, startedAt } = await search.find(cursor?.position ?? null, limit + 1, walkStartedAt)
  const positions = found.slice(0, limit)
  const last = positions.at(-1)
  if (found.length <= limit || !last)
    return { positions, startedAt, nextCursor: null, endReason: null, limit, viewedPage }
  const rowsAfter = rowsWalked + positions.length
  // A cursor at the bound could only be refused: the walk ends here.
  if (rowsAfter >= boundOf(ctx, search))
    return { positions, startedAt, nextCursor: null, endReason: tooBroadText(rowsAfter), limit, viewedPage }
  // The next page continues after these positions, even if some of the rows are gone when they are delivered.
  const nextCursor = ctx.cursors.seal({
    accountId: ctx.caller.accountId,
    mode: ctx.caller.mode,
    queryHash: search.queryHash,
    position: { contact: null, ...last },
    rowsWalked: rowsAfter,
    issuedAtMs: ctx.now.getTime(),
    startedAtMs: startedAt.getTime(),
  })
  return { positions, startedAt, nextCursor, endReason: null, limit, viewedPage }
}

/** The context with which a page of a walk is charged: what it delivers is not from before the walk. */
export function chargedFrom<Context extends CatalogueContext>(ctx: Context, startedAt: Date): Context {
  return startedAt > ctx.now ? { ...ctx, now: startedAt } : ctx
}

/** Serializes a page of items that are serialized already. */
export function renderList(ctx: CatalogueContext, items: readonly string[], nextCursor: string | null): JsonText {
  const next = nextCursor === null ? 'null' : `"${nextCursor}"`
  const end = `],"has_more":${nextCursor !== null},"next_cursor":${next},"request_id":"${ctx.requestId}"}`
  return jsonWithList('{"object":"list","data":[', items, end)
}

function requireWithinBounds(
  ctx: CatalogueContext,
  { isNarrowed, filtersParam }: Pick<PagedSearch<never>, 'isNarrowed' | 'filtersParam'>,
  rowsWalked: number,
): void {
  if (rowsWalked < boundOf(ctx, { isNarrowed })) return
  throw new Refusal(
    'search_too_broad',
    tooBroadText(rowsWalked),
    filtersParam === undefined ? {} : { param: filtersParam },
  )
}

/** How many rows a walk may return. A page that begins below it is whole. */
function boundOf({ searchBounds }: CatalogueContext, { isNarrowed }: Pick<PagedSearch<never>, 'isNarrowed'>): number {
  return isNarrowed ? searchBounds.max_rows_walked : searchBounds.max_rows_walked_unfiltered
}

const tooBroadText = (rows: number) =>
  `This search has returned ${formatNumber(rows)} rows, the most it may; add a filter to see others.`

const maxAgeMs = 24 * 60 * 60 * 1000

/** Opens a cursor; null for the first page. Refuses one of another caller or query, and one older than a day. */
function openSearchCursor(ctx: CatalogueContext, text: string | null, queryHash: string): CursorPayload | null {
  if (text === null) return null
  const cursor = ctx.cursors.open(text)
  const { accountId, mode } = ctx.caller
  // The same message for forged and foreign cursors: it must not confirm a cursor of another account.
  if (!cursor || cursor.accountId !== accountId || cursor.mode !== mode)
    throw cursorError('This cursor is invalid; start again without it.')
  if (cursor.queryHash !== queryHash)
    throw cursorError('This cursor belongs to another search; send the filters it was made with.')
  if (ctx.now.getTime() - cursor.issuedAtMs > maxAgeMs)
    throw cursorError('This cursor is older than 24 hours; start again without it.')
  return cursor
}

function cursorError(message: string): Refusal {
  return new Refusal('invalid_cursor', message, { param: 'cursor' })
}
