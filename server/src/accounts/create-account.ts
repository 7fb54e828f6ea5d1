import type { Account, AccountsContext, KnownStatus } from './account.ts'
import type { PlanSlug } from './plans.ts'
import { insertAccount } from './queries.ts'
import { requirePaidTrial, trialStart } from './trial.ts'

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
  requirePaidTrial(plan, status)
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
