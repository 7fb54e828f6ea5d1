import type { ProductPrice } from '../billing/subscriptions/record.ts'
import type { PaymentMethod, Price } from '../state/records.ts'
import type { InvoiceStatus, Subscription } from '../state/subscription-records.ts'
import { type Html, html } from './html.ts'

/** "$49.00", from the currency's smallest unit. */
export function formatMoney(amount: number, currency: string): string {
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency: currency.toUpperCase() })
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2))
}

/** "$49.00 a month". */
export function formatPrice(price: Price, quantity = 1): string {
  const amount = formatMoney(price.unit_amount * quantity, price.currency)
  if (!price.recurring) return `${amount} once`
  const { interval, interval_count: count } = price.recurring
  return count === 1 ? `${amount} a ${interval}` : `${amount} every ${count} ${interval}s`
}

/** "every month", or "every 3 months". */
export function formatRhythm({ recurring }: Price): string | null {
  if (!recurring) return null
  const { interval, interval_count: count } = recurring
  return count === 1 ? `every ${interval}` : `every ${count} ${interval}s`
}

/** "monthly", "annual", or "every 3 months". */
function intervalLabel(price: Price): string {
  if (!price.recurring) return 'once'
  const { interval, interval_count: count } = price.recurring
  if (count !== 1) return `every ${count} ${interval}s`
  return { day: 'daily', week: 'weekly', month: 'monthly', year: 'annual' }[interval]
}

/** "Pro, monthly". */
export function formatPlanName({ product, price }: ProductPrice): string {
  return `${product.name}, ${intervalLabel(price)}`
}

/** "Visa ending in 4242". */
export function formatCard({ brand, last4 }: Pick<PaymentMethod, 'brand' | 'last4'>): string {
  return `${brand.charAt(0).toUpperCase()}${brand.slice(1)} ending in ${last4}`
}

const days = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
const minutes = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })

/** "21 November 2026". */
export function formatDate(seconds: number): Html {
  return html`<time datetime="${toIso(seconds)}">${days.format(seconds * 1000)}</time>`
}

/** "21 November 2026 at 08:30 UTC". */
export function formatDateTime(seconds: number): Html {
  return html`<time datetime="${toIso(seconds)}">${minutes.format(seconds * 1000)} UTC</time>`
}

function toIso(seconds: number): string {
  return new Date(seconds * 1000).toISOString()
}

/** The subscription's status as a sentence. */
export function describeSubscriptionStatus(subscription: Subscription, paidUntil: number): Html {
  switch (subscription.status) {
    case 'trialing':
      return html`In trial until ${formatDate(subscription.trial_end ?? paidUntil)}`
    case 'active':
      return html`Active, paid until ${formatDate(paidUntil)}`
    case 'past_due':
      return html`Past due: the last payment failed`
    case 'unpaid':
      return html`Unpaid: every attempt at the last payment failed`
    case 'incomplete':
      return html`Incomplete: the first payment has not succeeded yet`
    case 'incomplete_expired':
      return html`Ended: the first payment never succeeded`
    case 'paused':
      return html`Paused: its trial ended without a card`
    case 'canceled':
      return html`Canceled${subscription.ended_at && html` on ${formatDate(subscription.ended_at)}`}`
  }
}

/** The invoice's status as text. */
export function describeInvoiceStatus(status: InvoiceStatus): string {
  return { draft: 'In preparation', open: 'To be paid', paid: 'Paid', uncollectible: 'Written off', void: 'Withdrawn' }[
    status
  ]
}
