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
  // Invoices first: the outcome of a payment may decide the subscription's next task.
  for (const invoice of ctx.db.all('invoices')) consider(nextInvoiceTask(invoice))
  for (const subscription of ctx.db.all('subscriptions')) consider(nextSubscriptionTask(subscription))
  for (const session of ctx.db.all('checkout_sessions'))
    if (session.status === 'open')
      consider({ at: session.expires_at, run: (ctx) => expireCheckoutSession(ctx, session) })
  return first
}

function nextInvoiceTask(invoice: Invoice): DueTask | undefined {
  if (invoice.status === 'draft' && invoice.automatically_finalizes_at !== null)
    return { at: invoice.automatically_finalizes_at, run: (ctx) => finalizeAndCharge(ctx, invoice) }
  if (invoice.status === 'open' && invoice.next_payment_attempt !== null)
    return {
      at: invoice.next_payment_attempt,
      run: (ctx) => chargeInvoice(ctx, invoice, paymentMethodForInvoice(ctx, invoice)),
    }
  return undefined
}

function nextSubscriptionTask(subscription: Subscription): DueTask | undefined {
  if (hasEnded(subscription)) return undefined
  const { status, cancel_at: cancelAt, trial_end: trialEnd, pause_collection: pause } = subscription
  const tasks: DueTask[] = []
  if (cancelAt !== null)
    tasks.push({
      at: cancelAt,
      run: (ctx) => cancelSubscription(ctx, subscription, { reason: subscription.cancellation.reason }),
    })
  if (pause?.resumes_at)
    tasks.push({
      at: pause.resumes_at,
      run: (ctx) => patchSubscription(ctx, subscription, { pause_collection: null }),
    })
  if (status === 'incomplete')
    tasks.push({
      at: subscription.created + incompleteSeconds,
      run: (ctx) => expireIncompleteSubscription(ctx, subscription),
    })
  if (status === 'trialing' && trialEnd !== null) {
    if (!subscription.trial_will_end_told)
      tasks.push({ at: trialEnd - trialNoticeSeconds, run: (ctx) => announceTrialEnd(ctx, subscription) })
    tasks.push({ at: trialEnd, run: (ctx) => endTrial(ctx, subscription, { early: false }) })
  }
  if (status === 'active' || status === 'past_due' || status === 'unpaid')
    tasks.push({ at: subscription.items[0]!.current_period_end, run: (ctx) => renewSubscription(ctx, subscription) })
  // The earlier entry wins a tie: a cancellation precedes a renewal at the same time.
  return tasks.reduce<DueTask | undefined>((first, task) => (first && first.at <= task.at ? first : task), undefined)
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
