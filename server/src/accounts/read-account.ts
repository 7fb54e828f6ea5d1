import { OperatorError } from '../kernel/errors.ts'
import type { IdSealer } from '../kernel/ids.ts'
import type { Account, AccountsContext } from './account.ts'
import type { PlanSlug } from './plans.ts'
import { selectAccount, selectAccountByEmail } from './queries.ts'

/** Reads the account with this public id. Throws an `OperatorError` for an unknown id. */
export async function readAccount(ctx: AccountsContext, publicId: string): Promise<Account> {
  const account = await selectAccount(ctx.db, openAccountId(ctx.ids, publicId))
  if (!account) throw unknownAccountError(publicId)
  return account
}

/** Finds the oldest account with this address. */
export function findAccountByEmail(ctx: AccountsContext, email: string): Promise<Account | undefined> {
  return selectAccountByEmail(ctx.db, email)
}

/** The internal id of `acct_…`. */
export function openAccountId(ids: IdSealer, publicId: string): number {
  const opened = ids.open(publicId)
  if (opened?.kind === 'account') return opened.value
  if (opened)
    throw new OperatorError(
      `${publicId} is an id of kind "${opened.kind}"; give the id of an account, ${accountIdForm}.`,
    )
  throw unknownAccountError(publicId)
}

const accountIdForm = 'acct_ and 16 letters ("storedex accounts list" shows them)'

export function unknownAccountError(publicId: string): OperatorError {
  // A pasted secret must not be repeated in an error message.
  if (publicId.startsWith('sdx_'))
    return new OperatorError(`This is an API key; give the id of its account, ${accountIdForm}.`)
  return new OperatorError(`No account has the id ${JSON.stringify(publicId)}; an id is ${accountIdForm}.`)
}

/** An account in the output format of the command line. */
export interface AccountReport {
  id: string
  name: string
  email: string | null
  /** The plan in force. */
  plan: PlanSlug
  status: string
  billing: 'monthly' | 'annual' | null
  trial_ends_at: string | null
  /** The anchor of its monthly periods. */
  period_start: string
  api_access: boolean
  suspended_at: string | null
  closed_at: string | null
  limits: Record<string, number>
  created_at: string
}

export function reportAccount(ids: IdSealer, account: Account): AccountReport {
  return {
    id: ids.seal('account', account.id),
    name: account.name,
    email: account.email,
    plan: account.planInForce,
    status: account.status,
    billing: account.planInForce === 'free' ? null : account.billing,
    trial_ends_at: account.trialEndsAt?.toISOString() ?? null,
    period_start: account.periodAnchor.toISOString(),
    api_access: account.accessOpen,
    suspended_at: account.suspendedAt?.toISOString() ?? null,
    closed_at: account.closedAt?.toISOString() ?? null,
    limits: account.limits,
    created_at: account.createdAt.toISOString(),
  }
}
