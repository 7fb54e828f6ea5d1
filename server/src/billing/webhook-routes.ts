import type { FastifyInstance } from 'fastify'
import { readWhole } from '../http/bodies.ts'
import { ApiError } from '../kernel/errors.ts'
import type { SyncContext } from './sync/sync-account.ts'
import { handleEvent } from './sync/webhooks.ts'

// Stripe's largest events, of invoices with many lines, stay far below this. The API's own limit does not count here.
const maxEventBytes = 1_000_000

// A timestamp and one signature at least. What cannot be a signature is refused before its body is read.
const signatureShape = /^(?=.*(^|,)t=\d{1,12}(,|$))(?=.*(^|,)v1=[\da-f]{64}(,|$)).{1,2000}$/

/**
 * `POST /webhooks/stripe`: where the payment provider tells what happened. It proves itself by a signature over the very
 * bytes it sent; any other answer than 200 makes it try again later.
 */
export function registerWebhookRoutes(app: FastifyInstance, ctx: SyncContext): void {
  app.register(async (webhooks) => {
    webhooks.removeAllContentTypeParsers()
    webhooks.addContentTypeParser(
      '*',
      readWhole(webhooks, maxEventBytes, (body) => body),
    )
    webhooks.addHook('onRequest', async ({ headers }) => {
      const signature = headers['stripe-signature']
      if (typeof signature !== 'string' || !signatureShape.test(signature))
        throw new ApiError('invalid_request', 'Events need a Stripe-Signature with t= and v1=.')
    })
    webhooks.post('/webhooks/stripe', { schema: { hide: true } }, async (request) => {
      const signature = request.headers['stripe-signature'] as string
      const { body } = request
      if (!(body instanceof Buffer)) throw new ApiError('invalid_request', 'Events need a body.')
      const event = await ctx.billing.readEvent({ body, signature, now: request.now })
      if (!event)
        throw new ApiError(
          'invalid_request',
          'The signature is invalid, or its timestamp is more than five minutes from now.',
        )
      await handleEvent({ ...ctx, db: request.db }, event)
      return { received: true, request_id: request.id }
    })
  })
}
