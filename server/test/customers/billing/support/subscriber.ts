import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect } from 'vitest'
import { scopes } from '../../../../src/customers/auth/caller.ts'
import { findProjectDir } from '../../../../src/operations/config.ts'
import type { TestKey } from '../../../support/app.ts'
import type { Json } from '../../../support/client.ts'
import { type StandinApp, startAppWithStandin } from './standin-app.ts'

/** An account's plan as its API replies show it. */
interface PlanState {
  /** Plan, status and billing interval: "pro active monthly". */
  plan: string
  /** "open", or the billing action of the refusal. */
  access: 'open' | 'create_subscription_link' | 'manage_billing'
  /** Used, and total. */
  credits: [used: number, total: number]
  /** Not visible without access. */
  exports?: [used: number, limit: number]
  /** Start of the period of credits, exports and rows. */
  since?: string
  /** End of the paid period, if there is one. */
  paidUntil: string | null
  /** Whether the plan ends with the paid period. */
  endsThen: boolean
}

type Card = 'pm_card_visa' | 'pm_card_chargeCustomerFail'

/** An account with a customer at the stand-in, and the actions of provider, operator and customer. */
interface Subscriber {
  key: TestKey
  /** Starts a subscription, as a completed checkout or an operator does. */
  subscribe(plan: string, params?: Record<string, string | number>): Promise<Json>
  /** Updates its subscription. */
  change(params: Record<string, string | number>): Promise<Json>
  subscription(): Promise<Json>
  giveCard(card: Card): Promise<void>
  payLatestInvoice(): Promise<void>
  /** Reveals one contact: uses a credit and, once a period, an export. */
  spend(): Promise<void>
  /** Reads the state from all replies, which must agree. */
  state(): Promise<PlanState>
}

export interface PlanChangesApp extends StandinApp {
  subscriber(card?: Card | null): Promise<Subscriber>
  /** Advances both clocks to a time. */
  until(moment: string): Promise<void>
  /** The time in so many days, ISO 8601. */
  inDays(days: number): string
}

const store = 'aurora-candles.example'
const users = ['Mara', 'Ines', 'Yuki', 'Tomas', 'Lena']

/** Starts the app with the stand-in and one store; cancels all subscriptions after each test. */
export async function startPlanChangesApp(): Promise<PlanChangesApp> {
  const app = await startAppWithStandin('2026-03-10T08:00:00.000Z')
  await app.importStores([{ domain: store, name: 'Aurora Candles' }])
  await app.importContacts(
    users.map((name) => ({
      store_domain: store,
      first_name: name,
      emails: [{ email: `${name.toLowerCase()}@${store}`, status: 'verified' }],
    })),
  )
  const inDays = (days: number) => new Date(app.clock.now().getTime() + days * 86_400_000).toISOString()
  afterEach(async () => {
    await app.control('/settings', { after_retries: 'cancel' })
    // Otherwise the stand-in would keep billing the subscriptions of earlier tests.
    for (const status of ['active', 'past_due', 'unpaid']) {
      const { data } = await app.stripe('GET', '/v1/subscriptions', { status })
      for (const { id } of data) await app.stripe('DELETE', `/v1/subscriptions/${id}`)
    }
  })
  return {
    ...app,
    inDays,
    until: (moment) => app.advance((Date.parse(moment) - app.clock.now().getTime()) / 86_400_000),
    subscriber: (card = 'pm_card_visa') => createSubscriber(app, card),
  }
}

