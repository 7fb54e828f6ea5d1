import type { Json } from '../../../../support/client.ts'
import type { PersonTraits, TestPerson } from '../../../../support/person.ts'
import type { StandinApp } from '../../support/standin-app.ts'

/** A member of an account, with the routes of the console's billing. */
export interface BillingPerson extends TestPerson {
  billing(): Promise<Json>
  plans(): Promise<Json>
  subscriptionLink(body: object): ReturnType<TestPerson['post']>
  portalLink(): ReturnType<TestPerson['post']>
  trial(): ReturnType<TestPerson['get']>
  endTrial(confirmation: string): ReturnType<TestPerson['post']>
}

export function withBilling(person: TestPerson, account = person.account): BillingPerson {
  const root = `/accounts/${account}/billing`
  return {
    ...person,
    billing: async () => (await person.get(root)).body,
    plans: async () => (await person.get(`${root}/plans`)).body,
    subscriptionLink: (body) => person.post(`${root}/subscription-link`, body),
    portalLink: () => person.post(`${root}/portal-link`, {}),
    trial: () => person.get(`${root}/trial`),
    endTrial: (confirmation) => person.post(`${root}/end-trial`, { confirmation }),
  }
}

/** An owner of an account that is a customer with a working card, on plan free. */
export async function newOwner(
  app: StandinApp,
  traits: PersonTraits = {},
): Promise<BillingPerson & { customerId: string }> {
  const { account, customerId } = await app.customer()
  return { ...withBilling(await app.person({ ...traits, account })), customerId }
}

/** Starts a subscription at the stand-in, as a completed checkout does; its events arrive. */
export function subscribe(
  app: StandinApp,
  customer: string,
  price: string,
  params: Record<string, string | number> = {},
): Promise<Json> {
  return app.stripe('POST', '/v1/subscriptions', {
    customer,
    'items[0][price]': `price_standin_${price}`,
    ...params,
  })
}

/** Pays on the stand-in's checkout page; returns where it leads to. */
export async function payCheckout(url: string): Promise<string> {
  const token = /name="token" value="([^"]+)"/.exec(await (await fetch(url)).text())?.[1] ?? ''
  const body = new URLSearchParams({ token, card: 'works' })
  const reply = await fetch(url, { method: 'POST', body, redirect: 'manual' })
  return reply.headers.get('location') ?? `status ${reply.status}`
}

export async function auditOf(app: StandinApp, account: string): Promise<Json[]> {
  const { rows } = await app.db.query(
    'select action, target, details, address, person_id from audit_log where account_id = $1 and action = any ($2) order by entry',
    [app.accountNumber(account), ['billing_link.created', 'trial.ended']],
  )
  return rows
}
