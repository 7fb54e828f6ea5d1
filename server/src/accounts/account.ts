import type { Pool } from '../db/pool.ts'
import { OperatorError } from '../kernel/errors.ts'
import type { IdSealer } from '../kernel/ids.ts'
import { monthlyPeriodAt, type Period } from '../kernel/time.ts'
import type { LimitOverrides, Limits, PlanFile, PlanSlug } from './plans.ts'

/** Subscription states this service knows; an unknown word from the payment provider is kept and closes access. */
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

/** The part of an account's row that decides what it may do. The database derives the three in the middle. */
export interface AccountTerms {
  plan: PlanSlug
  status: string
  planInForce: PlanSlug
  trialing: boolean
  accessOpen: boolean
  /** Null unless a trial runs. */
  trialStartedAt: Date | null
  trialEndsAt: Date | null
  periodAnchor: Date
  /** Overrides of the plan file for this account. */
  limits: LimitOverrides
  createdAt: Date
  /** The payment provider's subscription that plan and status come from; null for a plan granted by hand. */
  subscriptionId: string | null
  /** Whether the payment provider can charge at once. */
  hasPaymentMethod: boolean
}

/** Who pays. */
export interface Account extends AccountTerms {
  id: number
  name: string
  email: string | null
  billing: 'monthly' | 'annual' | null
  /** The payment provider's customer; null until the first link. */
  customerId: string | null
  cancelAtPeriodEnd: boolean
  /** End of the period that is paid for; null while no subscription was read. */
  currentPeriodEnd: Date | null
  billingProblem: BillingProblem | null
}

/** What at the payment provider contradicts itself, so that a person has to look. */
export type BillingProblem = 'several_subscriptions' | 'unknown_price'

/** What the operator's verbs work with. */
export interface AccountsContext {
  db: Pool
  ids: IdSealer
  now: Date
}

/** What an account may do at a moment. Replies, headers and decisions all read it from here. */
export interface Entitlement {
  /** The plan in force: `free` once a subscription has ended. */
  plan: PlanSlug
  planName: string
  status: string
  accessOpen: boolean
  trial: { active: boolean; endsAt: Date | null }
  /** The figures in force, trial and overrides included. */
  limits: Limits
  /** The plan's own contact credits, whatever the trial allows. */
  paidPlanCredits: number
  /** Whether the payment provider can charge at once. */
  hasPaymentMethod: boolean
  /** The month that exports and rows are counted in. */
  period: Period
  /** What contact credits are counted in: the same month, or during a trial all of its months. */
  creditsPeriod: Period
}

/** Words of a subscription that is over for good. */
export const endedStatuses: ReadonlySet<string> = new Set(['canceled', 'incomplete_expired'])

/** Whether a subscription got going and is not over; one that waits for its first payment has not. */
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
  const period = upTo(periodEndsAt, monthlyPeriodAt(anchor, now))
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
      ? upTo(periodEndsAt, trialPeriod(anchor, { startedAt: terms.trialStartedAt, endsAt: terms.trialEndsAt }, now))
      : period,
  }
}

/** The months that a trial touches, whole: its cap neither renews with a month nor begins anew on its last day. */
function trialPeriod(anchor: Date, trial: { startedAt: Date; endsAt: Date | null }, now: Date): Period {
  // A trial runs until its status changes, so it may outlive the end it was given. One that was granted while a clock ran
  // ahead began in the future; its months stay those that its credits are counted in.
  const lastInstantMs = Math.max(now.getTime(), trial.startedAt.getTime(), (trial.endsAt?.getTime() ?? 0) - 1)
  return {
    start: monthlyPeriodAt(anchor, trial.startedAt).start,
    end: monthlyPeriodAt(anchor, new Date(lastInstantMs)).end,
  }
}

/** When a subscription's trial is over, a new period begins; a trial granted by hand ends within its month. */
function endOfProviderTrial({ trialing, subscriptionId, trialEndsAt }: AccountTerms, now: Date): Date | null {
  const isAhead = trialEndsAt !== null && trialEndsAt.getTime() > now.getTime()
  return trialing && subscriptionId !== null && isAhead ? trialEndsAt : null
}

function upTo(moment: Date | null, period: Period): Period {
  return moment && moment.getTime() < period.end.getTime() ? { start: period.start, end: moment } : period
}

// An override of the paid plan's credits does not widen the trial; that has an override of its own.
function trialCap(plans: PlanFile, plan: PlanSlug): number {
  return plans.trial.contact_credits ?? plans.plans[plan].limits.contact_credits
}

/**
 * Whether the way back leads over the provider's portal (a subscription to recover) or a new subscription. A plan that
 * was granted by hand has none there.
 */
export function canRecoverSubscription(terms: Pick<AccountTerms, 'status' | 'subscriptionId'>): boolean {
  return terms.subscriptionId !== null && recoverableStatuses.has(terms.status)
}

/** A trial leads to a paid plan, so there is none without. */
export function requirePaidPlanForTrial(plan: PlanSlug, status: string): void {
  if (plan === 'free' && status === 'trialing')
    throw new OperatorError('A trial needs a paid plan: give --plan pro, business or enterprise as well.')
}

/** When a trial that is granted now begins: with the period that is given for it, unless that is still to come. */
export function trialStart(now: Date, periodStart: Date | undefined): Date {
  return periodStart && periodStart < now ? periodStart : now
}
