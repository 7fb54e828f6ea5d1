import type { ProviderEvent } from '../provider.ts'
import { type EventOutcome, markEventHandled, recordEvent, selectAccountOfCustomer } from '../queries.ts'
import { type SyncContext, syncAccount } from './sync-account.ts'

/** Events after which an account may stand otherwise at the payment provider; `billing setup` asks for these. */
export const handledTypes = [
  'checkout.session.async_payment_succeeded',
  'checkout.session.completed',
  'customer.deleted',
  'customer.subscription.created',
  'customer.subscription.deleted',
  'customer.subscription.paused',
  'customer.subscription.pending_update_applied',
  'customer.subscription.pending_update_expired',
  'customer.subscription.resumed',
  'customer.subscription.trial_will_end',
  'customer.subscription.updated',
  'customer.updated',
  'invoice.marked_uncollectible',
  'invoice.paid',
  'invoice.payment_action_required',
  'invoice.payment_failed',
  'invoice.payment_succeeded',
  'payment_method.attached',
  'payment_method.detached',
  'payment_method.updated',
] as const

const handled: ReadonlySet<string> = new Set(handledTypes)

/**
 * Handles an event once, however often it comes. It only says that something changed: what, is read from the provider.
 * It counts as handled after its account was brought up to date, so a crash in between leaves it to the next delivery.
 */
export async function handleEvent(ctx: SyncContext, event: ProviderEvent): Promise<void> {
  const { isHandled } = await recordEvent(ctx.db, event, ctx.clock.now())
  if (isHandled) return
  const outcome = await applyEvent(ctx, event)
  await markEventHandled(ctx.db, event.id, outcome, ctx.clock.now())
}

async function applyEvent(ctx: SyncContext, event: ProviderEvent): Promise<EventOutcome> {
  const { type, customerId } = event
  // Its customer is not one that this service's key can read. To refuse it would only make the provider repeat it.
  if (event.isOfOtherMode) return 'other_mode'
  if (!handled.has(type)) return 'unknown_type'
  const accountId = customerId === null ? null : await selectAccountOfCustomer(ctx.db, customerId)
  if (accountId === null) return 'unknown_account'
  await syncAccount(ctx, accountId)
  return 'synced'
}
