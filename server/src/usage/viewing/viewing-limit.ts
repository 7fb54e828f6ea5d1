import type { CallerContext } from '../../auth/caller.ts'
import { ApiError } from '../../kernel/errors.ts'
import { formatNumber } from '../../kernel/time.ts'
import { readPersonWindow, viewedRowsAllowance } from './view-queries.ts'

const hourMs = 3_600_000

/** What a person lacks to look at so many rows now; null if they may, and for a key, which has no such limit. */
export async function findViewingRefusal(ctx: CallerContext, rowCount: number): Promise<ApiError | null> {
  const { personId } = ctx.caller
  if (personId === null) return null
  const window = await readPersonWindow(ctx.db, personId, ctx.now)
  if (!window) return null
  const left = Math.max(0, viewedRowsAllowance - window.rows_viewed)
  if (rowCount <= left) return null
  const retryAfterSeconds = Math.max(1, Math.ceil((window.started_at.getTime() + hourMs - ctx.now.getTime()) / 1000))
  const minutes = Math.ceil(retryAfterSeconds / 60)
  return new ApiError(
    'rate_limit_exceeded',
    `${formatNumber(left)} of ${formatNumber(viewedRowsAllowance)} rows that a person may look at in an hour are left for the next ${minutes === 1 ? 'minute' : `${minutes} minutes`}.`,
    { param: 'person_rows', retryAfterSeconds },
  )
}
