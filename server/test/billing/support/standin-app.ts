import { buffer } from 'node:stream/consumers'
import { createStandin } from '../../../../stripe-standin/src/app.ts'
import { scopes } from '../../../src/auth/caller.ts'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'
import { atEnd } from '../../support/cleanup.ts'
import type { Json } from '../../support/client.ts'
import { createManualClock } from '../../support/clock.ts'
import { serveOnLoopback } from '../../support/listen.ts'

/** A signed event on its way from the stand-in to a server. */
export interface Delivery {
  body: Buffer
  signature: string
}

/** Takes a delivery over from the stand-in; answers with the HTTP status that the stand-in gets. */
type Courier = (delivery: Delivery) => Promise<number>

export interface StandinWorld extends TestApp {
  standinUrl: string
  /** A request of Stripe's API; parameters as its forms have them. */
  stripe(method: 'GET' | 'POST' | 'DELETE', path: string, params?: Record<string, string | number>): Promise<Json>
  /** A request of what the stand-in has beyond Stripe. */
  control(path: string, body: object): Promise<Json>
  /** An account of plan free that is a customer with a working card, and a key of it. */
  customer(): Promise<TestKey & { customerId: string }>
  /** Moves both clocks on; what falls due at the stand-in meanwhile is done, and told. */
  advance(days: number): Promise<void>
  /** Carries events in another way than straight to the server. */
  carryEvents(courier: Courier): void
  row(account: string): Promise<Json>
}

const webhookSecret = 'whsec_standin_of_a_test'
const secretKey = 'sk_test_standin_of_a_test'

interface WorldOptions {
  /** Puts something between the server and the stand-in; answers with its address. */
  between?: (standinUrl: string) => Promise<string>
}

/** The production app beside the local Stripe, spoken to over HTTP; events come straight to the server. */
export async function openStandinWorld(now: string, { between }: WorldOptions = {}): Promise<StandinWorld> {
  let courier: Courier = async () => 503
  const webhookUrl = await serveOnLoopback(async (request, response) => {
    const body = await buffer(request)
    response.statusCode = await courier({ body, signature: String(request.headers['stripe-signature']) })
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

  const app = await startTestApp({
    now,
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
  courier = (delivery) => deliverTo(app.url, delivery)

  const ask = async (path: string, init: RequestInit) => {
    const reply = await fetch(standinUrl + path, init)
    const body = (await reply.json()) as Json
    if (!reply.ok) throw new Error(`${init.method} ${path}: ${JSON.stringify(body)}`)
    return body
  }
  const headers = { authorization: `Bearer ${secretKey}` }
  const stripe: StandinWorld['stripe'] = (method, path, params = {}) => {
    const form = new URLSearchParams(
      Object.entries(params).map(([name, value]): [string, string] => [name, String(value)]),
    )
    return method === 'POST'
      ? ask(path, { method, headers, body: form })
      : ask(form.size > 0 ? `${path}?${form}` : path, { method, headers })
  }
  const control: StandinWorld['control'] = (path, body) =>
    ask(`/_standin${path}`, {
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
      // A key needs access to be made, which is what the account loses then.
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
    carryEvents(other) {
      courier = other
    },
    async row(account) {
      const { rows } = await app.db.query('select * from accounts where id = $1', [app.accountNumber(account)])
      return rows[0]
    },
  }
}

/** Brings an event to a server; 0 when there is no answer. */
export async function deliverTo(serverUrl: string, { body, signature }: Delivery): Promise<number> {
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
