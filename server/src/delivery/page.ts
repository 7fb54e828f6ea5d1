import type { StoreSortKey } from '@storedex/search-index'
import { type TSchema, Type } from 'typebox'
import type { CursorPayload } from '../kernel/cursor.ts'
import { ApiError } from '../kernel/errors.ts'
import { ClosedObject, Nullable, RequestId } from '../kernel/shapes.ts'
import { formatNumber } from '../kernel/time.ts'
import { requireSearchRows } from '../usage/charge.ts'
import type { CatalogueContext } from './paid-reply.ts'

/** What the two searches have in common: pages, how far one query can be walked, and the shape of the list. */

const Cursor = Type.String({ pattern: '^cur_[A-Za-z0-9_-]+$', maxLength: 500 })

/** The parameters of a search that say which page is asked for. */
export const pageParameters = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 25, description: 'Rows a page.' })),
  cursor: Type.Optional(
    Type.Union([Cursor, Type.Null()], {
      default: null,
      description: 'The next_cursor of the page before, with the same filters.',
    }),
  ),
}

export const ListReply = <T extends TSchema>(item: T) =>
  ClosedObject({
    object: Type.Literal('list'),
    data: Type.Array(item, { maxItems: 100 }),
    has_more: Type.Boolean(),
    next_cursor: Nullable(Cursor),
    request_id: RequestId,
  })

type CursorPosition = CursorPayload['position']

/** A search, as far as turning its pages goes. */
interface PagedSearch<Position> {
  /** Names the endpoint and the query in normal form. */
  queryHash: string
  /** Whether any filter narrows the catalogue: if none does, it can be walked less far. */
  isNarrowed: boolean
  /** Where a filter could be added, when all of the filters stand in one place. */
  filtersParam?: string
  find(after: CursorPosition | null, limit: number): Promise<Position[]>
}

interface Page<Position> {
  positions: Position[]
  nextCursor: string | null
}

/**
 * Where the rows stand of the page that a request asks for. Refused before it is looked for: a foreign cursor, a walk too
 * far, too few rows left.
 */
export async function findPage<Position extends StoreSortKey>(
  ctx: CatalogueContext,
  request: { limit?: number; cursor?: string | null },
  search: PagedSearch<Position>,
): Promise<Page<Position>> {
  const limit = request.limit ?? 25
  const cursor = openSearchCursor(ctx, request.cursor ?? null, search.queryHash)
  const rowsWalked = cursor?.rowsWalked ?? 0
  requireWithinBounds(ctx, search, rowsWalked)
  requireSearchRows(ctx, limit)

  const found = await search.find(cursor?.position ?? null, limit + 1)
  const positions = found.slice(0, limit)
  const last = positions.at(-1)
  if (found.length <= limit || !last) return { positions, nextCursor: null }
  // The next page goes on from the engine's answer, whether or not all of these rows are still there to be delivered.
  const next = { position: { contact: null, ...last }, rowsWalked: rowsWalked + positions.length }
  return { positions, nextCursor: sealSearchCursor(ctx, { queryHash: search.queryHash, ...next }) }
}

/** The body of a page, of items that are serialised already, with commas between; null for none. */
export function renderList(ctx: CatalogueContext, items: string | null, nextCursor: string | null): string {
  const next = nextCursor === null ? 'null' : `"${nextCursor}"`
  return `{"object":"list","data":[${items ?? ''}],"has_more":${nextCursor !== null},"next_cursor":${next},"request_id":"${ctx.requestId}"}`
}

function requireWithinBounds(
  ctx: CatalogueContext,
  { isNarrowed, filtersParam }: Pick<PagedSearch<never>, 'isNarrowed' | 'filtersParam'>,
  rowsWalked: number,
): void {
  const { max_rows_walked, max_rows_walked_unfiltered } = ctx.searchBounds
  if (rowsWalked < (isNarrowed ? max_rows_walked : max_rows_walked_unfiltered)) return
  throw new ApiError(
    'search_too_broad',
    `This search was walked for ${formatNumber(rowsWalked)} rows, as far as it goes; add a filter.`,
    filtersParam === undefined ? {} : { param: filtersParam },
  )
}

const maxAgeMs = 24 * 60 * 60 * 1000

type Position = Pick<CursorPayload, 'queryHash' | 'position' | 'rowsWalked'>

/** The place a search goes on from; null for its first page. Refuses a cursor that is not this caller's and this query's. */
function openSearchCursor(ctx: CatalogueContext, text: string | null, queryHash: string): CursorPayload | null {
  if (text === null) return null
  const cursor = ctx.cursors.open(text)
  const { accountId, mode } = ctx.caller
  // One sentence for forged and foreign alike: a cursor of another account tells nothing.
  if (!cursor || cursor.accountId !== accountId || cursor.mode !== mode)
    throw invalidCursor('This cursor is not one of yours; start again without it.')
  if (cursor.queryHash !== queryHash)
    throw invalidCursor('This cursor belongs to another search; send the filters it was made with.')
  if (ctx.now.getTime() - cursor.issuedAtMs > maxAgeMs)
    throw invalidCursor('This cursor is older than 24 hours; start again without it.')
  return cursor
}

function sealSearchCursor(ctx: CatalogueContext, position: Position): string {
  const { accountId, mode } = ctx.caller
  return ctx.cursors.seal({ ...position, accountId, mode, issuedAtMs: ctx.now.getTime() })
}

function invalidCursor(message: string): ApiError {
  return new ApiError('invalid_cursor', message, { param: 'cursor' })
}
