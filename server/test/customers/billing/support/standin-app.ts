import { buffer } from 'node:stream/consumers'
import type { Logger } from 'pino'
import { createStandin } from '../../../../../stripe-standin/src/app.ts'
import { scopes } from '../../../../src/customers/auth/caller.ts'
import { startTestApp, type TestApp, type TestAppOptions, type TestKey } from '../../../support/app.ts'
import { atEnd } from '../../../support/cleanup.ts'
import type { Json } from '../../../support/client.ts'
import { createManualClock } from '../../../support/fixtures.ts'
import { serveOnLoopback } from '../../../support/listen.ts'

/** A signed event that the stand-in sends. */
export interface Delivery {
  body: Buffer
  signature: string
}

/** Handles a delivery; returns the HTTP status for the stand-in. */
type EventHandler = (delivery: Delivery) => Promise<number>

/** The stand-in that an app uses. */
interface Standin {
  standinUrl: string
  /** Sends a request of Stripe's API, with form parameters. */
  stripe(method: 'GET' | 'POST' | 'DELETE', path: string, params?: Record<string, string | number>): Promise<Json>
  /** Sends a request to the stand-in's own controls. */
  control(path: string, body: object): Promise<Json>
  /** Creates an account of plan free that is a customer with a working card; returns a key with every scope. */
  customer(): Promise<TestKey & { customerId: string }>
  /** Advances both clocks; the stand-in does what falls due and sends its events. */
  advance(days: number): Promise<void>
  /** Replaces the direct delivery of events; resolves when those that were on their way before have been handled. */
  interceptEvents(eventHandler: EventHandler): Promise<void>
  row(account: string): Promise<Json>
}

export type StandinApp = TestApp & Standin

const webhookSecret = 'whsec_standin_of_a_test'
const secretKey = 'sk_test_standin_of_a_test'

interface StandinAppOptions<App extends TestApp> {
  /** Starts a proxy between the server and the stand-in; returns its URL. */
  between?: (standinUrl: string) => Promise<string>
  /** Default: a silent log. */
  log?: Logger
  /** Default: `startTestApp`. */
  startApp?: (options: TestAppOptions) => Promise<App>
}

/** Starts the production app with the stand-in over HTTP; events are delivered directly. */
export async function startAppWithStandin<App extends TestApp = TestApp>(
  now: string,
  { between, log, startApp = startTestApp as (options: TestAppOptions) => Promise<App> }: StandinAppOptions<App> = {},
): Promise<App & Standin> {
  let eventHandler: EventHandler = async () => 503
  const underway = new Set<Promise<number>>()
  const webhookUrl = await serveOnLoopback(async (request, response) => {
    const body = await buffer(request)
    const handled = eventHandler({ body, signature: String(request.headers['stripe-signature']) })
    underway.add(handled)
    response.statusCode = await handled.finally(() => underway.delete(handled))
    response.end()
  })
  const standinClock = createManualClock(now)
  const { app: standin } = await createStandin({
    clock: () => standinClock.now(),
    secretKey,
    webhook: { url: webhookUrl, secret: webhookSecret },
  })
  const standinUrl = await standin.listen({ host: '127.0.0.1', port: 0 })
  atEnd(() => standin.close())

  const app = await startApp({
    now,
    ...(log && { log }),
    environment: {
      STRIPE_SECRET_KEY: secretKey,
      STRIPE_WEBHOOK_SECRET: webhookSecret,
      STRIPE_API_BASE: between ? await between(standinUrl) : standinUrl,
      ...Object.fromEntries(
        ['pro', 'business', 'enterprise'].flatMap((plan) =>
          ['monthly', 'annual'].map((billing) => [
            `STRIPE_PRICE_${plan}_${billing}`.toUpperCase(),
            `price_standin_${plan}_${billing}`,
          ]),
        ),
      ),
    },
  })
  eventHandler = (delivery) => deliverEvent(app.url, delivery)

  const request = async (path: string, init: RequestInit) => {
    const reply = await fetch(standinUrl + path, init)
    const body = (await reply.json()) as Json
    if (!reply.ok) throw new Error(`${init.method} ${path}: ${JSON.stringify(body)}`)
    return body
  }
  const headers = { authorization: `Bearer ${secretKey}` }
  const stripe: StandinApp['stripe'] = (method, path, params = {}) => {
    const form = new URLSearchParams(
      Object.entries(params).map(([name, value]): [string, string] => [name, String(value)]),
    )
    return method === 'POST'
      ? request(path, { method, headers, body: form })
      : request(form.size > 0 ? `${path}?${form}` : path, { method, headers })
  }
  const control: StandinApp['control'] = (path, body) =>
    request(`/_standin${path}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })

  return {
    ...app,
    standinUrl,
    stripe,
    control,
    async customer() {
      // A key can only be created with access; then take the plan away.
      const key = await app.key({ scopes })
      await app.setAccount(key.account, { plan: 'free' })
      const { id: customerId } = await stripe('POST', '/v1/customers', {
        payment_method: 'pm_card_visa',
        'invoice_settings[default_payment_method]': 'pm_card_visa',
      })
      await app.db.query('update accounts set customer_id = $2 where id = $1', [
        app.accountNumber(key.account),
        customerId,
      ])
      return { ...key, customerId }
    },
    async advance(days) {
      app.clock.advance(days * 86_400_000)
      standinClock.advance(days * 86_400_000)
      await control('/clock', { advance_seconds: 0 })
    },
    async interceptEvents(other) {
      eventHandler = other
      await Promise.all(underway)
    },
    async row(account) {
      const { rows } = await app.db.query('select * from accounts where id = $1', [app.accountNumber(account)])
      return rows[0]
    },
  }
}

/** Delivers an event to a server; returns the status, 503 without a reply. */
export async function deliverEvent(serverUrl: string, { body, signature }: Delivery): Promise<number> {
  try {
    const reply = await fetch(`${serverUrl}/webhooks/stripe`, {
      method: 'POST',
      headers: { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': signature },
      body: new Uint8Array(body),
    })
    await reply.body?.cancel()
    return reply.status
  } catch {
    return 503
  }
}
