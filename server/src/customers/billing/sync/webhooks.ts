import { createBodyParser } from '@storedex/http-front'
import type { FastifyInstance } from 'fastify'
import { Refusal } from '../../../foundation/kernel/errors.ts'
import type { ProviderEvent } from '../provider.ts'
import {
  type BillingEventOutcome,
  recordBillingEvent,
  selectAccountIdByCustomer,
  updateBillingEventOutcome,
} from '../queries.ts'
import { type SyncContext, syncAccount } from './sync-account.ts'

/** Event types that can change an account's subscription state; `billing setup` subscribes to them. */
export const handledEventTypes = [
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

const handledTypes: ReadonlySet<string> = new Set(handledEventTypes)

/**
 * Syncs the account of an event, once per event id. The event is marked as handled after the sync, so that after a crash
 * the next delivery repeats it.
 */
async function handleBillingEvent(ctx: SyncContext, event: ProviderEvent): Promise<void> {
  const { isHandled } = await recordBillingEvent(ctx.db, event, ctx.clock.now())
  if (isHandled) return
  const outcome = await applyEvent(ctx, event)
  await updateBillingEventOutcome(ctx.db, event.id, outcome, ctx.clock.now())
}

async function applyEvent(ctx: SyncContext, event: ProviderEvent): Promise<BillingEventOutcome> {
  const { type, customerId } = event
  // This service's key cannot read the customer. Acknowledge the event, or the provider would send it again.
  if (event.isOtherMode) return 'other_mode'
  if (!handledTypes.has(type)) return 'unknown_type'
  const accountId = customerId === null ? null : await selectAccountIdByCustomer(ctx.db, customerId)
  if (accountId === null) return 'unknown_account'
  await syncAccount(ctx, accountId)
  return 'synced'
}

// Stripe's largest events, of invoices with many lines, stay far below this. Replaces the API's smaller body limit.
const maxEventBytes = 1_000_000

// At least a timestamp and one signature; other headers are refused before the body is read.
const signaturePattern = /^(?=.*(^|,)t=\d{1,12}(,|$))(?=.*(^|,)v1=[\da-f]{64}(,|$)).{1,2000}$/

/**
 * `POST /webhooks/stripe` receives the provider's events. Their signature covers the raw body; after any status but 200
 * the provider sends the event again.
 */
export function registerWebhookRoutes(app: FastifyInstance, ctx: SyncContext): void {
  app.register(async (webhooks) => {
    webhooks.removeAllContentTypeParsers()
    webhooks.addContentTypeParser(
      '*',
      createBodyParser(webhooks, maxEventBytes, (body) => body),
    )
    webhooks.addHook('onRequest', async ({ headers }) => {
      const signature = headers['stripe-signature']
      if (typeof signature !== 'string' || !signaturePattern.test(signature))
        throw new Refusal('invalid_request', 'Events need a Stripe-Signature with t= and v1=.')
    })
    webhooks.post('/webhooks/stripe', { schema: { hide: true } }, async (request) => {
      const signature = request.headers['stripe-signature'] as string
      const { body } = request
      if (!(body instanceof Buffer)) throw new Refusal('invalid_request', 'Events need a body.')
      const event = await ctx.billing.parseSignedEvent({ body, signature, now: request.now })
      if (!event)
        throw new Refusal(
          'invalid_request',
          'The signature is invalid, or its timestamp is more than five minutes from now.',
        )
      await handleBillingEvent({ ...ctx, db: request.db }, event)
      return { received: true, request_id: request.id }
    })
  })
}
