import { createHmac } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Json } from '../../../support/client.ts'
import { serveOnLoopback } from '../../../support/listen.ts'

/** How the fake answers: correctly, or with a failure. */
type Behavior = 'correct' | 'never' | 'slow drip' | 'cut off' | 'not JSON' | 'other JSON' | { status: number }

/** A checkout of the fake provider. */
export interface FakeCheckout {
  id: string
  customer: string
  created: number
  mode: 'subscription' | 'payment'
  status: 'open' | 'complete' | 'expired'
  /** The status in the list, if it is outdated. */
  listed?: 'open'
  /** Whether expiring it fails although it is open. */
  isStuck?: boolean
}

export interface FakeStripe {
  url: string
  /** Environment variables that make a server use it. */
  environment: Record<string, string>
  /** Subscriptions by customer, as API objects. */
  subscriptions: Map<string, object[]>
  /** The checkouts of all customers, newest first. */
  checkouts: FakeCheckout[]
  /** Received requests: method and path. */
  requests: string[]
  behavior: Behavior
  /** Runs after a list of subscriptions was read and before it is sent, so that replies can overtake each other. */
  beforeReply: () => Promise<void>
}

const webhookSecret = 'whsec_fake'

/** Starts a fake of Stripe with subscriptions and checkouts only; closed after the file's tests. */
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
    behavior: 'correct',
    beforeReply: async () => {},
  }
  return fake
}

/** Price ids by `plan_billing`. */
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
  const { behavior } = fake
  if (behavior === 'never') return
  if (typeof behavior === 'object')
    return send(response, behavior.status, { error: { type: 'api_error', message: 'Something is wrong here.' } })
  if (behavior === 'slow drip') return drip(response)
  if (behavior === 'cut off') {
    response.writeHead(200, { 'content-length': '1000' })
    response.write('{"object":"list","data":[')
    setTimeout(() => response.destroy(), 20)
    return
  }
  if (behavior === 'not JSON') return void response.end('<html>Bad gateway</html>')
  if (behavior === 'other JSON') return send(response, 200, { object: 'cake' })
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

/** Answers the calls for checkouts: retrieve, expire, and the paged list of a customer. */
function answerCheckouts(
  checkouts: readonly FakeCheckout[],
  method: string,
  path: string,
  query: URLSearchParams,
): { status: number; body: object } {
  const [, id, action] = /^\/v1\/checkout\/sessions(?:\/(\w+))?(?:\/(\w+))?$/.exec(path)!
  const session = checkouts.find((each) => each.id === id)
  if (session && method === 'GET') return { status: 200, body: session }
  if (session && action === 'expire') {
    if (session.status === 'open' && !session.isStuck)
      return { status: 200, body: Object.assign(session, { status: 'expired' }) }
    const message = `This Checkout Session has a status of ${session.status}.`
    return { status: 400, body: { error: { type: 'invalid_request_error', message } } }
  }
  const ofCustomer = checkouts.filter(({ customer }) => customer === query.get('customer'))
  const from = ofCustomer.findIndex((each) => each.id === query.get('starting_after')) + 1
  const page = ofCustomer.slice(from, from + Number(query.get('limit')))
  const data = page.map(({ listed, ...each }) => ({ ...each, status: listed ?? each.status }))
  return { status: 200, body: { object: 'list', url: path, data, has_more: ofCustomer.length > from + page.length } }
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

/** A timestamp as Stripe sends it. */
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

/** A subscription of the current API: the period is on its item. */
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

/** The same subscription of the API before 2025-03-31: the period is on the subscription. */
export function olderShape(current: Record<string, unknown>): Record<string, unknown> {
  const items = current.items as { data: Record<string, unknown>[] }
  const [{ current_period_end, current_period_start, ...item }] = items.data as [Record<string, unknown>]
  return { ...current, current_period_start, current_period_end, items: { ...items, data: [item] } }
}

let events = 0

/** An event with the changed object and its previous attributes. */
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

/** The Stripe-Signature header of a body. */
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
