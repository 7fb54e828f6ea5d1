import Fastify, { type FastifyInstance } from 'fastify'
import type { Endpoint } from './api/endpoint.ts'
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
import { registerPageRoutes, sendUnknownPage } from './pages/routes.ts'
import { Standin, type StandinOptions } from './standin.ts'
import { StripeError } from './state/errors.ts'

// Limits how long a request may take to arrive; injected faults may delay replies for longer.
const requestTimeoutMs = 30_000

const endpoints: readonly Endpoint[] = [
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

interface StandinApp {
  readonly app: FastifyInstance
  readonly standin: Standin
}

/** Opens the state and builds the server with API, pages and controls. `app.close()` closes everything. */
export async function createStandin(options: StandinOptions = {}): Promise<StandinApp> {
  const standin = new Standin(options)
  const app = Fastify({
    // Reject unknown properties instead of dropping them, and do not convert types.
    ajv: { customOptions: { removeAdditional: false, coerceTypes: false } },
    forceCloseConnections: true,
    requestTimeout: requestTimeoutMs,
    logger: { level: 'error', stream: process.stderr },
  })
  // First, so that it also applies to unknown paths.
  rejectNonLoopbackHosts(app)
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply))
  app.setNotFoundHandler(async (request, reply) => {
    if (/\btext\/html\b/.test(request.headers.accept ?? '')) return sendUnknownPage(reply, standin)
    throw new StripeError(404, 'invalid_request_error', `Nothing is served at ${request.url}.`)
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
