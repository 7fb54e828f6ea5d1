import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import { createStandin } from '../../src/app.ts'
import { completeCheckout } from '../../src/billing/checkout.ts'
import type { Standin } from '../../src/standin.ts'
import type { Database } from '../../src/state/database.ts'
import type { Customer } from '../../src/state/records.ts'
import type { Subscription } from '../../src/state/subscription-records.ts'

const daySeconds = 86_400
const formHeaders = { 'content-type': 'application/x-www-form-urlencoded' }

/** Fields of flow_data that redirect after completion. */
export const redirectAfter = {
  'after_completion[type]': 'redirect',
  'after_completion[redirect][return_url]': 'https://service.example/back',
}

type Form = Readonly<Record<string, string>>

/** A created object: its id and the path of its page. */
interface Made {
  readonly id: string
  readonly path: string
}

/**
 * An in-memory stand-in with a manual clock, used both by a service that creates links and by a customer who opens
 * them.
 */
export class Shop {
  readonly standin: Standin
  readonly app: FastifyInstance
  private readonly clock: { wallMs: number }

  private constructor(app: FastifyInstance, standin: Standin, clock: { wallMs: number }) {
    this.app = app
    this.standin = standin
    this.clock = clock
  }

  static async open(): Promise<Shop> {
    const clock = { wallMs: Date.parse('2026-03-10T09:00:00Z') }
    const { app, standin } = await createStandin({ clock: () => new Date(clock.wallMs) })
    return new Shop(app, standin, clock)
  }

  async close(): Promise<void> {
    await this.app.close()
  }

  passDays(days: number): void {
    this.clock.wallMs += days * daySeconds * 1000
  }

  passSeconds(seconds: number): void {
    this.clock.wallMs += seconds * 1000
  }

  /** Listens on a free port, for a browser; returns the URL. */
  listen(): Promise<string> {
    return this.app.listen({ host: '127.0.0.1', port: 0 })
  }

  /** Reads the database. */
  query<T>(read: (db: Database) => T): Promise<T> {
    return this.standin.read(({ db }) => read(db))
  }

  customer(form: Form = {}): Promise<Made> {
    return this.make('/v1/customers', { email: 'ada@aurora.example', ...form })
  }

  /** A checkout session, by default for Pro monthly. */
  checkout(form: Form = {}, price = 'price_standin_pro_monthly'): Promise<Made> {
    return this.make('/v1/checkout/sessions', {
      mode: 'subscription',
      'line_items[0][price]': price,
      'line_items[0][quantity]': '1',
      success_url: 'https://service.example/done?session={CHECKOUT_SESSION_ID}',
      cancel_url: 'https://service.example/canceled',
      ...form,
    })
  }

  /** A portal session, optionally with the fields of flow_data. */
  portal(customer: string, flow: Form = {}, form: Form = {}): Promise<Made> {
    const flowData = Object.entries(flow).map(([name, value]) => [name.replace(/^\w+/, 'flow_data[$&]'), value])
    return this.make('/v1/billing_portal/sessions', {
      customer,
      return_url: 'https://service.example/account',
      ...Object.fromEntries(flowData),
      ...form,
    })
  }

  /** A session that confirms a change to `price` and, by default, redirects to the service. */
  confirmation({ customer, subscription }: Subscriber, price: string, after: Form = redirectAfter): Promise<Made> {
    return this.portal(customer.id, {
      type: 'subscription_update_confirm',
      'subscription_update_confirm[subscription]': subscription.id,
      'subscription_update_confirm[items][0][id]': subscription.items[0]!.id,
      'subscription_update_confirm[items][0][price]': price,
      ...after,
    })
  }

  /** A customer with a paid subscription, or one in trial. */
  async subscriber(price = 'price_standin_pro_monthly', form: Form = {}): Promise<Subscriber> {
    const { id } = await this.customer()
    const session = await this.checkout({ customer: id, ...form }, price)
    await this.standin.change((ctx) => completeCheckout(ctx, session.id, { card: 'works' }))
    return this.query((db) => ({
      customer: db.getOrThrow('customers', id),
      subscription: db.all('subscriptions').find(({ customer }) => customer === id)!,
    }))
  }

  subscription(id: string): Promise<Subscription> {
    return this.query((db) => db.getOrThrow('subscriptions', id))
  }

  /** Types of all events so far, oldest first. */
  events(): Promise<string[]> {
    return this.query((db) => db.all('events').map(({ type }) => type))
  }

  /** Calls the API as a service does. */
  async api(method: 'POST' | 'DELETE', path: string, form: Form = {}): Promise<unknown> {
    const reply = await this.app.inject({
      method,
      url: path,
      headers: { ...formHeaders, authorization: `Bearer ${this.standin.secretKey}` },
      payload: new URLSearchParams(form).toString(),
    })
    if (reply.statusCode !== 200) throw new Error(`${path}: ${reply.body}`)
    return reply.json()
  }

  get(path: string): Promise<ShownPage> {
    return this.app.inject({ method: 'GET', url: path }).then(shown)
  }

  post(path: string, form: Form): Promise<ShownPage> {
    const payload = new URLSearchParams(form).toString()
    return this.app.inject({ method: 'POST', url: path, headers: formHeaders, payload }).then(shown)
  }

  /** Opens `path` and submits its form for `action` with the given fields. */
  async send(path: string, chosen: Form = {}, action = path): Promise<ShownPage> {
    const page = await this.get(path)
    return this.post(action, { ...page.hidden(action), ...chosen })
  }

  private async make(path: string, form: Form): Promise<Made> {
    const made = (await this.api('POST', path, form)) as { id: string; url?: string }
    return { id: made.id, path: made.url ? new URL(made.url).pathname : '' }
  }
}

export interface Subscriber {
  readonly customer: Customer
  readonly subscription: Subscription
}

export interface ShownPage {
  readonly status: number
  readonly location: string | undefined
  readonly headers: LightMyRequestResponse['headers']
  readonly html: string
  readonly heading: string
  /** The visible text. */
  readonly text: string
  readonly notice: string | undefined
  /** The paths of the page's forms, in order. */
  readonly actions: readonly string[]
  /** The hidden fields of the form for `action`. */
  hidden(action: string): Record<string, string>
}

function shown(reply: LightMyRequestResponse): ShownPage {
  const html = reply.body
  const forms = [...html.matchAll(/<form method="post" action="([^"]+)">(.*?)<\/form>/gs)]
  return {
    status: reply.statusCode,
    location: reply.headers.location,
    headers: reply.headers,
    html,
    heading: textOf(/<h1>(.*?)<\/h1>/s.exec(html)?.[1] ?? ''),
    text: textOf(/<main>(.*)<\/main>/s.exec(html)?.[1] ?? ''),
    notice: /<p class="notice[^>]*>(.*?)<\/p>/s.exec(html)?.[1],
    actions: forms.map(([, action]) => action!),
    hidden(action) {
      const form = forms.find(([, address]) => address === action)
      if (!form) throw new Error(`No form goes to ${action}, only to: ${forms.map(([, other]) => other).join(', ')}`)
      const fields = form[2]!.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)
      return Object.fromEntries([...fields].map(([, name, value]) => [name!, value!]))
    },
  }
}

function textOf(html: string): string {
  return html
    .replace(/<\/?time[^>]*>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/&#39;/g, "'")
    .replace(/&amp;/g, '&')
    .replace(/\s+/g, ' ')
    .trim()
}
