import { formatDay } from '#lib/format.ts'
import type { BadgeTone } from '#ui/data/badge.tsx'
import type { Billing, PlanOffer } from './api.ts'
import type { BillingInterval } from './search.ts'

export function formatPrice({
  amount,
  currency,
  interval,
  interval_count: count,
}: NonNullable<PlanOffer['price']>): string {
  const text = formatAmount(amount, currency)
  return count === 1 ? `${text} a ${interval}` : `${text} every ${count} ${interval}s`
}

function formatAmount(amount: number, currency: string): string {
  const format = new Intl.NumberFormat(undefined, {
    style: 'currency',
    currency,
    trailingZeroDisplay: 'stripIfInteger',
  })
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2))
}

/** How much less a year costs than twelve months, in whole percent; 0 where that is not known. */
export function annualSaving(offers: readonly PlanOffer[]): number {
  const priceOf = (wanted: BillingInterval) => offers.find(({ billing }) => billing === wanted)?.price
  const [month, year] = [priceOf('monthly'), priceOf('annual')]
  if (!month || !year || month.currency !== year.currency || month.amount === 0) return 0
  if (month.interval !== 'month' || year.interval !== 'year' || month.interval_count + year.interval_count !== 2)
    return 0
  return Math.max(0, Math.round(100 - (100 * year.amount) / (12 * month.amount)))
}

const statuses: Record<string, [label: string, tone: BadgeTone]> = {
  active: ['Active', 'success'],
  trialing: ['Trial', 'accent'],
  past_due: ['Payment failed', 'danger'],
  unpaid: ['Unpaid', 'danger'],
  incomplete: ['First payment open', 'warning'],
  incomplete_expired: ['Never paid', 'warning'],
  canceled: ['Ended', 'warning'],
  paused: ['Paused', 'warning'],
}

/** Null for a plan that needs no payment. */
export function statusLabel(status: string): [label: string, tone: BadgeTone] | null {
  return status === 'none' ? null : (statuses[status] ?? [status, 'neutral'])
}

/** Why searches and reveals are closed. */
export function closedReason({ plan, former, closed }: Billing, formerName: string | undefined): string {
  if (closed) return closed
  switch (plan.status) {
    case 'past_due':
    case 'unpaid':
      return 'The last payment did not go through.'
    case 'incomplete':
      return 'The first payment is not complete.'
    case 'paused':
      return 'The subscription is paused.'
    default:
      return former ? `The plan ${formerName ?? former.plan} has ended.` : 'This account has no paid plan.'
  }
}

/** The next automatic change, in one sentence. */
export function nextSentence(billing: Billing): string | null {
  const { next, plan, granted, closed, has_payment_method: canCharge } = billing
  const day = next.at ? formatDay(next.at) : null
  switch (next.kind) {
    case 'past_due':
      return 'Access opens again as soon as the open invoice is paid.'
    case 'ends':
      return `The plan ends${day ? ` on ${day}` : ' with the paid period'}. Until then everything works; it is not charged again.`
    case 'renews':
      return `The subscription renews${day ? ` on ${day}` : ' with the next period'}.`
    case 'trial_ends':
      return trialSentence(day, granted, canCharge, plan.name)
    case 'none':
      return closed === null && granted && plan.status === 'active'
        ? 'The plan was granted by the operator of this service. It is not charged.'
        : null
  }
}

function trialSentence(day: string | null, isGranted: boolean, canCharge: boolean, planName: string): string {
  const until = day ? `The trial runs until ${day}.` : 'The trial has no end date.'
  if (isGranted) return `${until} The operator of this service granted it and decides what follows.`
  return canCharge
    ? `${until} Then the paid plan ${planName} starts, and the payment method on file is charged.`
    : `${until} Then the plan ends, because there is no payment method on file. Nothing is charged.`
}

/** "Mara Owner or Jonas Berg". */
export function ownersText(owners: Billing['owners']): string {
  const names = owners.slice(0, 3).map(({ name }) => name)
  return names.length === 0
    ? 'an owner of the account'
    : new Intl.ListFormat('en', { type: 'disjunction' }).format(names)
}
