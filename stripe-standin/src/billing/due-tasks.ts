import type { Desk } from '../state/database.ts'
import type { Invoice, Subscription } from '../state/subscription-records.ts'
import { expireSession } from './checkout.ts'
import { chargeInvoice, finalizeAndCharge, methodFor } from './invoices/payments.ts'
import { cancelSubscription, expireIncomplete } from './subscriptions/cancel.ts'
import { renewSubscription } from './subscriptions/periods.ts'
import { changeSubscription, hasEnded } from './subscriptions/record.ts'
import { announceTrialEnd, endTrial, trialNoticeSeconds } from './subscriptions/trial.ts'

/** How long a first payment may take. */
const incompleteSeconds = 23 * 3_600
const keepEventsSeconds = 30 * 86_400
const keepRepliesSeconds = 86_400

interface Due {
  readonly at: number
  run(desk: Desk): unknown
}

/** Does everything that has fallen due by now, in order and each at its own time, as if the stand-in had never slept. */
export function runDue(desk: Desk): void {
  for (;;) {
    const next = earliest(desk)
    if (!next || next.at > desk.now) break
    next.run({ ...desk, now: next.at })
  }
  forgetOld(desk)
}

function earliest(desk: Desk): Due | undefined {
  let first: Due | undefined
  const consider = (due: Due | undefined) => {
    if (due && (!first || due.at < first.at)) first = due
  }
  // An invoice goes before the subscription's next step: its outcome may decide it.
  for (const invoice of desk.book.all('invoices')) consider(dueOfInvoice(invoice))
  for (const subscription of desk.book.all('subscriptions')) consider(dueOfSubscription(subscription))
  for (const session of desk.book.all('checkout_sessions'))
    if (session.status === 'open') consider({ at: session.expires_at, run: (then) => expireSession(then, session) })
  return first
}

function dueOfInvoice(invoice: Invoice): Due | undefined {
  if (invoice.status === 'draft' && invoice.automatically_finalizes_at !== null)
    return { at: invoice.automatically_finalizes_at, run: (then) => finalizeAndCharge(then, invoice) }
  if (invoice.status === 'open' && invoice.next_payment_attempt !== null)
    return {
      at: invoice.next_payment_attempt,
      run: (then) => chargeInvoice(then, invoice, methodFor(then, invoice)),
    }
  return undefined
}

function dueOfSubscription(subscription: Subscription): Due | undefined {
  if (hasEnded(subscription)) return undefined
  const { status, cancel_at: cancelAt, trial_end: trialEnd, pause_collection: pause } = subscription
  const steps: Due[] = []
  if (cancelAt !== null)
    steps.push({
      at: cancelAt,
      run: (then) => cancelSubscription(then, subscription, { reason: subscription.cancellation.reason }),
    })
  if (pause?.resumes_at)
    steps.push({
      at: pause.resumes_at,
      run: (then) => changeSubscription(then, subscription, { pause_collection: null }),
    })
  if (status === 'incomplete')
    steps.push({ at: subscription.created + incompleteSeconds, run: (then) => expireIncomplete(then, subscription) })
  if (status === 'trialing' && trialEnd !== null) {
    if (!subscription.trial_will_end_told)
      steps.push({ at: trialEnd - trialNoticeSeconds, run: (then) => announceTrialEnd(then, subscription) })
    steps.push({ at: trialEnd, run: (then) => endTrial(then, subscription, { early: false }) })
  }
  if (status === 'active' || status === 'past_due' || status === 'unpaid')
    steps.push({ at: subscription.items[0]!.current_period_end, run: (then) => renewSubscription(then, subscription) })
  // The first of equals: a cancellation goes before a renewal of the same moment.
  return steps.reduce<Due | undefined>((first, step) => (first && first.at <= step.at ? first : step), undefined)
}

function forgetOld(desk: Desk): void {
  const undelivered = new Set(desk.book.all('deliveries').map(({ event }) => event))
  for (const event of desk.book.all('events')) {
    if (event.created >= desk.now - keepEventsSeconds) break
    if (!undelivered.has(event.id)) desk.book.remove('events', event.id)
  }
  // In the order in which they were kept, which a clock that was set back makes another one than that of their moments.
  for (const reply of desk.book.all('kept_replies')) {
    if (Math.abs(desk.now - reply.created) <= keepRepliesSeconds) break
    desk.book.remove('kept_replies', reply.id)
  }
}
