import Fastify, { type FastifyInstance } from 'fastify'
import { registerControlRoutes } from './control/routes.ts'
import { checkoutSessionEndpoints } from './endpoints/checkout-sessions.ts'
import { customerEndpoints } from './endpoints/customers.ts'
import { invoiceItemEndpoints } from './endpoints/invoice-items.ts'
import { invoiceEndpoints } from './endpoints/invoices.ts'
import { paymentMethodEndpoints } from './endpoints/payment-methods.ts'
import { portalConfigurationEndpoints } from './endpoints/portal-configurations.ts'
import { portalSessionEndpoints } from './endpoints/portal-sessions.ts'
import { priceEndpoints } from './endpoints/prices.ts'
import { productEndpoints } from './endpoints/products.ts'
import { subscriptionScheduleEndpoints } from './endpoints/subscription-schedules.ts'
import { subscriptionEndpoints } from './endpoints/subscriptions.ts'
import { eventEndpoints, webhookEndpointEndpoints } from './endpoints/webhooks.ts'
import { rejectNonLoopbackHosts } from './http/access.ts'
import { registerApiRoutes, sendError } from './http/api.ts'
import type { Endpoint } from './http/endpoint.ts'
import { StripeError } from './http/errors.ts'
import { registerPageRoutes } from './pages/routes.ts'
import { Standin, type StandinOptions } from './standin.ts'

// Faults may delay an answer for longer: this bounds how long a request may take to arrive.
const requestTimeoutMs = 30_000

/** A stand-in that is ready to listen. */
export interface StandinApp {
  readonly app: FastifyInstance
  readonly standin: Standin
}

/** Opens the state and puts the API, the pages and the control in front of it. `app.close()` ends all of it. */
export async function createStandin(options: StandinOptions = {}): Promise<StandinApp> {
  const standin = new Standin(options)
  const app = Fastify({
    // Whatever is not asked for is refused, never dropped or converted.
    ajv: { customOptions: { removeAdditional: false, coerceTypes: false } },
    forceCloseConnections: true,
    requestTimeout: requestTimeoutMs,
    logger: { level: 'error', stream: process.stderr },
  })
  // Before everything else, for what is not there too.
  rejectNonLoopbackHosts(app)
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply))
  app.setNotFoundHandler(async (request) => {
    throw new StripeError(404, 'invalid_request_error', `There is nothing at ${request.url}.`)
  })
  registerApiRoutes(app, standin, endpoints)
  registerControlRoutes(app, standin)
  registerPageRoutes(app, standin)
  app.addHook('onListen', async () => {
    const address = app.server.address()
    if (address !== null && typeof address === 'object') {
      const host = address.family === 'IPv6' ? `[${address.address}]` : address.address
      standin.url = `http://${host}:${address.port}`
    }
  })
  app.addHook('onClose', () => standin.close())
  return { app, standin }
}

/** All that the stand-in speaks of Stripe's API. */
export const endpoints: readonly Endpoint[] = [
  ...customerEndpoints,
  ...productEndpoints,
  ...priceEndpoints,
  ...paymentMethodEndpoints,
  ...subscriptionEndpoints,
  ...subscriptionScheduleEndpoints,
  ...invoiceEndpoints,
  ...invoiceItemEndpoints,
  ...checkoutSessionEndpoints,
  ...portalConfigurationEndpoints,
  ...portalSessionEndpoints,
  ...webhookEndpointEndpoints,
  ...eventEndpoints,
]
