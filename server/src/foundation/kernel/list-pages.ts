/** Pages of lists, newest first: their parameters, and cursors bound to account, list and filters. */

import { createHash } from 'node:crypto'
import { type Static, type TSchema, Type } from 'typebox'
import type { CursorSealer } from './cursor-sealer.ts'
import { Refusal } from './errors.ts'
import type { Mode } from './ids.ts'
import { ClosedObject, ListOf } from './shapes.ts'

const maxRows = 100
const defaultRows = 25

/** How a cursor is refused that is none. */
export const invalidCursor = {
  errorCode: 'invalid_cursor',
  errorMessage: 'cursor must be the next_cursor of the page before, unchanged.',
} as const

/** The paging parameters of a list, in the query string. */
export const listParameters = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: maxRows,
      description: `Rows per page, 1 to ${maxRows}; ${defaultRows} if left out.`,
      errorCode: 'invalid_limit',
      published: { default: defaultRows },
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      pattern: '^cur_[A-Za-z0-9_-]+$',
      maxLength: 500,
      ...invalidCursor,
      description: 'The next_cursor of the previous page, with the same filters.',
    }),
  ),
}

export const RecordList = <T extends TSchema>(item: T) => ListOf(item, maxRows)

/** The last row of a page: its time and, among rows of the same time, its number. */
export interface ListPosition {
  at: Date
  row: number
}

/** Lists of operators belong to the installation, which stands where an account does in other cursors. */
export const ofInstallation = { accountId: 0, mode: 'live' } as const

/** The paging parameters of a list without filters. */
export const PageQuery = ClosedObject(listParameters)
export type PageQuery = Static<typeof PageQuery>

interface ListContext {
  cursors: CursorSealer
  now: Date
  accountId: number
  mode: Mode
}

export interface ListQuery<Row> {
  /** Name of the list. */
  list: string
  /** The filters; a cursor is valid only with the same. */
  filters: Record<string, string | null | undefined>
  limit?: number
  cursor?: string
  positionOf(row: Row): ListPosition
  /** At most `limit` rows after the position. */
  select(after: ListPosition | null, limit: number): Promise<Row[]>
}

/** Reads the requested page. Refuses a cursor of another account, list or filter. */
export async function readListPage<Row>(
  ctx: ListContext,
  query: ListQuery<Row>,
): Promise<{ rows: Row[]; hasMore: boolean; nextCursor: string | null }> {
  const cursors = listCursors(ctx, query.list, query.filters)
  const limit = readListLimit(query)
  const found = await query.select(cursors.open(query.cursor), limit + 1)
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  if (found.length <= limit || !last) return { rows, hasMore: false, nextCursor: null }
  return { rows, hasMore: true, nextCursor: cursors.seal(query.positionOf(last)) }
}

/** The rows of a page, as the query string asks for them. */
export function readListLimit({ limit }: { limit?: number }): number {
  return limit ?? defaultRows
}

interface ListCursors {
  /** Null for the first page. Refuses a cursor of another account, list or filter. */
  open(text: string | undefined): ListPosition | null
  seal(position: ListPosition): string
}

/** The cursors of one list of an account with these filters, for a list that `readListPage` does not fit. */
export function listCursors(ctx: ListContext, list: string, filters: ListQuery<never>['filters']): ListCursors {
  const queryHash = hashOf(list, filters)
  return {
    open: (text) => (text === undefined ? null : openCursor(ctx, text, queryHash)),
    seal: (position) => sealCursor(ctx, position, queryHash),
  }
}

function hashOf(list: string, filters: ListQuery<never>['filters']): string {
  const given = Object.entries(filters).filter(([, value]) => value != null)
  const text = JSON.stringify([`list ${list}`, ...given.sort(([a], [b]) => (a < b ? -1 : 1))])
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}

// The sealer's position is that of a search: its first number holds the time here, its second the row.
function sealCursor({ cursors, accountId, mode, now }: ListContext, { at, row }: ListPosition, queryHash: string) {
  return cursors.seal({
    accountId,
    mode,
    queryHash,
    position: { negatedScore: -at.getTime(), storeId: row, contact: null },
    rowsWalked: 0,
    issuedAtMs: now.getTime(),
    startedAtMs: now.getTime(),
  })
}

function openCursor({ cursors, accountId, mode }: ListContext, text: string, queryHash: string): ListPosition {
  const opened = cursors.open(text)
  if (!opened || opened.accountId !== accountId || opened.mode !== mode || opened.queryHash !== queryHash)
    throw new Refusal('invalid_cursor', 'This cursor is invalid or belongs to other filters; start again without it.', {
      param: 'cursor',
    })
  return { at: new Date(-opened.position.negatedScore), row: opened.position.storeId }
}
