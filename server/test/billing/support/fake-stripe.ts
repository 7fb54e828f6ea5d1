import { createHmac } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Json } from '../../support/client.ts'
import { serveOnLoopback } from '../../support/listen.ts'
import { answerCheckouts, type FakeCheckout } from './fake-checkouts.ts'

/** How the fake answers: as it should, or as a provider in trouble does. */
type Behaviour = 'well' | 'never' | 'in drops' | 'cut off' | 'not JSON' | 'other JSON' | { status: number }

export interface FakeStripe {
  url: string
  /** Settings that make the server use it. */
  environment: Record<string, string>
  /** The subscriptions of each customer, as its API tells them. */
  subscriptions: Map<string, object[]>
  /** The checkouts of all customers, the newest first. */
  checkouts: FakeCheckout[]
  /** What was asked: method and path. */
  requests: string[]
  behaviour: Behaviour
  /** Called before a list of subscriptions is answered, after it was read: replies can overtake each other. */
  beforeReply: () => Promise<void>
}

const webhookSecret = 'whsec_fake'

/**
 * A provider that only has subscriptions and checkouts, in whatever shape and trouble a test needs; closed after the
 * file's tests.
 */
export async function startFakeStripe(): Promise<FakeStripe> {
  const url = await serveOnLoopback((request, response) => answer(fake, request, response))
  const fake: FakeStripe = {
    url,
    environment: {
      STRIPE_SECRET_KEY: 'sk_test_fake',
      STRIPE_WEBHOOK_SECRET: webhookSecret,
      STRIPE_API_BASE: url,
      ...Object.fromEntries(
        Object.entries(priceIds).map(([name, price]) => [`STRIPE_PRICE_${name.toUpperCase()}`, price]),
      ),
    },
    subscriptions: new Map(),
    checkouts: [],
    requests: [],
    behaviour: 'well',
    beforeReply: async () => {},
  }
  return fake
}

/** Price ids by plan and billing. */
export const priceIds = {
  pro_monthly: 'price_pro_monthly',
  pro_annual: 'price_pro_annual',
  business_monthly: 'price_business_monthly',
  business_annual: 'price_business_annual',
  enterprise_monthly: 'price_enterprise_monthly',
}

async function answer(fake: FakeStripe, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url!, fake.url)
  fake.requests.push(`${request.method} ${pathname}`)
  request.resume()
  const { behaviour } = fake
  if (behaviour === 'never') return
  if (typeof behaviour === 'object')
    return send(response, behaviour.status, { error: { type: 'api_error', message: 'Something is wrong here.' } })
  if (behaviour === 'in drops') return drip(response)
  if (behaviour === 'cut off') {
    response.writeHead(200, { 'content-length': '1000' })
    response.write('{"object":"list","data":[')
    setTimeout(() => response.destroy(), 20)
    return
  }
  if (behaviour === 'not JSON') return void response.end('<html>Bad gateway</html>')
  if (behaviour === 'other JSON') return send(response, 200, { object: 'cake' })
  if (pathname.startsWith('/v1/checkout/sessions')) {
    const { status, body } = answerCheckouts(fake.checkouts, request.method!, pathname, searchParams)
    return send(response, status, body)
  }
  if (request.method !== 'GET' || pathname !== '/v1/subscriptions')
    return send(response, 404, { error: { type: 'invalid_request_error', message: `Unrecognized URL ${pathname}` } })
  const customer = searchParams.get('customer')!
  const found = fake.subscriptions.get(customer)
  const body = found
    ? { object: 'list', url: pathname, has_more: false, data: structuredClone(found) }
    : { error: { type: 'invalid_request_error', code: 'resource_missing', message: 'No such customer' } }
  await fake.beforeReply()
  send(response, found ? 200 : 400, body)
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_fake' })
  response.end(JSON.stringify(body))
}

function drip(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  const timer = setInterval(() => response.write(' '), 200)
  response.on('close', () => clearInterval(timer))
}

/** Seconds of Stripe's times. */
function seconds(moment: string): number {
  return Math.floor(new Date(moment).getTime() / 1000)
}

interface Traits {
  id?: string
  status?: string
  price?: string
  created?: string
  anchor?: string
  periodEnd?: string
  trialStart?: string
  trialEnd?: string
  cancelAtPeriodEnd?: boolean
  cancelAt?: string
  paymentMethod?: string | null
  customer?: object | string
}

/** A subscription as today's API tells it: the period stands on its item. */
export function subscription(traits: Traits = {}): Record<string, unknown> {
  const created = seconds(traits.created ?? '2026-03-01T00:00:00Z')
  const optional = (moment: string | undefined) => (moment === undefined ? null : seconds(moment))
  return {
    id: traits.id ?? 'sub_1',
    object: 'subscription',
    status: traits.status ?? 'active',
    customer: traits.customer ?? {
      id: 'cus_1',
      object: 'customer',
      default_source: null,
      invoice_settings: { default_payment_method: null },
    },
    created,
    billing_cycle_anchor: traits.anchor === undefined ? created : seconds(traits.anchor),
    cancel_at: optional(traits.cancelAt),
    cancel_at_period_end: traits.cancelAtPeriodEnd ?? false,
    default_payment_method: traits.paymentMethod === undefined ? 'pm_1' : traits.paymentMethod,
    default_source: null,
    trial_start: optional(traits.trialStart),
    trial_end: optional(traits.trialEnd),
    items: {
      object: 'list',
      data: [
        {
          id: 'si_1',
          object: 'subscription_item',
          current_period_start: created,
          current_period_end: seconds(traits.periodEnd ?? '2026-04-01T00:00:00Z'),
          price: { id: traits.price ?? priceIds.pro_monthly, object: 'price' },
        },
      ],
    },
  }
}

/** The same as the API told it before 2025-03-31: the period stands on the subscription. */
export function olderShape(current: Record<string, unknown>): Record<string, unknown> {
  const items = current.items as { data: Record<string, unknown>[] }
  const [{ current_period_end, current_period_start, ...item }] = items.data as [Record<string, unknown>]
  return { ...current, current_period_start, current_period_end, items: { ...items, data: [item] } }
}

let events = 0

/** An event as it is delivered: what changed, and what of it was otherwise before. */
export function event(type: string, object: object, previous?: object) {
  const data = { object, ...(previous && { previous_attributes: previous }) }
  return {
    id: `evt_${++events}`,
    object: 'event',
    type,
    api_version: '2026-10-28.endive',
    created: 1_772_323_200,
    data,
  }
}

interface Signing {
  at: Date
  secret?: string
}

/** The header by which Stripe signs a body. */
export function sign(body: string, { at, secret = webhookSecret }: Signing): string {
  const timestamp = Math.floor(at.getTime() / 1000)
  const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
  return `t=${timestamp},v1=${signature}`
}

/** Delivers an event as Stripe does. */
export async function deliver(serverUrl: string, body: object | string, signing: Signing) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const reply = await fetch(`${serverUrl}/webhooks/stripe`, {
    method: 'POST',
    headers: { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': sign(text, signing) },
    body: text,
  })
  return { status: reply.status, headers: reply.headers, body: (await reply.json()) as Json }
}
