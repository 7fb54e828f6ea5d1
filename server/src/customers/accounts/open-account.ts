import type { Queryable } from '../../foundation/db/pool.ts'
import { Refusal } from '../../foundation/kernel/errors.ts'
import type { Account, KnownStatus } from './account.ts'
import type { PlanSlug } from './plans.ts'
import { insertAccount } from './queries.ts'

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

/** Stores a new account, in the transaction of what creates it: a paid plan is active, or on trial with a trial's end. */
export function openAccount(db: Queryable, input: NewAccount, now: Date): Promise<Account> {
  const plan = input.plan ?? 'free'
  const status = input.status ?? (input.trialEndsAt ? 'trialing' : plan === 'free' ? 'none' : 'active')
  requirePaidPlanForTrial(plan, status)
  return insertAccount(db, {
    name: input.name,
    email: input.email ?? null,
    plan,
    status,
    billing: input.billing ?? null,
    trialStartedAt: status === 'trialing' ? trialStart(now, input.periodStart) : null,
    trialEndsAt: input.trialEndsAt ?? null,
    periodAnchor: input.periodStart ?? now,
    limits: {},
    createdAt: now,
  })
}

/** Throws when a trial has no paid plan. */
export function requirePaidPlanForTrial(plan: PlanSlug, status: string): void {
  if (plan === 'free' && status === 'trialing')
    throw new Refusal('invalid_request', 'A trial needs a paid plan: pro, business or enterprise.', { param: 'plan' })
}

/** The start of a trial granted now: the given period start, unless it is in the future. */
export function trialStart(now: Date, periodStart: Date | undefined): Date {
  return periodStart && periodStart < now ? periodStart : now
}
