import pino from 'pino'
import { describe, expect, test } from 'vitest'
import { scopes } from '../../../../src/customers/auth/caller.ts'
import type { TestReply } from '../../../support/client.ts'
import { startAppWithStandin } from '../support/standin-app.ts'
import { expectLimited } from '../support/test-provider-app.ts'
import { auditOf, newOwner, payCheckout, subscribe, withBilling } from './support/console-billing.ts'

const lines: string[] = []
const app = await startAppWithStandin('2026-03-10T08:00:00.000Z', {
  log: pino({ level: 'trace' }, { write: (line) => lines.push(line) }),
})
const links: string[] = []
const urlOf = ({ status, body }: TestReply): string => {
  expect({ status, error: body.error }).toEqual({ status: 200, error: undefined })
  links.push(body.url)
  return body.url
}

test('a lapsed account buys a plan, and the way back names the plan to wait for', async () => {
  const owner = await newOwner(app)
  const { id } = await subscribe(app, owner.customerId, 'pro_monthly')
  await app.stripe('DELETE', `/v1/subscriptions/${id}`)
  await expect.poll(async () => (await owner.billing()).former?.plan).toBe('pro')

  const reply = await owner.subscriptionLink({ plan: 'business', billing: 'annual' })
  expect(reply.headers.get('cache-control')).toBe('no-store')
  expect(reply.body).toMatchObject({ kind: 'checkout', target_plan: 'business', target_billing: 'annual' })
  const back = new URL(await payCheckout(urlOf(reply)))
  expect(`${back.pathname}${back.search}`).toBe('/billing?returned=checkout&plan=business&billing=annual')
  await expect
    .poll(() => owner.billing())
    .toMatchObject({ plan: { slug: 'business', billing: 'annual', status: 'active' }, api_access: { enabled: true } })
  expect((await owner.get('/session')).body.accounts[0]).toMatchObject({
    api_access: true,
    plan: { slug: 'business', status: 'active' },
  })
})

test('an upgrade leads to its confirmation, everything else to the portal', async () => {
  const owner = await newOwner(app)
  await subscribe(app, owner.customerId, 'pro_monthly')
  await expect.poll(async () => (await owner.billing()).plan.slug).toBe('pro')
  const upgrade = await owner.subscriptionLink({ plan: 'business' })
  expect(upgrade.body.kind).toBe('subscription_update_confirm')
  const page = await (await fetch(urlOf(upgrade))).text()
  expect(page).toContain('/billing?returned=canceled')
  const portal = await owner.portalLink()
  expect(portal.body).toMatchObject({ kind: 'billing_portal', target_plan: null })
  expect(await (await fetch(urlOf(portal))).text()).toContain('/billing?returned=portal')
  const refused = await owner.subscriptionLink({ plan: 'pro' })
  expect([refused.status, refused.body.error.code]).toEqual([409, 'unsupported_plan_change'])
  expect(await auditOf(app, owner.account)).toMatchObject([
    {
      action: 'billing_link.created',
      target: null,
      details: { kind: 'subscription_update_confirm', plan: 'business', billing: 'monthly' },
      address: '127.0.0.1',
    },
    { action: 'billing_link.created', details: { kind: 'billing_portal', plan: null, billing: null } },
  ])
})

describe('links are refused', () => {
  test.each(['admin', 'member', 'viewer'] as const)('to a person with the role %s', async (role) => {
    const owner = await newOwner(app)
    const other = withBilling(await app.person({ account: owner.account, role }))
    const replies = [
      await other.subscriptionLink({ plan: 'pro' }),
      await other.portalLink(),
      await other.trial(),
      await other.endTrial('x'),
    ]
    for (const { status, body } of replies) expect([status, body.error.code]).toEqual([403, 'insufficient_role'])
    expect((await other.billing()).owners).toEqual([{ id: owner.id, name: 'Test Person', email: owner.email }])
    expect((await other.plans()).data).toHaveLength(4)
    expect(await auditOf(app, owner.account)).toEqual([])
  })

  test('to a person of another account, to whom this one does not exist', async () => {
    const owner = await newOwner(app)
    const stranger = withBilling(await app.person(), owner.account)
    for (const { status, body } of [await stranger.subscriptionLink({ plan: 'pro' }), await stranger.trial()])
      expect([status, body.error.code]).toEqual([404, 'account_not_found'])
    expect((await stranger.billing()).error.code).toBe('account_not_found')
  })

  test('for a plan or an interval that does not exist', async () => {
    const owner = await newOwner(app)
    const codeOf = async (body: object) => (await owner.subscriptionLink(body)).body.error.code
    expect(await codeOf({ plan: 'free' })).toBe('invalid_plan')
    expect(await codeOf({ plan: 'pro', billing: 'weekly' })).toBe('invalid_billing')
    expect(await codeOf({ plan: 'pro', url: 'https://elsewhere.example' })).toBe('unknown_parameter')
    const untouched = await owner.portalLink()
    expect(untouched.status).toBe(200)
  })
})

