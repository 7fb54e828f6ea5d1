import { expect } from 'vitest'
import { scopes } from '../../../src/auth/caller.ts'
import type { TestKey } from '../../support/app.ts'
import type { Json } from '../../support/client.ts'
import { openStandinWorld, type StandinWorld } from './standin-app.ts'

/** What each row of the documentation's table says, by its first column. */
export type Rows = Record<string, () => Promise<void>>

/** What a caller sees of an account's plan. */
interface Standing {
  /** Plan, status and rhythm of payment: "pro active monthly". */
  plan: string
  /** "open", or the way back that a refusal names. */
  access: 'open' | 'create_subscription_link' | 'manage_billing'
  /** Used, and of how many. */
  credits: [used: number, total: number]
  /** Cannot be seen without access. */
  exports?: [used: number, limit: number]
  /** Where the period of credits, exports and rows began. */
  since?: string
  /** Until when it is paid for, as far as there is an end. */
  paidUntil: string | null
  endsThen: boolean
}

type Card = 'pm_card_visa' | 'pm_card_chargeCustomerFail'

/** An account at the provider and here, with all that can happen to it. */
interface Subscriber {
  key: TestKey
  /** Starts a subscription at the provider, as a completed checkout or an operator does. */
  subscribe(plan: string, params?: Record<string, string | number>): Promise<Json>
  /** A request about its subscription. */
  change(params: Record<string, string | number>): Promise<Json>
  subscription(): Promise<Json>
  giveCard(card: Card): Promise<void>
  payLatestInvoice(): Promise<void>
  /** Reveals one person: a credit and, once a period, an export. */
  spend(): Promise<void>
  /** As the API tells it, and as requests are admitted, which must agree. */
  standing(): Promise<Standing>
}

export interface PlansWorld extends StandinWorld {
  subscriber(card?: Card | null): Promise<Subscriber>
  /** Lets time pass until a moment, with what falls due. */
  until(moment: string): Promise<void>
  /** The moment now, so many days on. */
  inDays(days: number): string
}

const store = 'aurora-candles.example'
const people = ['Mara', 'Ines', 'Yuki', 'Tomas', 'Lena']

export async function openPlansWorld(): Promise<PlansWorld> {
  const world = await openStandinWorld('2026-03-10T08:00:00.000Z')
  await world.importStores([{ domain: store, name: 'Aurora Candles' }])
  await world.importContacts(
    people.map((name) => ({
      store_domain: store,
      first_name: name,
      emails: [{ email: `${name.toLowerCase()}@${store}`, status: 'verified' }],
    })),
  )
  const inDays = (days: number) => new Date(world.clock.now().getTime() + days * 86_400_000).toISOString()
  return {
    ...world,
    inDays,
    until: (moment) => world.advance((Date.parse(moment) - world.clock.now().getTime()) / 86_400_000),
    subscriber: (card = 'pm_card_visa') => openSubscriber(world, card),
  }
}

async function openSubscriber(world: StandinWorld, card: Card | null): Promise<Subscriber> {
  const key = await world.key({ scopes })
  await world.setAccount(key.account, { plan: 'free' })
  // The first link makes the customer, as for everybody.
  await key.post('/billing/subscription-link', { plan: 'enterprise' })
  const { customer_id: customer } = await world.row(key.account)
  /** What the provider does on request is told at once. */
  const ask = async (method: 'POST' | 'DELETE', path: string, params: Record<string, string | number> = {}) => {
    const reply = await world.stripe(method, path, params)
    await world.advance(0)
    return reply
  }
  const subscriber: Subscriber = {
    key,
    subscribe: (plan, params = {}) =>
      ask('POST', '/v1/subscriptions', { customer, 'items[0][price]': `price_standin_${plan}`, ...params }),
    subscription: async () => (await world.stripe('GET', '/v1/subscriptions', { customer, status: 'all' })).data[0],
    change: async (params) => ask('POST', `/v1/subscriptions/${(await subscriber.subscription()).id}`, params),
    async giveCard(name) {
      const { id } = await ask('POST', `/v1/payment_methods/${name}/attach`, { customer })
      await ask('POST', `/v1/customers/${customer}`, { 'invoice_settings[default_payment_method]': id })
    },
    async payLatestInvoice() {
      const { latest_invoice: invoice } = await subscriber.subscription()
      await ask('POST', `/v1/invoices/${invoice}/pay`)
    },
    async spend() {
      const { data } = (await key.post('/contacts/search', { max_contacts_per_store: people.length })).body
      const { id } = data.find(({ revealed }: Json) => !revealed)
      expect((await key.post('/contacts/reveal', { contact_ids: [id] })).body.credits.spent).toBe(1)
    },
    standing: () => standingOf(key),
  }
  if (card) await subscriber.giveCard(card)
  return subscriber
}

async function standingOf(key: TestKey): Promise<Standing> {
  const { plan, api_access, contact_credits } = (await key.get('/billing/status')).body
  const usage = await key.get('/usage')
  const admitted = await key.get('/taxonomy')
  const standing = {
    plan: [plan.slug, plan.status, plan.billing].filter(Boolean).join(' '),
    credits: [contact_credits.used, contact_credits.total] satisfies Standing['credits'],
    paidUntil: plan.current_period_end,
    endsThen: plan.cancel_at_period_end,
  }
  expect([usage.status, admitted.status]).toEqual(api_access.enabled ? [200, 200] : [403, 403])
  if (!api_access.enabled) {
    expect(usage.body.error.billing).toEqual(admitted.body.error.billing)
    return { ...standing, access: usage.body.error.billing.action }
  }
  const { contact_credits: credits, store_exports: exports, search_rows: rows, plan: used } = usage.body
  expect(used).toMatchObject({ slug: plan.slug, status: plan.status, trial: plan.trial })
  expect(credits).toMatchObject(contact_credits)
  expect(rows.period_start).toBe(exports.period_start)
  if (!plan.trial.active) expect(credits.period_start).toBe(exports.period_start)
  return {
    ...standing,
    access: 'open',
    exports: [exports.used, exports.limit],
    since: exports.period_start,
  }
}
