import type { FastifyInstance } from 'fastify'
import { maxBodyBytes } from '../http/bodies.ts'
import { ApiError } from '../kernel/errors.ts'
import type { SyncContext } from './sync-account.ts'
import { handleEvent } from './webhook-events.ts'

/**
 * `POST /webhooks/stripe`: where the payment provider tells what happened. It proves itself by a signature over the very
 * bytes it sent; any other answer than 200 makes it try again later.
 */
export function registerWebhookRoutes(app: FastifyInstance, ctx: SyncContext): void {
  app.register(async (webhooks) => {
    webhooks.removeAllContentTypeParsers()
    webhooks.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: maxBodyBytes }, (_request, body, done) =>
      done(null, body),
    )
    webhooks.post('/webhooks/stripe', { schema: { hide: true } }, async (request) => {
      const signature = request.headers['stripe-signature']
      const { body } = request
      if (typeof signature !== 'string' || !(body instanceof Buffer))
        throw new ApiError('invalid_request', 'Events need a body and a Stripe-Signature.')
      const event = await ctx.billing.readEvent({ body, signature, now: request.now })
      if (!event)
        throw new ApiError('invalid_request', 'The signature does not fit the body, or is not of these minutes.')
      await handleEvent(ctx, event)
      return { received: true, request_id: request.id }
    })
  })
}
