import { type Alongside, transact } from '../db/pool.ts'
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

/** Changes an account by hand. Takes effect with the next request, in every running instance. */
export async function changeAccount(
  ctx: AccountsContext,
  publicId: string,
  changes: AccountChanges,
  alongside?: Alongside<Account>,
): Promise<Account> {
  const id = openAccountId(ctx.ids, publicId)
  return transact(ctx.db, async (client) => {
    const account = await lockAccount(client, id)
    if (!account) throw unknownAccountError(publicId)
    const terms = changedTerms(account, changes, ctx.now)
    requirePaidPlanForTrial(terms.plan, terms.status)
    const changed = await updateTerms(client, id, terms)
    await alongside?.(client, changed)
    return changed
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

export interface NewAccount {
  name: string
  email?: string
  plan?: PlanSlug
  status?: KnownStatus
  billing?: 'monthly' | 'annual'
  trialEndsAt?: Date
  /** The anchor of the monthly periods; default: now. */
  periodStart?: Date
}

/** Creates an account with a plan granted by hand: a paid plan is active, or on trial when the trial's end is given. */
export async function createAccount(
  ctx: AccountsContext,
  input: NewAccount,
  alongside?: Alongside<Account>,
): Promise<Account> {
  const plan = input.plan ?? 'free'
  const status = input.status ?? (input.trialEndsAt ? 'trialing' : plan === 'free' ? 'none' : 'active')
  requirePaidPlanForTrial(plan, status)
  const row = {
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
  }
  return transact(ctx.db, async (client) => {
    const account = await insertAccount(client, row)
    await alongside?.(client, account)
    return account
  })
}
