import type { Json } from '../../../../support/client.ts'
import type { TestUser, UserTraits } from '../../../../support/user.ts'
import type { StandinApp } from '../../support/standin-app.ts'

/** A member of an account, with the routes of the console's billing. */
export interface BillingUser extends TestUser {
  billing(): Promise<Json>
  plans(): Promise<Json>
  subscriptionLink(body: object): ReturnType<TestUser['post']>
  portalLink(): ReturnType<TestUser['post']>
  trial(): ReturnType<TestUser['get']>
  endTrial(confirmation: string): ReturnType<TestUser['post']>
}

export function withBilling(user: TestUser, account = user.account): BillingUser {
  const root = `/accounts/${account}/billing`
  return {
    ...user,
    billing: async () => (await user.get(root)).body,
    plans: async () => (await user.get(`${root}/plans`)).body,
    subscriptionLink: (body) => user.post(`${root}/subscription-link`, body),
    portalLink: () => user.post(`${root}/portal-link`, {}),
    trial: () => user.get(`${root}/trial`),
    endTrial: (confirmation) => user.post(`${root}/end-trial`, { confirmation }),
  }
}

/** An owner of an account that is a customer with a working card, on plan free. */
export async function newOwner(
  app: StandinApp,
  traits: UserTraits = {},
): Promise<BillingUser & { customerId: string }> {
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
