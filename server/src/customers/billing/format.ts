import { type Html, html } from '../../foundation/http/pages/html.ts'
import type { PlanFile } from '../accounts/plans.ts'
import type { Offer, Price } from './provider.ts'

/** "$49.00 a month". */
export function formatPrice({ amount, currency, interval, intervalCount }: Price): string {
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency })
  const amountText = format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2))
  return intervalCount === 1 ? `${amountText} a ${interval}` : `${amountText} every ${intervalCount} ${interval}s`
}

const days = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })

/** "24 March 2026": the one style of dates on pages about billing, those of the stand-in included. */
export function formatDate(date: Date): Html {
  return html`<time datetime="${date.toISOString()}">${days.format(date)}</time>`
}

/** The plan and what it costs, as facts of a page. */
export function offerFacts(plans: PlanFile, { plan, billing }: Offer, price: Price | null): [string, string][] {
  return [
    ['Plan', plans.plans[plan].name],
    price ? ['Price', formatPrice(price)] : ['Billed', billing === 'annual' ? 'Annually' : 'Monthly'],
  ]
}
