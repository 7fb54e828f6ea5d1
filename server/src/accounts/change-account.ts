import { transact } from '../db/pool.ts'
import {
  type Account,
  type AccountsContext,
  endedStatuses,
  type KnownStatus,
  requirePaidPlanForTrial,
  trialStart,
} from './account.ts'
import type { LimitOverrides, OverridableMeter, PlanSlug } from './plans.ts'
import { type GrantedTerms, insertAccount, lockAccount, updateTerms } from './queries.ts'
import { openAccountId, unknownAccountError } from './read-account.ts'

/** What to change; what is left out stays, unless it follows from what is given. */
export interface AccountChanges {
  plan?: PlanSlug
  status?: KnownStatus
  billing?: 'monthly' | 'annual'
  /** Null ends the trial. */
  trialEndsAt?: Date | null
  periodStart?: Date
  /** Null gives a meter back to the plan's figure. */
  limits?: Partial<Record<OverridableMeter, number | null>>
}

/** Changes an account by hand. It holds from the next request on, in every running instance. */
export async function changeAccount(ctx: AccountsContext, publicId: string, changes: AccountChanges): Promise<Account> {
  const id = openAccountId(ctx.ids, publicId)
  return transact(ctx.db, async (client) => {
    const account = await lockAccount(client, id)
    if (!account) throw unknownAccountError(publicId)
    const terms = changedTerms(account, changes, ctx.now)
    requirePaidPlanForTrial(terms.plan, terms.status)
    return updateTerms(client, id, terms)
  })
}

type ChangedTerms = GrantedTerms & Pick<Account, 'subscriptionId'>

function changedTerms(account: Account, changes: AccountChanges, now: Date): ChangedTerms {
  const plan = changes.plan ?? account.plan
  // Measured against the plan in force, so that a plan is granted anew to whom it had ended for.
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
    // A plan granted by hand counts from its start; a trial is one, whatever plan it leads to meanwhile.
    periodAnchor: changes.periodStart ?? (isAnotherPlan && !staysOnTrial ? now : account.periodAnchor),
    limits: changedLimits(account.limits, changes.limits ?? {}),
    // What is granted after a subscription's end has nothing to do with it any more; a living one goes on deciding.
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

export interface NewAccount {
  name: string
  email?: string
  plan?: PlanSlug
  status?: KnownStatus
  billing?: 'monthly' | 'annual'
  trialEndsAt?: Date
  /** Where the monthly periods are counted from; now when left out. */
  periodStart?: Date
}

/** Opens an account, its plan granted by hand: a paid plan is active, or on trial when a trial's end is given. */
export async function createAccount(ctx: AccountsContext, input: NewAccount): Promise<Account> {
  const plan = input.plan ?? 'free'
  const status = input.status ?? (input.trialEndsAt ? 'trialing' : plan === 'free' ? 'none' : 'active')
  requirePaidPlanForTrial(plan, status)
  return insertAccount(ctx.db, {
    name: input.name,
    email: input.email ?? null,
    plan,
    status,
    billing: input.billing ?? null,
    trialStartedAt: status === 'trialing' ? trialStart(ctx.now, input.periodStart) : null,
    trialEndsAt: input.trialEndsAt ?? null,
    periodAnchor: input.periodStart ?? ctx.now,
    limits: {},
    createdAt: ctx.now,
  })
}
