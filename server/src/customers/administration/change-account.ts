import { type Client, transact } from '../../foundation/db/pool.ts'
import { Refusal } from '../../foundation/kernel/errors.ts'
import { requireUserAddress } from '../../foundation/kernel/mail/user-address.ts'
import { type Account, endedStatuses, type KnownStatus } from '../accounts/account.ts'
import { type NewAccount, openAccount, requirePaidPlanForTrial, trialStart } from '../accounts/open-account.ts'
import type { LimitOverrides, OverridableMeter, PlanSlug } from '../accounts/plans.ts'
import { type GrantedTerms, lockAccount, updateSuspension, updateTerms } from '../accounts/queries.ts'
import { openAccountId, unknownAccountError } from '../accounts/read-account.ts'
import { authorize } from '../auth/access.ts'
import { type CustomersContext, manageAccounts, recordAccountChange, suspendAccounts } from './context.ts'

/** The changes; fields left out stay, unless they follow from others. */
export interface AccountChanges {
  plan?: PlanSlug
  status?: KnownStatus
  billing?: 'monthly' | 'annual'
  /** Null ends the trial. */
  trialEndsAt?: Date | null
  periodStart?: Date
  /** Null removes the override of a meter. */
  limits?: Partial<Record<OverridableMeter, number | null>>
}

/** Creates an account with a plan granted by hand. */
export async function createAccount(ctx: CustomersContext, input: NewAccount): Promise<Account> {
  authorize(ctx, manageAccounts)
  const email = input.email === undefined ? {} : { email: requireUserAddress(input.email) }
  return transact(ctx.db, async (client) => {
    const account = await openAccount(client, { ...input, ...email, name: input.name.trim() }, ctx.now)
    await recordAccountChange(client, ctx, account.id, 'account.created', { plan: account.plan })
    return account
  })
}

/** Changes an account by hand. Takes effect with the next request, in every running instance. */
export async function changeAccount(
  ctx: CustomersContext,
  publicId: string,
  changes: AccountChanges,
): Promise<Account> {
  authorize(ctx, manageAccounts)
  if (Object.keys(changes).length === 0)
    throw new Refusal('missing_parameter', 'Name something to change, such as plan.', { param: 'plan' })
  return changeLocked(ctx, publicId, async (client, account) => {
    const terms = changedTerms(account, changes, ctx.now)
    requirePaidPlanForTrial(terms.plan, terms.status)
    await recordAccountChange(client, ctx, account.id, 'account.changed', describeChanges(changes))
    return updateTerms(client, account.id, terms)
  })
}

/** The changes as they stand in the audit log, `limits.search_rows` for a limit. */
function describeChanges({ trialEndsAt, periodStart, limits, ...terms }: AccountChanges) {
  return {
    ...terms,
    ...(trialEndsAt !== undefined && { trial_ends_at: trialEndsAt?.toISOString() ?? null }),
    ...(periodStart && { period_start: periodStart.toISOString() }),
    ...Object.fromEntries(Object.entries(limits ?? {}).map(([meter, figure]) => [`limits.${meter}`, figure])),
  }
}

/** Closes an account's access until it is resumed, from the next request on. Its plan, keys and data stay. */
export function suspendAccount(ctx: CustomersContext, publicId: string): Promise<Account> {
  return setSuspension(ctx, publicId, true)
}

export function resumeAccount(ctx: CustomersContext, publicId: string): Promise<Account> {
  return setSuspension(ctx, publicId, false)
}

async function setSuspension(ctx: CustomersContext, publicId: string, isSuspended: boolean): Promise<Account> {
  authorize(ctx, suspendAccounts)
  return changeLocked(ctx, publicId, async (client, account) => {
    if (account.closedAt) throw new Refusal('invalid_request', `Account ${publicId} is closed; that is permanent.`)
    if ((account.suspendedAt !== null) === isSuspended) return account
    await recordAccountChange(client, ctx, account.id, isSuspended ? 'account.suspended' : 'account.resumed')
    return updateSuspension(client, account.id, isSuspended ? ctx.now : null)
  })
}

/** Changes an account that is locked until the end of the transaction, so that concurrent changes are all applied. */
function changeLocked(
  ctx: CustomersContext,
  publicId: string,
  change: (client: Client, account: Account) => Promise<Account>,
): Promise<Account> {
  const id = openAccountId(ctx.ids, publicId)
  return transact(ctx.db, async (client) => {
    const account = await lockAccount(client, id)
    if (!account) throw unknownAccountError(publicId)
    return change(client, account)
  })
}

type ChangedTerms = GrantedTerms & Pick<Account, 'subscriptionId'>

function changedTerms(account: Account, changes: AccountChanges, now: Date): ChangedTerms {
  const plan = changes.plan ?? account.plan
  // Compare with the plan in force, so that an ended plan can be granted again.
  const isAnotherPlan = changes.plan !== undefined && changes.plan !== account.planInForce
  const status = changes.status ?? impliedStatus(account, changes, isAnotherPlan)
  const onTrial = status === 'trialing'
  const staysOnTrial = account.trialing && onTrial
  return {
    plan,
    status,
    billing: changes.billing ?? (isAnotherPlan && plan === 'free' ? null : account.billing),
    trialStartedAt: !onTrial ? null : staysOnTrial ? account.trialStartedAt : trialStart(now, changes.periodStart),
    trialEndsAt:
      changes.trialEndsAt !== undefined ? changes.trialEndsAt : isAnotherPlan && !onTrial ? null : account.trialEndsAt,
    // A plan granted by hand starts its periods now; a trial keeps its anchor when its plan changes.
    periodAnchor: changes.periodStart ?? (isAnotherPlan && !staysOnTrial ? now : account.periodAnchor),
    limits: changedLimits(account.limits, changes.limits ?? {}),
    // An ended subscription no longer applies to a new grant; a running one stays in control.
    subscriptionId: endedStatuses.has(account.status) && status !== account.status ? null : account.subscriptionId,
  }
}

function impliedStatus(account: Account, changes: AccountChanges, isAnotherPlan: boolean): string {
  if (changes.trialEndsAt) return 'trialing'
  if (isAnotherPlan && changes.plan === 'free') return 'none'
  if (isAnotherPlan && account.planInForce === 'free') return 'active'
  if (changes.trialEndsAt === null && account.status === 'trialing') return 'active'
  return account.status
}

function changedLimits(current: LimitOverrides, changes: NonNullable<AccountChanges['limits']>): LimitOverrides {
  const entries = Object.entries({ ...current, ...changes }).filter(([, figure]) => figure !== null)
  return Object.fromEntries(entries) as LimitOverrides
}
