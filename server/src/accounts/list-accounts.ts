import type { Queryable } from '../db/pool.ts'
import { ApiError } from '../kernel/errors.ts'
import type { IdSealer } from '../kernel/ids.ts'
import type { Account, KnownStatus } from './account.ts'
import { selectAccountPage } from './list-queries.ts'
import type { PlanSlug } from './plans.ts'

export const accountStates = ['suspended', 'closed'] as const

export interface AccountSearch {
  /** A part of the name or the email address, or a public id. */
  search?: string
  /** The plan in force. */
  plan?: PlanSlug
  /** A state of the subscription, or `suspended` or `closed`. */
  status?: KnownStatus | (typeof accountStates)[number]
  limit: number
  /** The public id of the last account of the page before. */
  cursor?: string
}

export interface AccountPage {
  accounts: Account[]
  hasMore: boolean
  nextCursor: string | null
}

/** Lists accounts, the newest first. */
export async function listAccounts(
  { db, ids }: { db: Queryable; ids: IdSealer },
  { search = '', plan, status, limit, cursor }: AccountSearch,
): Promise<AccountPage> {
  const beforeId = cursor === undefined ? null : openId(ids, cursor)
  if (cursor !== undefined && beforeId === null)
    throw new ApiError('invalid_cursor', 'This cursor does not come from a list of accounts.', { param: 'cursor' })
  const text = search.trim()
  const id = openId(ids, text)
  const closing = accountStates.find((state) => state === status) ?? null
  const found = await selectAccountPage(
    db,
    {
      text: text === '' || id !== null ? null : text,
      id,
      plan: plan ?? null,
      status: closing === null ? (status ?? null) : null,
      closing,
    },
    { beforeId, limit: limit + 1 },
  )
  const accounts = found.slice(0, limit)
  const hasMore = found.length > limit
  return { accounts, hasMore, nextCursor: hasMore ? ids.seal('account', accounts.at(-1)!.id) : null }
}

function openId(ids: IdSealer, text: string): number | null {
  const opened = ids.open(text)
  return opened?.kind === 'account' ? opened.value : null
}
