import type { Queryable } from '../db/pool.ts'
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
}

const accountsPerPage = 500

/** Lists all accounts that fit, the newest first. */
export async function listAllAccounts(
  ctx: { db: Queryable; ids: IdSealer },
  search: AccountSearch,
): Promise<Account[]> {
  const accounts: Account[] = []
  for (;;) {
    const page = await listAccounts(ctx, search, { beforeId: accounts.at(-1)?.id ?? null, limit: accountsPerPage })
    accounts.push(...page)
    if (page.length < accountsPerPage) return accounts
  }
}

/** Lists accounts with an id below `beforeId`, the newest first. */
export function listAccounts(
  { db, ids }: { db: Queryable; ids: IdSealer },
  { search = '', plan, status }: AccountSearch,
  { beforeId, limit }: { beforeId: number | null; limit: number },
): Promise<Account[]> {
  const text = search.trim()
  const opened = ids.open(text)
  const id = opened?.kind === 'account' ? opened.value : null
  const closing = accountStates.find((state) => state === status) ?? null
  const filter = {
    text: text === '' || id !== null ? null : text,
    id,
    plan: plan ?? null,
    status: closing === null ? (status ?? null) : null,
    closing,
  }
  return selectAccountPage(db, filter, { beforeId, limit })
}
