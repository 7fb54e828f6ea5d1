import { beforeEach, expect, test } from 'vitest'
import { runCommand } from '../../../doors/cli/support/run-command.ts'
import { startAppWithTestProvider } from '../support/test-provider-app.ts'

const { app, provider, free, customer } = await startAppWithTestProvider()
const calls = () => provider.calls.filter(({ call }) => call !== 'listSubscriptions')
beforeEach(() => {
  provider.calls.length = 0
  provider.unsold.clear()
})

const link = (account: string, ...flags: string[]) =>
  runCommand(app.deps, ['billing', 'link', account, '--json', '--plan', ...flags])

test('billing link makes a checkout for an account that has nothing yet', async () => {
  const { account } = await free()
  const { code, stdout } = await link(account, 'business', '--billing', 'annual')
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toEqual({
    kind: 'checkout',
    url: expect.stringMatching(/^https?:/),
    expires_at: expect.stringMatching(/^2026-11-1/),
  })
  expect(calls()).toMatchObject([
    { call: 'createCustomer', input: { publicId: account } },
    {
      call: 'createCheckout',
      input: {
        accountPublicId: account,
        plan: 'business',
        billing: 'annual',
        returnUrl: expect.stringContaining('/billing/done?plan=business'),
        canceledUrl: expect.stringContaining('/billing/canceled?plan=business'),
      },
    },
  ])
  const text = await runCommand(app.deps, ['billing', 'link', account, '--plan', 'pro'])
  expect(text.stdout).toMatch(/^The customer buys the plan here, until 2026-\S+:\nhttps?:\S+\n/)
})

test('it is recorded in the audit log, without the link', async () => {
  const { account } = await free()
  const { url } = JSON.parse((await link(account, 'pro')).stdout)
  const { rows } = await app.db.query("select * from audit_log where account_id = $1 and action like 'billing%'", [
    app.accountNumber(account),
  ])
  expect(rows).toMatchObject([
    { action: 'billing_link.created', person_id: null, details: { kind: 'checkout', plan: 'pro', billing: 'monthly' } },
  ])
  expect(JSON.stringify(rows)).not.toContain(url)
})

test('a subscriber gets the page that confirms a higher plan, and no second subscription', async () => {
  const { account } = await customer({ status: 'active', offer: { plan: 'pro', billing: 'monthly' } })
  expect(JSON.parse((await link(account, 'business')).stdout)).toMatchObject({ kind: 'subscription_update_confirm' })
  const lower = await link(account, 'pro')
  expect(lower).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('can only lead to a higher plan'),
  })
  expect(calls().map(({ call }) => call)).not.toContain('createCheckout')
})

test("it counts against the account's hourly limit of links", async () => {
  const key = await free({ billing_links_per_hour: 2 })
  expect(await link(key.account, 'pro')).toMatchObject({ code: 0 })
  expect(await link(key.account, 'pro')).toMatchObject({ code: 0 })
  const refused = await link(key.account, 'pro')
  expect(refused).toMatchObject({ code: 1, stdout: '' })
  expect(refused.stderr).toMatch(/^[^\n]*billing links[^\n]*\n$/)
  expect(calls().filter(({ call }) => call === 'createCheckout')).toHaveLength(2)
})

test('an unknown account, a suspended one and a plan without a price are refused, and nothing is made', async () => {
  const { account } = await free()
  expect((await link('acct_nobody', 'pro')).stderr).toContain('No account has the id "acct_nobody"')
  await runCommand(app.deps, ['accounts', 'suspend', account])
  expect((await link(account, 'pro')).stderr).toBe('This account is suspended; contact its operator.\n')
  provider.unsold.add('pro_monthly')
  expect((await link((await free()).account, 'pro')).stderr).toContain('is not for sale: its price is not set')
  expect(calls()).toEqual([])
})
