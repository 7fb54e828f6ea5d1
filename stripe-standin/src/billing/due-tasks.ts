import type { RequestContext } from '../state/database.ts'
import type { Invoice, Subscription } from '../state/subscription-records.ts'
import { expireCheckoutSession } from './checkout.ts'
import { chargeInvoice, finalizeAndCharge, paymentMethodForInvoice } from './invoices/payments.ts'
import { cancelSubscription, expireIncompleteSubscription } from './subscriptions/cancel.ts'
import { renewSubscription } from './subscriptions/periods.ts'
import { hasEnded, patchSubscription } from './subscriptions/record.ts'
import { announceTrialEnd, endTrial, trialNoticeSeconds } from './subscriptions/trial.ts'

/** How long the first payment of a subscription may take. */
const incompleteSeconds = 23 * 3_600
const eventRetentionSeconds = 30 * 86_400
const replyRetentionSeconds = 86_400

interface DueTask {
  readonly at: number
  run(ctx: RequestContext): unknown
}

/** Runs everything due by now in order, each task at its own time, as if the stand-in had never been stopped. */
export function runDueTasks(ctx: RequestContext): void {
  for (;;) {
    const next = nextDueTask(ctx)
    if (!next || next.at > ctx.now) break
    next.run({ ...ctx, now: next.at })
  }
  deleteExpiredRecords(ctx)
}

function nextDueTask(ctx: RequestContext): DueTask | undefined {
  let first: DueTask | undefined
  const consider = (due: DueTask | undefined) => {
    if (due && (!first || due.at < first.at)) first = due
  }
  // Invoices first: the outcome of a payment may decide the subscription's next step.
  for (const invoice of ctx.db.all('invoices')) consider(nextInvoiceTask(invoice))
  for (const subscription of ctx.db.all('subscriptions')) consider(nextSubscriptionTask(subscription))
  for (const session of ctx.db.all('checkout_sessions'))
    if (session.status === 'open')
      consider({ at: session.expires_at, run: (then) => expireCheckoutSession(then, session) })
  return first
}

function nextInvoiceTask(invoice: Invoice): DueTask | undefined {
  if (invoice.status === 'draft' && invoice.automatically_finalizes_at !== null)
    return { at: invoice.automatically_finalizes_at, run: (then) => finalizeAndCharge(then, invoice) }
  if (invoice.status === 'open' && invoice.next_payment_attempt !== null)
    return {
      at: invoice.next_payment_attempt,
      run: (then) => chargeInvoice(then, invoice, paymentMethodForInvoice(then, invoice)),
    }
  return undefined
}

function nextSubscriptionTask(subscription: Subscription): DueTask | undefined {
  if (hasEnded(subscription)) return undefined
  const { status, cancel_at: cancelAt, trial_end: trialEnd, pause_collection: pause } = subscription
  const steps: DueTask[] = []
  if (cancelAt !== null)
    steps.push({
      at: cancelAt,
      run: (then) => cancelSubscription(then, subscription, { reason: subscription.cancellation.reason }),
    })
  if (pause?.resumes_at)
    steps.push({
      at: pause.resumes_at,
      run: (then) => patchSubscription(then, subscription, { pause_collection: null }),
    })
  if (status === 'incomplete')
    steps.push({
      at: subscription.created + incompleteSeconds,
      run: (then) => expireIncompleteSubscription(then, subscription),
    })
  if (status === 'trialing' && trialEnd !== null) {
    if (!subscription.trial_will_end_told)
      steps.push({ at: trialEnd - trialNoticeSeconds, run: (then) => announceTrialEnd(then, subscription) })
    steps.push({ at: trialEnd, run: (then) => endTrial(then, subscription, { early: false }) })
  }
  if (status === 'active' || status === 'past_due' || status === 'unpaid')
    steps.push({ at: subscription.items[0]!.current_period_end, run: (then) => renewSubscription(then, subscription) })
  // The earlier entry wins a tie: a cancellation precedes a renewal at the same time.
  return steps.reduce<DueTask | undefined>((first, step) => (first && first.at <= step.at ? first : step), undefined)
}

function deleteExpiredRecords(ctx: RequestContext): void {
  const undelivered = new Set(ctx.db.all('deliveries').map(({ event }) => event))
  for (const event of ctx.db.all('events')) {
    if (event.created >= ctx.now - eventRetentionSeconds) break
    if (!undelivered.has(event.id)) ctx.db.remove('events', event.id)
  }
  // Replies are in insertion order, which differs from time order if the clock was set back.
  for (const reply of ctx.db.all('kept_replies')) {
    if (Math.abs(ctx.now - reply.created) <= replyRetentionSeconds) break
    ctx.db.remove('kept_replies', reply.id)
  }
}
