import type {
  LimitOverrides,
  Limits,
  OverridableMeter,
  PlanFile,
  PlanSlug,
} from '../../../../../src/customers/accounts/plans.ts'

/** What the operator granted an account. Times are epoch milliseconds. */
export interface Grant {
  plan: PlanSlug
  status: 'none' | 'active' | 'trialing' | 'past_due'
  trialStartedAt: number | null
  trialEndsAt: number | null
  /** Monthly periods of a paid plan are counted from here. */
  anchor: number
  createdAt: number
  limits: LimitOverrides
}

export interface GrantChanges {
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

/** What an account may do, as of the admission of a request. */
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

export function entitlementOf(grant: Grant, plans: PlanFile, now: number): Entitlement {
  const { name, limits } = plans.plans[grant.plan]
  const { trial_contact_credits: trialCap, ...overrides } = grant.limits
  const isTrial = grant.status === 'trialing'
  const ownLimits = { ...limits, ...overrides }
  const cap = trialCap ?? plans.trial.contact_credits ?? limits.contact_credits
  const anchor = grant.plan === 'free' ? grant.createdAt : grant.anchor
  const period = monthHolding(anchor, now)
  const lastOfTrial = Math.max(now, (grant.trialEndsAt ?? 0) - 1)
  return {
    plan: grant.plan,
    planName: name,
    status: grant.status,
    isOpen: grant.plan !== 'free' && (grant.status === 'active' || isTrial),
    isTrial,
    trialEndsAt: grant.trialEndsAt,
    limits: isTrial ? { ...limits, ...plans.trial, ...overrides, contact_credits: cap } : ownLimits,
    paidCredits: ownLimits.contact_credits,
    period,
    creditsPeriod: isTrial
      ? { start: monthHolding(anchor, grant.trialStartedAt!).start, end: monthHolding(anchor, lastOfTrial).end }
      : period,
  }
}

/** The grant after a change by the operator; null if refused, because a trial needs a paid plan. */
export function changeGrant(grant: Grant, changes: GrantChanges, now: number): Grant | null {
  const plan = changes.plan ?? grant.plan
  const isAnotherPlan = plan !== grant.plan
  const status = changes.status ?? impliedStatus(grant, changes, isAnotherPlan)
  const isTrial = status === 'trialing'
  const goesOn = isTrial && grant.status === 'trialing'
  if (isTrial && plan === 'free') return null
  return {
    ...grant,
    plan,
    status,
    trialStartedAt: isTrial ? (goesOn ? grant.trialStartedAt : now) : null,
    trialEndsAt:
      changes.trialEndsAt !== undefined ? changes.trialEndsAt : isAnotherPlan && !isTrial ? null : grant.trialEndsAt,
    anchor: isAnotherPlan && !goesOn ? now : grant.anchor,
    limits: { ...grant.limits, ...changes.limits },
  }
}

function impliedStatus(grant: Grant, { plan, trialEndsAt }: GrantChanges, isAnotherPlan: boolean): Grant['status'] {
  if (trialEndsAt) return 'trialing'
  if (isAnotherPlan && plan === 'free') return 'none'
  if (isAnotherPlan && grant.plan === 'free') return 'active'
  if (trialEndsAt === null && grant.status === 'trialing') return 'active'
  return grant.status
}

/** Tries the months of an anchor until one contains the time. */
function monthHolding(anchor: number, moment: number): Period {
  const apart = Math.round((moment - anchor) / 2_629_800_000)
  for (let month = apart - 2; month <= apart + 2; month++) {
    const [start, end] = [monthsAfter(anchor, month), monthsAfter(anchor, month + 1)]
    if (start <= moment && moment < end) return { start, end }
  }
  throw new Error(`no month from ${anchor} holds ${moment}`)
}

/** The same day and time some months later, or the last day of a shorter month. */
function monthsAfter(anchor: number, months: number): number {
  const date = new Date(anchor)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + months]
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  const timeOfDay = anchor % 86_400_000
  return Date.UTC(year, month, Math.min(date.getUTCDate(), lastDay)) + timeOfDay
}
