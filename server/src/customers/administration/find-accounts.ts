import { type Account, type AccountState, accountStates, type KnownStatus } from '../accounts/account.ts'
import type { PlanSlug } from '../accounts/plans.ts'
import { authorize } from '../auth/access.ts'
import { type CustomersContext, readAccounts } from './context.ts'
import { type AccountFilter, selectAccountPage } from './queries.ts'

export interface AccountSearch {
  /** A part of the name or the email address, or a public id. */
  search?: string
  /** The plan in force. */
  plan?: PlanSlug
  /** A state of the subscription, or `suspended` or `closed`. */
  status?: KnownStatus | AccountState
}

const accountsPerPage = 500

/** All accounts that fit, the newest first. */
export async function listAllAccounts(ctx: CustomersContext, search: AccountSearch): Promise<Account[]> {
  authorize(ctx, readAccounts)
  const filter = filterOf(ctx, search)
  const accounts: Account[] = []
  for (;;) {
    const beforeId = accounts.at(-1)?.id ?? null
    const page = await selectAccountPage(ctx.db, filter, { beforeId, limit: accountsPerPage })
    accounts.push(...page)
    if (page.length < accountsPerPage) return accounts
  }
}

/** The filter of a search. */
export function filterOf({ ids }: CustomersContext, { search = '', plan, status }: AccountSearch): AccountFilter {
  const text = search.trim()
  const opened = ids.open(text)
  const id = opened?.kind === 'account' ? opened.value : null
  const closing = accountStates.find((state) => state === status) ?? null
  return {
    text: text === '' || id !== null ? null : text,
    id,
    plan: plan ?? null,
    status: closing === null ? (status ?? null) : null,
    closing,
  }
}
