import type { CatalogueContext } from '../delivery/paid-reply.ts'
import type { CursorPayload } from '../kernel/cursor.ts'
import { ApiError } from '../kernel/errors.ts'

const maxAgeMs = 24 * 60 * 60 * 1000

type Position = Pick<CursorPayload, 'queryHash' | 'position' | 'rowsWalked'>

/** The place a search goes on from; null for its first page. Refuses a cursor that is not this caller's and this query's. */
export function openSearchCursor(ctx: CatalogueContext, text: string | null, queryHash: string): CursorPayload | null {
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

export function sealSearchCursor(ctx: CatalogueContext, position: Position): string {
  const { accountId, mode } = ctx.caller
  return ctx.cursors.seal({ ...position, accountId, mode, issuedAtMs: ctx.now.getTime() })
}

function invalidCursor(message: string): ApiError {
  return new ApiError('invalid_cursor', message, { param: 'cursor' })
}
