import Stripe from 'stripe'
import { createStandin } from '../../src/app.ts'
import type { Standin } from '../../src/standin.ts'
import { openReceiver, type Receiver } from './receiver.ts'

/** A clock that only a test advances. */
export interface ManualClock {
  readonly now: () => Date
  advanceMs(ms: number): void
}

export function manualClock(start = '2026-11-02T10:00:00Z'): ManualClock {
  let nowMs = Date.parse(start)
  return {
    now: () => new Date(nowMs),
    advanceMs: (ms) => {
      nowMs += ms
    },
  }
}

/** A listening stand-in with the official client and a webhook receiver. */
export interface World {
  readonly stripe: Stripe
  readonly standin: Standin
  readonly receiver: Receiver
  readonly clock: ManualClock
  readonly url: string
  /** Calls a control; every due event was sent when it resolves. */
  control<T = unknown>(path: string, body?: object): Promise<T>
  /** Advances the stand-in's clock. */
  advance(seconds: number): Promise<void>
  /** Resolves when every event so far was sent. */
  settle(): Promise<void>
  close(): Promise<void>
}

export const webhookSecret = 'whsec_of_the_tests'
export const secretKey = 'sk_test_of_the_tests'
/** The header of every request to the API and the controls. */
export const authHeader = { authorization: `Bearer ${secretKey}` }
export const daySeconds = 86_400
export const hourSeconds = 3_600

export async function openWorld(
  options: { stateDir?: string; clock?: ManualClock; receiver?: Receiver } = {},
): Promise<World> {
  const clock = options.clock ?? manualClock()
  const receiver = options.receiver ?? (await openReceiver(webhookSecret, clock))
  const { app, standin } = await createStandin({
    stateDir: options.stateDir,
    clock: clock.now,
    secretKey,
    webhook: { url: receiver.url, secret: webhookSecret },
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const control = async <T>(path: string, body: object = {}): Promise<T> => {
    const answer = await fetch(`${url}/_standin/${path}`, {
      method: 'POST',
      headers: { ...authHeader, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const reply = await answer.json()
    if (!answer.ok) throw new Error(`${path}: ${JSON.stringify(reply)}`)
    return reply as T
  }
  return {
    stripe: createClient(url),
    standin,
    receiver,
    clock,
    url,
    control,
    advance: async (seconds) => {
      await control('clock', { advance_seconds: seconds })
    },
    settle: () => standin.settle(),
    close: async () => {
      await app.close()
      if (!options.receiver) await receiver.close()
    },
  }
}

/** The official client without retries. */
export function createClient(url: string, key = secretKey): Stripe {
  const { hostname, port } = new URL(url)
  return new Stripe(key, { host: hostname, port, protocol: 'http', maxNetworkRetries: 0, telemetry: false })
}

/** A customer with a card that works, or one that declines every charge. */
export async function customerWithCard(stripe: Stripe, card = 'pm_card_visa'): Promise<Stripe.Customer> {
  return stripe.customers.create({
    email: 'mara@aurora-candles.example',
    payment_method: card,
    invoice_settings: { default_payment_method: card },
  })
}

/** A subscription of a customer with a working card. */
export async function subscribed(
  { stripe }: Pick<World, 'stripe'>,
  price = 'price_standin_pro_monthly',
  more: Partial<Stripe.SubscriptionCreateParams> = {},
): Promise<Stripe.Subscription> {
  const customer = await customerWithCard(stripe)
  return stripe.subscriptions.create({ customer: customer.id, items: [{ price }], ...more })
}

export function idOf(reference: string | { id: string } | null | undefined): string {
  if (!reference) throw new Error('There is no reference.')
  return typeof reference === 'string' ? reference : reference.id
}
