import type { Pool } from '../../foundation/db/pool.ts'
import type { IdSealer } from '../../foundation/kernel/ids.ts'
import { monthlyPeriodAt, type Period } from '../../foundation/kernel/time.ts'
import type { LimitOverrides, Limits, PlanFile, PlanSlug } from './plans.ts'

/** The known subscription states; an unknown one from the payment provider is stored and closes access. */
export const knownStatuses = [
  'none',
  'trialing',
  'active',
  'past_due',
  'unpaid',
  'canceled',
  'incomplete',
  'incomplete_expired',
  'paused',
] as const
export type KnownStatus = (typeof knownStatuses)[number]

/** What an account is besides the state of its subscription. */
export const accountStates = ['suspended', 'closed'] as const
export type AccountState = (typeof accountStates)[number]

/**
 * The part of an account's row that decides its rights. The database derives `planInForce`, `trialing` and
 * `accessOpen`.
 */
export interface AccountTerms {
  plan: PlanSlug
  status: string
  planInForce: PlanSlug
  trialing: boolean
  accessOpen: boolean
  /** Null when there is no trial. */
  trialStartedAt: Date | null
  trialEndsAt: Date | null
  periodAnchor: Date
  /** Limits that override the plan file for this account. */
  limits: LimitOverrides
  createdAt: Date
  /** The payment provider's subscription, the source of plan and status; null for a plan granted by hand. */
  subscriptionId: string | null
  /** Whether the payment provider can charge at once. */
  hasPaymentMethod: boolean
  /** When an operator suspended the account; null while it is not suspended. */
  suspendedAt: Date | null
  /** When an owner closed the account; permanent. */
  closedAt: Date | null
}

/** A customer. */
export interface Account extends AccountTerms {
  id: number
  name: string
  email: string | null
  billing: 'monthly' | 'annual' | null
  /** The payment provider's customer; null until the first link. */
  customerId: string | null
  cancelAtPeriodEnd: boolean
  /** End of the paid period; null before a subscription was read. */
  currentPeriodEnd: Date | null
  billingConflict: BillingConflict | null
}

/** An inconsistency at the payment provider that a user must resolve. */
export type BillingConflict = 'several_subscriptions' | 'unknown_price'

/** The context of the operator's commands. */
export interface AccountsContext {
  db: Pool
  ids: IdSealer
  now: Date
}

/** What an account may do at a given time. The source for replies, headers and decisions. */
export interface Entitlement {
  /** The plan in force: `free` once a subscription has ended. */
  plan: PlanSlug
  planName: string
  status: string
  accessOpen: boolean
  trial: { active: boolean; endsAt: Date | null }
  /** The limits in force, including trial and overrides. */
  limits: Limits
  /** The plan's contact credits without the trial limit. */
  paidPlanCredits: number
  /** Whether the payment provider can charge at once. */
  hasPaymentMethod: boolean
  /** The period of exports and rows. */
  period: Period
  /** The period of contact credits: the same month, or all months of a running trial. */
  creditsPeriod: Period
}

/** States of a subscription that has ended permanently. */
export const endedStatuses: ReadonlySet<string> = new Set(['canceled', 'incomplete_expired'])

/** Whether a subscription has started and not ended; one that waits for its first payment has not started. */
export function isSubscriptionRunning({ status }: { status: string }): boolean {
  return status !== 'incomplete' && !endedStatuses.has(status)
}

const recoverableStatuses = new Set(['past_due', 'unpaid', 'incomplete', 'paused'])

export function entitlementAt(terms: AccountTerms, plans: PlanFile, now: Date): Entitlement {
  const plan = terms.planInForce
  const { trial_contact_credits: trialCredits, ...overrides } = terms.limits
  const planLimits = { ...plans.plans[plan].limits, ...overrides }
  const anchor = plan === 'free' ? terms.createdAt : terms.periodAnchor
  const periodEndsAt = endOfProviderTrial(terms, now)
  const period = endingBy(periodEndsAt, monthlyPeriodAt(anchor, now))
  return {
    plan,
    planName: plans.plans[plan].name,
    status: terms.status,
    accessOpen: terms.accessOpen,
    trial: { active: terms.trialing, endsAt: terms.trialEndsAt },
    limits: terms.trialing
      ? {
          ...plans.plans[plan].limits,
          ...plans.trial,
          ...overrides,
          contact_credits: trialCredits ?? trialCap(plans, plan),
        }
      : planLimits,
    paidPlanCredits: planLimits.contact_credits,
    hasPaymentMethod: terms.hasPaymentMethod,
    period,
    creditsPeriod: terms.trialStartedAt
      ? endingBy(periodEndsAt, trialPeriod(anchor, { startedAt: terms.trialStartedAt, endsAt: terms.trialEndsAt }, now))
      : period,
  }
}

/** All months that a trial overlaps, completely: its credits are neither renewed each month nor on its last day. */
function trialPeriod(anchor: Date, trial: { startedAt: Date; endsAt: Date | null }, now: Date): Period {
  // A trial runs until its status changes, so it may outlive its end date. A trial granted with a wrong clock may start
  // in the future; its months stay those in which its credits are counted.
  const lastInstantMs = Math.max(now.getTime(), trial.startedAt.getTime(), (trial.endsAt?.getTime() ?? 0) - 1)
  return {
    start: monthlyPeriodAt(anchor, trial.startedAt).start,
    end: monthlyPeriodAt(anchor, new Date(lastInstantMs)).end,
  }
}

/**
 * The end of a subscription's trial, which starts a new period; null for a trial granted by hand, which ends within its
 * month.
 */
function endOfProviderTrial({ trialing, subscriptionId, trialEndsAt }: AccountTerms, now: Date): Date | null {
  const isAhead = trialEndsAt !== null && trialEndsAt.getTime() > now.getTime()
  return trialing && subscriptionId !== null && isAhead ? trialEndsAt : null
}

function endingBy(moment: Date | null, period: Period): Period {
  return moment && moment.getTime() < period.end.getTime() ? { start: period.start, end: moment } : period
}

// An override of the paid plan's credits does not raise the trial's limit, which has its own override.
function trialCap(plans: PlanFile, plan: PlanSlug): number {
  return plans.trial.contact_credits ?? plans.plans[plan].limits.contact_credits
}

/**
 * Whether access is restored in the provider's portal (a subscription to recover) rather than by a new subscription. A
 * plan granted by hand has no subscription there.
 */
export function canRecoverSubscription(terms: Pick<AccountTerms, 'status' | 'subscriptionId'>): boolean {
  return terms.subscriptionId !== null && recoverableStatuses.has(terms.status)
}

/** Why an account has no access whatever its plan, as a sentence; null when the plan alone decides. */
export function closedReason({ suspendedAt, closedAt }: Pick<AccountTerms, 'suspendedAt' | 'closedAt'>): string | null {
  if (closedAt) return 'This account is closed.'
  return suspendedAt ? 'This account is suspended; contact its operator.' : null
}
