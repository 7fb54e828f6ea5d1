import Fastify, { type FastifyInstance, type LightMyRequestResponse } from 'fastify'
import { completeCheckout } from '../../src/billing/checkout.ts'
import { makeCustomer } from '../../src/billing/customers.ts'
import { newId } from '../../src/ids.ts'
import { registerPages } from '../../src/pages/routes.ts'
import { Standin } from '../../src/standin.ts'
import type { Book } from '../../src/state/book.ts'
import type {
  AfterCompletion,
  CheckoutSession,
  Customer,
  PortalFlow,
  PortalSession,
  Subscription,
} from '../../src/state/records.ts'

const daySeconds = 86_400

/** A stand-in with its pages, in memory, whose wall clock a test moves; what a service would ask of its API is done by hand. */
export class Shop {
  readonly app: FastifyInstance
  readonly standin: Standin
  private wallMs = Date.parse('2026-03-10T09:00:00Z')

  constructor() {
    this.standin = new Standin({ clock: () => new Date(this.wallMs) })
    this.app = Fastify()
    registerPages(this.app, this.standin)
  }

  async close(): Promise<void> {
    await this.app.close()
    await this.standin.close()
  }

  passDays(days: number): void {
    this.wallMs += days * daySeconds * 1000
  }

  passSeconds(seconds: number): void {
    this.wallMs += seconds * 1000
  }

  /** Serves on a free port, for a browser; its address. */
  listen(): Promise<string> {
    return this.app.listen({ host: '127.0.0.1', port: 0 })
  }

  /** What the records hold. */
  look<T>(read: (book: Book) => T): Promise<T> {
    return this.standin.read(({ book }) => read(book))
  }

  customer(facts: Partial<Customer> = {}): Promise<Customer> {
    return this.standin.change((desk) => makeCustomer(desk, { email: 'ada@aurora.example', ...facts }))
  }

  /** An open checkout session, for Pro by the month unless told otherwise. */
  checkout(facts: Partial<CheckoutSession> = {}, price = 'price_standin_pro_monthly'): Promise<CheckoutSession> {
    return this.standin.change((desk) =>
      desk.book.put('checkout_sessions', {
        id: newId('cs_test_', 58),
        created: desk.now,
        mode: 'subscription',
        status: 'open',
        payment_status: 'unpaid',
        customer: null,
        customer_email: null,
        client_reference_id: null,
        line_items: [{ id: newId('li_1'), price, quantity: 1 }],
        currency: 'usd',
        success_url: 'https://service.example/done?session={CHECKOUT_SESSION_ID}',
        cancel_url: 'https://service.example/canceled',
        expires_at: desk.now + daySeconds,
        metadata: {},
        subscription_metadata: {},
        subscription_description: null,
        trial_end: null,
        trial_period_days: null,
        missing_payment_method: 'create_invoice',
        payment_method_collection: 'always',
        allow_promotion_codes: null,
        billing_address_collection: null,
        locale: null,
        subscription: null,
        invoice: null,
        ...facts,
      }),
    )
  }

  /** A portal session: plain, or made for one thing. */
  portal(
    customer: string,
    flow: PortalFlow | null = null,
    after: AfterCompletion = { type: 'portal_homepage' },
    facts: Partial<PortalSession> = {},
  ): Promise<PortalSession> {
    return this.standin.change((desk) =>
      desk.book.put('portal_sessions', {
        id: newId('bps_1'),
        created: desk.now,
        customer,
        configuration: 'bpc_standin_default',
        return_url: 'https://service.example/account',
        locale: null,
        flow,
        after_completion: after,
        completed_at: null,
        ...facts,
      }),
    )
  }

  /** A customer with a paid subscription. */
  async subscriber(
    price = 'price_standin_pro_monthly',
    facts: Partial<CheckoutSession> = {},
  ): Promise<{ customer: Customer; subscription: Subscription }> {
    const { id } = await this.customer()
    const session = await this.checkout({ customer: id, ...facts }, price)
    await this.standin.change((desk) => completeCheckout(desk, session.id, { card: 'works' }))
    return this.look((book) => ({
      customer: book.must('customers', id),
      subscription: book.all('subscriptions').find(({ customer }) => customer === id)!,
    }))
  }

  subscription(id: string): Promise<Subscription> {
    return this.look((book) => book.must('subscriptions', id))
  }

  /** Types of all events so far, oldest first. */
  events(): Promise<string[]> {
    return this.look((book) => book.all('events').map(({ type }) => type))
  }

  get(path: string): Promise<ShownPage> {
    return this.app.inject({ method: 'GET', url: path }).then(shown)
  }

  post(path: string, form: Record<string, string>): Promise<ShownPage> {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const payload = new URLSearchParams(form).toString()
    return this.app.inject({ method: 'POST', url: path, headers, payload }).then(shown)
  }

  /** Opens `path` and sends the form on it that goes to `action`, with what a person chose. */
  async send(path: string, chosen: Record<string, string> = {}, action = path): Promise<ShownPage> {
    const page = await this.get(path)
    return this.post(action, { ...page.hidden(action), ...chosen })
  }
}

export interface ShownPage {
  readonly status: number
  readonly location: string | undefined
  readonly headers: LightMyRequestResponse['headers']
  readonly html: string
  readonly heading: string
  /** What a person reads. */
  readonly text: string
  readonly notice: string | undefined
  /** Addresses of the forms on the page, in order. */
  readonly actions: readonly string[]
  /** The hidden fields of the form that goes to `action`. */
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
