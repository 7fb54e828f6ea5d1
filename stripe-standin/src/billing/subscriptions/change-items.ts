import { cardDeclined } from '../../http/errors.ts'
import type { Desk } from '../../state/database.ts'
import type { ProrationBehavior } from '../../state/session-records.ts'
import type { Subscription, SubscriptionItem } from '../../state/subscription-records.ts'
import { draftSubscriptionInvoice, finalizeInvoice } from '../invoices/invoicing.ts'
import { type NewLine, pendingItems, periodLine, restLine, waitForNextInvoice } from '../invoices/lines.ts'
import { canPay, finalizeAndCharge } from '../invoices/payments.ts'
import { startPeriod } from './periods.ts'
import { changeSubscription, current, methodOf } from './record.ts'
import type { PaymentBehavior } from './start.ts'

export interface Change {
  /** The items as they are to be; those that stay keep their ids. */
  readonly items: readonly SubscriptionItem[]
  readonly proration: ProrationBehavior
  readonly anchor: 'now' | 'unchanged'
  /** From when on unused time is given back; usually now. */
  readonly from: number
}

export interface ChangeOutcome {
  readonly facts: Partial<Subscription>
  /** What the change gives back and charges. */
  readonly lines: readonly NewLine[]
  /** Whether those lines are billed now rather than with the next renewal. */
  readonly billedNow: boolean
}

/** What a change of items would do, without doing it. Within a trial it costs nothing. */
export function planChange(desk: Desk, subscription: Subscription, change: Change): ChangeOutcome {
  const old = subscription.items
  if (subscription.status === 'trialing') return { facts: { items: change.items }, lines: [], billedNow: false }
  const prorates = change.proration !== 'none'
  const newRhythm = rhythmOf(desk, change.items) !== rhythmOf(desk, old)
  if (newRhythm || change.anchor === 'now') {
    const credits = prorates ? old.map((item) => restLine(desk, subscription, item, change.from, 'credit')) : []
    const facts = startPeriod(desk, { ...subscription, items: change.items, billing_cycle_anchor: desk.now })
    const charges = facts.items.map((item) => periodLine(desk, subscription.id, item, { free: false }))
    return { facts, lines: [...credits, ...charges], billedNow: true }
  }
  if (!prorates) return { facts: { items: change.items }, lines: [], billedNow: false }
  const left = old.filter((item) => !change.items.some((other) => isSame(item, other)))
  const joined = change.items.filter((item) => !old.some((other) => isSame(item, other)))
  return {
    facts: { items: change.items },
    lines: [
      ...left.map((item) => restLine(desk, subscription, item, change.from, 'credit')),
      ...joined.map((item) => restLine(desk, subscription, item, change.from, 'charge')),
    ],
    billedNow: change.proration === 'always_invoice',
  }
}

/** What `lines` ask the customer for now: with what waits already, less the customer's credit. */
export function dueForLines(desk: Desk, subscription: Subscription, lines: readonly NewLine[]): number {
  const waiting = pendingItems(desk, subscription.customer, subscription.currency)
  const total = [...waiting, ...lines].reduce((sum, { amount }) => sum + amount, 0)
  return Math.max(0, total + desk.book.must('customers', subscription.customer).balance)
}

/** Changes the items, and `facts` along with them, and bills what the change costs now or with the next renewal. */
export function applyChange(
  desk: Desk,
  subscription: Subscription,
  change: Change,
  { behavior, facts = {} }: { behavior: PaymentBehavior; facts?: Partial<Subscription> },
): Subscription {
  const outcome = planChange(desk, subscription, change)
  const after = { ...subscription, ...facts }
  const due = outcome.billedNow ? dueForLines(desk, after, outcome.lines) : 0
  const refused = due > 0 && behavior === 'error_if_incomplete' && !canPay(methodOf(desk, after))
  if (refused) throw cardDeclined()
  if (!outcome.billedNow || outcome.lines.length === 0) {
    for (const line of outcome.lines) waitForNextInvoice(desk, after, line)
    return changeSubscription(desk, subscription, { ...facts, ...outcome.facts })
  }
  const invoice = draftSubscriptionInvoice(desk, after, {
    reason: 'subscription_update',
    lines: outcome.lines,
    period: { start: change.from, end: desk.now },
  })
  const changed = changeSubscription(desk, subscription, { ...facts, ...outcome.facts, latest_invoice: invoice.id })
  if (behavior === 'default_incomplete' && due > 0) {
    finalizeInvoice(desk, invoice)
    if (changed.status === 'active') changeSubscription(desk, changed, { status: 'past_due' })
  } else finalizeAndCharge(desk, invoice)
  return current(desk, changed)
}

function isSame(one: SubscriptionItem, other: SubscriptionItem): boolean {
  return one.id === other.id && one.price === other.price && one.quantity === other.quantity
}

function rhythmOf(desk: Desk, items: readonly SubscriptionItem[]): string {
  const { interval, interval_count } = desk.book.must('prices', items[0]!.price).recurring!
  return `${interval_count} ${interval}`
}