describe('the hourly limit of links', () => {
  test('is shared by keys and people, and a person’s link counts to no other limit', async () => {
    const { account, customerId, ...owner } = await newOwner(app)
    const key = await app.keyOf(account, { scopes }).catch(() => null)
    expect(key, 'a key can be made with access only').toBeNull()
    await subscribe(app, customerId, 'pro_monthly')
    await expect.poll(async () => (await owner.billing()).api_access.enabled).toBe(true)
    const program = await app.keyOf(account, { scopes })
    const second = withBilling(await app.person({ account, role: 'owner' }))
    for (const make of [owner.portalLink, second.portalLink, owner.portalLink, second.portalLink]) urlOf(await make())
    const byKey = await program.post('/billing/portal-link', {})
    expect(byKey.status).toBe(200)
    expect(byKey.headers.get('ratelimit')).toMatch(/"billing_links";r=0/)
    expectLimited(await owner.portalLink(), 'billing_links')
    expectLimited(await program.post('/billing/portal-link', {}), 'billing_links')
    const refused = await owner.subscriptionLink({ plan: 'business' })
    expectLimited(refused, 'billing_links')
    expect(refused.headers.get('retry-after')).toBe('3600')
    const { rows } = await app.db.query('select minute_used from request_windows where account_id = $1', [
      app.accountNumber(account),
    ])
    expect(rows).toEqual([{ minute_used: 1 }])
    // The key's link is in the log, and one that was refused is not.
    expect(await auditOf(app, account)).toHaveLength(5)
  })

  test('holds when people and keys ask at once, and the audit log has as many entries as people got links', async () => {
    const owner = await newOwner(app)
    const replies = await Promise.all(Array.from({ length: 12 }, () => owner.portalLink()))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(5)
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(7)
    expect(await auditOf(app, owner.account)).toHaveLength(5)
  })

  test('is not touched by links that the provider does not create', async () => {
    const owner = await newOwner(app)
    await app.control('/faults', { fail_rate: 1, status: 500 })
    const failed = await owner.portalLink()
    await app.control('/faults', { fail_rate: 0 })
    expect([failed.status, failed.body.error.code]).toEqual([503, 'billing_provider_unavailable'])
    for (let count = 0; count < 5; count++) urlOf(await owner.portalLink())
    expectLimited(await owner.portalLink(), 'billing_links')
    expect(await auditOf(app, owner.account)).toHaveLength(5)
  })

  test('is not the only bound: refused requests reach the provider thirty times a minute', async () => {
    const owner = await newOwner(app)
    await subscribe(app, owner.customerId, 'enterprise_annual')
    await expect.poll(async () => (await owner.billing()).plan.slug).toBe('enterprise')
    for (let count = 0; count < 30; count++) expect((await owner.subscriptionLink({ plan: 'pro' })).status).toBe(409)
    const refused = await owner.subscriptionLink({ plan: 'pro' })
    expect([refused.status, refused.body.error.code]).toEqual([429, 'rate_limit_exceeded'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    app.clock.advance(60_000)
    expect((await owner.subscriptionLink({ plan: 'pro' })).status).toBe(409)
  })
})

test('an operator who sees as the account gets no link', async () => {
  const owner = await newOwner(app)
  const operator = await app.person({ operator: true, account: null })
  await app.db.query(
    'update sessions set see_as_account_id = $1 where person_id = (select id from people where email = $2)',
    [app.accountNumber(owner.account), operator.email],
  )
  const seen = withBilling(operator, owner.account)
  expect((await seen.billing()).object).toBe('billing')
  for (const { status } of [await seen.subscriptionLink({ plan: 'pro' }), await seen.portalLink(), await seen.trial()])
    expect(status).toBe(403)
})

test('no link is in the log or the audit log', async () => {
  expect(links.length).toBeGreaterThan(10)
  const logged = lines.join('')
  expect(logged).toContain('/billing/subscription-link')
  const { rows } = await app.db.query('select row_to_json(a)::text as text from audit_log a')
  const audited = rows.map(({ text }) => text).join('')
  expect(audited).toContain('billing_link.created')
  for (const link of links)
    for (const secret of [link, new URL(link).pathname])
      expect([logged.includes(secret), audited.includes(secret)]).toEqual([false, false])
})
