import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { reconcileAccounts } from '../../../../src/customers/billing/sync/reconcile.ts'
import { buildApp } from '../../../../src/program/app.ts'
import { runCommand } from '../../../doors/cli/support/run-command.ts'
import { event, priceIds, subscription } from '../support/fake-stripe.ts'
import { type FakeStripeApp, startAppWithFakeStripe } from '../support/fake-stripe-app.ts'

let app: FakeStripeApp
beforeAll(async () => {
  app = await startAppWithFakeStripe()
})
beforeEach(async () => {
  await app.db.query('update accounts set customer_id = null')
  app.stripe.behavior = 'correct'
})

const reconciled = async () => {
  const { code, stdout, stderr } = await runCommand(app.deps, ['billing', 'reconcile', '--json'])
  return { code, stderr, result: stdout === '' ? null : JSON.parse(stdout) }
}

test('billing reconcile syncs accounts whose events were lost, and reports how many', async () => {
  const lost = await app.customer('cus_lost', [subscription({ price: priceIds.business_monthly })])
  const current = await app.customer('cus_current', [subscription()])
  const linked = await app.customer('cus_linked', [])
  await app.deliver(event('customer.updated', { object: 'customer', id: 'cus_current' }))
  expect(await reconciled()).toMatchObject({ code: 0, result: { checked: 3, changed: 1 } })
  expect((await lost.get('/usage')).body.plan).toMatchObject({ slug: 'business', status: 'active' })
  expect((await current.get('/usage')).body.plan.slug).toBe('pro')
  expect((await linked.get('/usage')).status).toBe(403)
  expect(await reconciled()).toMatchObject({ result: { checked: 3, changed: 0 } })
})

test('billing reconcile does not call the provider if there are no customers', async () => {
  app.stripe.behavior = { status: 500 }
  expect(await reconciled()).toMatchObject({ code: 0, result: { checked: 0, changed: 0 } })
})

test('billing reconcile checks all accounts, also more than one page', async () => {
  const { rows } = await app.db.query<{ id: number }>(
    `insert into accounts (name, plan, status, period_anchor, created_at, customer_id)
     select 'Account ' || n, 'free', 'none', $1::timestamptz, $1::timestamptz, 'cus_page_' || n
     from generate_series(1, 205) n returning id`,
    [app.clock.now()],
  )
  for (const index of rows.keys()) app.stripe.subscriptions.set(`cus_page_${index + 1}`, [subscription()])
  expect((await reconciled()).result).toEqual({ checked: 205, changed: 205 })
})

test('billing reconcile fails with one line if the provider does not answer', async () => {
  await app.customer('cus_away', [subscription()])
  app.stripe.behavior = { status: 500 }
  const ending = await reconciled()
  expect(ending).toMatchObject({ code: 1, result: null })
  expect(ending.stderr).toBe(
    'The payment provider does not answer; try again in a moment. (Something is wrong here.)\n',
  )
})

test('an internal error with one account does not stop the reconciliation of the others', async () => {
  await app.customer('cus_first', [subscription()])
  const broken = await app.customer('cus_broken', [])
  const last = await app.customer('cus_last', [subscription()])
  const { billing } = app.deps
  const listSubscriptions: typeof billing.listSubscriptions = async (customerId) => {
    if (customerId !== 'cus_broken') return billing.listSubscriptions(customerId)
    app.stripe.behavior = { status: 400 }
    try {
      return await billing.listSubscriptions(customerId)
    } finally {
      app.stripe.behavior = 'correct'
    }
  }
  const deps = { ...app.deps, billing: { ...billing, listSubscriptions } }
  await expect(reconcileAccounts(deps)).rejects.toMatchObject({ code: 'internal_error' })
  expect((await app.row(last.account)).status).toBe('active')
  expect((await app.row(broken.account)).status).toBe('none')
})

describe('the reconciliation of the server', () => {
  beforeAll(() => app.allowReconciliation())

  const untilPlan = async (key: Awaited<ReturnType<FakeStripeApp['key']>>, plan: string) => {
    await expect.poll(async () => (await key.get('/usage')).body.plan?.slug).toBe(plan)
  }

  test('repeats, and deletes events that are old or were dated by a clock that ran ahead', async () => {
    const key = await app.customer('cus_hourly', [subscription()])
    await app.db.query(
      `insert into billing_events (id, type, received_at) values
       ('evt_old', 'invoice.paid', $1::timestamptz - interval '91 days'),
       ('evt_recent', 'invoice.paid', $1::timestamptz - interval '89 days'),
       ('evt_future', 'invoice.paid', $1::timestamptz + interval '10 years')`,
      [app.clock.now()],
    )
    const server = await buildApp(app.deps, [], { reconciliationMs: 50 })
    try {
      await untilPlan(key, 'pro')
      app.stripe.subscriptions.set('cus_hourly', [subscription({ price: priceIds.business_monthly })])
      await untilPlan(key, 'business')
    } finally {
      await server.close()
    }
    for (const deleted of ['evt_old', 'evt_future']) expect(await app.eventOutcome(deleted)).toBeUndefined()
    expect(await app.eventOutcome('evt_recent')).toBeDefined()
  })

  test('runs on one server at a time', async () => {
    await app.customer('cus_alone', [subscription()])
    let atOnce = 0
    let most = 0
    let calls = 0
    const { billing } = app.deps
    const listSubscriptions: typeof billing.listSubscriptions = async (customerId) => {
      most = Math.max(most, ++atOnce)
      calls += 1
      await new Promise((resolve) => setTimeout(resolve, 60))
      atOnce -= 1
      return billing.listSubscriptions(customerId)
    }
    const deps = { ...app.deps, billing: { ...billing, listSubscriptions } }
    // Two accounts, because the lock of one account alone would prevent concurrent reads of it.
    await app.customer('cus_alone_2', [subscription()])
    const servers = await Promise.all([1, 2, 3].map(() => buildApp(deps, [], { reconciliationMs: 10 })))
    try {
      await expect.poll(() => calls, { timeout: 60_000 }).toBeGreaterThanOrEqual(12)
    } finally {
      await Promise.all(servers.map((server) => server.close()))
    }
    expect(most).toBe(1)
  })
})