async function createSubscriber(app: StandinApp, card: Card | null): Promise<Subscriber> {
  const key = await app.key({ scopes })
  await app.setAccount(key.account, { plan: 'free' })
  // The first link creates the customer.
  await key.post('/billing/subscription-link', { plan: 'enterprise' })
  const { customer_id: customer } = await app.row(key.account)
  /** Sends a request to Stripe's API and delivers its events. */
  const request = async (method: 'POST' | 'DELETE', path: string, params: Record<string, string | number> = {}) => {
    const reply = await app.stripe(method, path, params)
    await app.advance(0)
    return reply
  }
  const subscriber: Subscriber = {
    key,
    subscribe: (plan, params = {}) =>
      request('POST', '/v1/subscriptions', { customer, 'items[0][price]': `price_standin_${plan}`, ...params }),
    subscription: async () => (await app.stripe('GET', '/v1/subscriptions', { customer, status: 'all' })).data[0],
    change: async (params) => request('POST', `/v1/subscriptions/${(await subscriber.subscription()).id}`, params),
    async giveCard(name) {
      const { id } = await request('POST', `/v1/payment_methods/${name}/attach`, { customer })
      await request('POST', `/v1/customers/${customer}`, { 'invoice_settings[default_payment_method]': id })
    },
    async payLatestInvoice() {
      const { latest_invoice: invoice } = await subscriber.subscription()
      await request('POST', `/v1/invoices/${invoice}/pay`)
    },
    async spend() {
      const { data } = (await key.post('/contacts/search', { max_contacts_per_store: users.length })).body
      const { id } = data.find(({ revealed }: Json) => !revealed)
      expect((await key.post('/contacts/reveal', { contact_ids: [id] })).body.credits.spent).toBe(1)
    },
    state: () => readPlanState(key),
  }
  if (card) await subscriber.giveCard(card)
  return subscriber
}

async function readPlanState(key: TestKey): Promise<PlanState> {
  const { plan, api_access, contact_credits } = (await key.get('/billing/status')).body
  const usage = await key.get('/usage')
  const admitted = await key.get('/taxonomy')
  const state = {
    plan: [plan.slug, plan.status, plan.billing].filter(Boolean).join(' '),
    credits: [contact_credits.used, contact_credits.total] satisfies PlanState['credits'],
    paidUntil: plan.current_period_end,
    endsThen: plan.cancel_at_period_end,
  }
  expect([usage.status, admitted.status]).toEqual(api_access.enabled ? [200, 200] : [403, 403])
  if (!api_access.enabled) {
    expect(usage.body.error.billing).toEqual(admitted.body.error.billing)
    return { ...state, access: usage.body.error.billing.action }
  }
  const { contact_credits: credits, store_exports: exports, search_rows: rows, plan: used } = usage.body
  expect(used).toMatchObject({ slug: plan.slug, status: plan.status, trial: plan.trial })
  expect(credits).toMatchObject(contact_credits)
  expect(rows.period_start).toBe(exports.period_start)
  if (!plan.trial.active) expect(credits.period_start).toBe(exports.period_start)
  return {
    ...state,
    access: 'open',
    exports: [exports.used, exports.limit],
    since: exports.period_start,
  }
}

/** Changes the plan in the portal, as a customer does: opens the change and confirms it. */
export async function choosePlanInPortal(key: TestKey, subscription: string, price: string): Promise<void> {
  const { url } = (await key.post('/billing/portal-link', undefined)).body
  const address = `${url}/change/${subscription}?price=${price}`
  const page = await (await fetch(address)).text()
  const [, action] = /<form method="post" action="([^"]+)"/.exec(page)!
  const fields = [...page.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)]
  const body = new URLSearchParams({
    ...Object.fromEntries(fields.map(([, name, value]) => [name!, value!])),
    card: 'on_file',
  })
  const reply = await fetch(new URL(action!, address), { method: 'POST', body, redirect: 'manual' })
  expect(reply.status).toBe(303)
}

// The first row about trials in the table; the rows before it are about paid plans.
const firstTrialRow = 'a trial that is ended early'

/** The first column of the table in docs/api.md that describes plan changes. */
export function documentedPlanChanges(): { paidPlans: string[]; trials: string[] } {
  const guide = readFileSync(join(findProjectDir(import.meta.dirname), 'docs/api.md'), 'utf8')
  const section = guide.split('### What a change of the plan does\n')[1]!.split(/^##/m)[0]!
  const [_head, _rule, ...rows] = [...section.matchAll(/^\| ([^|]+?) \|/gm)].map(([, cell]) => cell!)
  const boundary = rows.indexOf(firstTrialRow)
  expect(boundary).toBeGreaterThan(0)
  return { paidPlans: rows.slice(0, boundary), trials: rows.slice(boundary) }
}
