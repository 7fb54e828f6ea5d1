import type { LimitOverrides, Limits, OverridableMeter, PlanFile, PlanSlug } from '../../../src/accounts/plans.ts'

/** What an account was granted, and what it may therefore do at a moment. Moments are epoch milliseconds. */
export interface Terms {
  plan: PlanSlug
  status: 'none' | 'active' | 'trialing' | 'past_due'
  trialStartedAt: number | null
  trialEndsAt: number | null
  /** Where the months of a paid plan are counted from. */
  anchor: number
  createdAt: number
  limits: LimitOverrides
}

export interface TermsChanges {
  plan?: PlanSlug
  status?: 'active' | 'past_due'
  /** Null ends the trial. */
  trialEndsAt?: number | null
  limits?: Partial<Record<OverridableMeter, number>>
}

interface Period {
  start: number
  end: number
}

/** What a request is decided by, as it stood when the request was let in. */
export interface Entitlement {
  plan: PlanSlug
  planName: string
  status: string
  isOpen: boolean
  isTrial: boolean
  trialEndsAt: number | null
  limits: Limits
  paidCredits: number
  period: Period
  creditsPeriod: Period
}

export function entitlementOf(terms: Terms, plans: PlanFile, now: number): Entitlement {
  const { name, limits } = plans.plans[terms.plan]
  const { trial_contact_credits: trialCap, ...overrides } = terms.limits
  const isTrial = terms.status === 'trialing'
  const ownLimits = { ...limits, ...overrides }
  const cap = trialCap ?? plans.trial.contact_credits ?? limits.contact_credits
  const anchor = terms.plan === 'free' ? terms.createdAt : terms.anchor
  const period = monthHolding(anchor, now)
  const lastOfTrial = Math.max(now, (terms.trialEndsAt ?? 0) - 1)
  return {
    plan: terms.plan,
    planName: name,
    status: terms.status,
    isOpen: terms.plan !== 'free' && (terms.status === 'active' || isTrial),
    isTrial,
    trialEndsAt: terms.trialEndsAt,
    limits: isTrial ? { ...limits, ...plans.trial, ...overrides, contact_credits: cap } : ownLimits,
    paidCredits: ownLimits.contact_credits,
    period,
    creditsPeriod: isTrial
      ? { start: monthHolding(anchor, terms.trialStartedAt!).start, end: monthHolding(anchor, lastOfTrial).end }
      : period,
  }
}

/** The terms after the operator's change; null where it is refused, since a trial leads to a paid plan. */
export function changeTerms(terms: Terms, changes: TermsChanges, now: number): Terms | null {
  const plan = changes.plan ?? terms.plan
  const isAnotherPlan = plan !== terms.plan
  const status = changes.status ?? impliedStatus(terms, changes, isAnotherPlan)
  const isTrial = status === 'trialing'
  const goesOn = isTrial && terms.status === 'trialing'
  if (isTrial && plan === 'free') return null
  return {
    ...terms,
    plan,
    status,
    trialStartedAt: isTrial ? (goesOn ? terms.trialStartedAt : now) : null,
    trialEndsAt:
      changes.trialEndsAt !== undefined ? changes.trialEndsAt : isAnotherPlan && !isTrial ? null : terms.trialEndsAt,
    anchor: isAnotherPlan && !goesOn ? now : terms.anchor,
    limits: { ...terms.limits, ...changes.limits },
  }
}

function impliedStatus(terms: Terms, { plan, trialEndsAt }: TermsChanges, isAnotherPlan: boolean): Terms['status'] {
  if (trialEndsAt) return 'trialing'
  if (isAnotherPlan && plan === 'free') return 'none'
  if (isAnotherPlan && terms.plan === 'free') return 'active'
  if (trialEndsAt === null && terms.status === 'trialing') return 'active'
  return terms.status
}

/** The months of an anchor one by one, until one holds the moment. */
function monthHolding(anchor: number, moment: number): Period {
  const apart = Math.round((moment - anchor) / 2_629_800_000)
  for (let month = apart - 2; month <= apart + 2; month++) {
    const [start, end] = [monthsAfter(anchor, month), monthsAfter(anchor, month + 1)]
    if (start <= moment && moment < end) return { start, end }
  }
  throw new Error(`no month from ${anchor} holds ${moment}`)
}

/** The same day and time so many months later, or the last day of a month that is too short for it. */
function monthsAfter(anchor: number, months: number): number {
  const date = new Date(anchor)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + months]
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  const timeOfDay = anchor % 86_400_000
  return Date.UTC(year, month, Math.min(date.getUTCDate(), lastDay)) + timeOfDay
}
