import { beforeEach, describe, expect, test } from 'vitest'
import { Refusal } from '../../../../src/foundation/kernel/errors.ts'
import { runCommand } from '../../../doors/cli/support/run-command.ts'
import { startTestApp } from '../../../support/app.ts'
import { createTestProvider, subscribed } from '../../../support/billing-provider.ts'

const now = '2026-11-10T12:00:00.000Z'
const dayMs = 86_400_000

const provider = createTestProvider()
const app = await startTestApp({ now, billing: provider })
/** Calls that change something at the provider. */
const changes = () => provider.calls.filter(({ call }) => call !== 'listSubscriptions')
const started = () => provider.calls.filter(({ call }) => call === 'startTrial').map(({ input }) => input)

provider.startTrial = async (input) => {
  provider.calls.push({ call: 'startTrial', input })
  const { customerId, plan, billing, endsAt } = input
  const trial = { trialStart: app.clock.now(), trialEnd: endsAt, billingCycleAnchor: endsAt, hasPaymentMethod: false }
  provider.subscriptions.set(customerId, [
    subscribed({ customerId, status: 'trialing', offer: { plan, billing }, ...trial }),
  ])
}
beforeEach(() => {
  provider.calls.length = 0
  provider.unsold.clear()
  provider.before = () => {}
})

async function openAccount(...flags: string[]): Promise<string> {
  const { stdout } = await runCommand(app.deps, ['accounts', 'create', '--name', 'Aurora', '--json', ...flags])
  return JSON.parse(stdout).id
}

const trial = (account: string, ...flags: string[]) =>
  runCommand(app.deps, ['accounts', 'trial', account, '--json', ...flags])

test('accounts trial starts a trial of Pro at the provider and in the account', async () => {
  const account = await openAccount()
  const { code, stdout } = await trial(account, '--days', '14')
  expect(code).toBe(0)
  const endsAt = new Date(Date.parse(now) + 14 * dayMs)
  expect(JSON.parse(stdout)).toMatchObject({
    id: account,
    plan: 'pro',
    status: 'trialing',
    billing: 'monthly',
    trial_ends_at: endsAt.toISOString(),
    api_access: true,
  })
  expect(started()).toEqual([
    { customerId: `cus_${account}`, plan: 'pro', billing: 'monthly', endsAt, accountPublicId: account },
  ])
})

test('accounts trial starts a trial of another plan and billing interval', async () => {
  const { stdout } = await trial(await openAccount(), '--days', '365', '--plan', 'business', '--billing', 'annual')
  expect(JSON.parse(stdout)).toMatchObject({ plan: 'business', billing: 'annual', status: 'trialing' })
})

describe('accounts trial is refused', () => {
  test('for an account with a live subscription, even if only the provider knows it', async () => {
    const account = await openAccount()
    await trial(account, '--days', '14')
    await app.db.query("update accounts set subscription_id = null, status = 'none', plan = 'free' where id = $1", [
      app.accountNumber(account),
    ])
    const { code, stderr } = await trial(account, '--days', '7')
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `${account} already has a subscription; its status is trialing.\n`,
    })
    expect(started()).toHaveLength(1)
    const shown = await runCommand(app.deps, ['accounts', 'show', account, '--json'])
    expect(JSON.parse(shown.stdout)).toMatchObject({ plan: 'pro', status: 'trialing' })
  })

  test('for an account with a granted plan', async () => {
    const account = await openAccount('--plan', 'business')
    const { code, stderr } = await trial(account, '--days', '14')
    expect(code).toBe(1)
    expect(stderr).toContain('business granted by hand')
    expect(changes()).toEqual([])
  })

  test('for a plan that is not for sale, and for an unknown account', async () => {
    provider.unsold.add('enterprise_monthly')
    const unsold = await trial(await openAccount(), '--days', '14', '--plan', 'enterprise')
    expect({ code: unsold.code, stderr: unsold.stderr }).toEqual({
      code: 1,
      stderr: 'The plan enterprise, billed monthly, is not for sale: its price is not set.\n',
    })
    expect((await trial('acct_nobody', '--days', '14')).code).toBe(1)
    expect(changes()).toEqual([])
  })

  test.each(['0', '366', '-1', '1.5', '', 'week'])('with --days %j, as wrong usage', async (days) => {
    expect((await trial(await openAccount(), '--days', days)).code).toBe(2)
    expect(changes()).toEqual([])
  })

  test('with one line if the provider is unavailable', async () => {
    provider.before = () => {
      throw new Refusal('billing_provider_unavailable', 'The payment provider does not answer.')
    }
    const { code, stderr } = await trial(await openAccount(), '--days', '14')
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'The payment provider does not answer.\n' })
  })
})

test('accounts trial starts another trial after the last one has ended', async () => {
  const account = await openAccount()
  await trial(account, '--days', '14')
  const [customerId, [subscription]] = [...provider.subscriptions].at(-1)!
  provider.subscriptions.set(customerId, [{ ...subscription!, status: 'canceled' }])
  const { code, stdout } = await trial(account, '--days', '3')
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ status: 'trialing', trial_ends_at: '2026-11-13T12:00:00.000Z' })
})
