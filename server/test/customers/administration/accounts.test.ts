import { describe, expect, test } from 'vitest'
import { type Account, entitlementAt } from '../../../src/customers/accounts/account.ts'
import type { NewAccount } from '../../../src/customers/accounts/open-account.ts'
import { readAccount } from '../../../src/customers/accounts/read-account.ts'
import {
  type AccountChanges,
  changeAccount,
  createAccount,
} from '../../../src/customers/administration/change-account.ts'
import { reportAccount } from '../../../src/customers/administration/context.ts'
import { openAccountsContext } from './support/accounts-context.ts'

const office = openAccountsContext()
const start = '2026-03-31T10:00:00.000Z'
const later = '2026-05-10T08:30:00.000Z'

function open(input: Omit<NewAccount, 'name'>): Promise<Account> {
  return createAccount(office.at(start), { name: 'Aurora Candles', ...input })
}

function change(account: Account, changes: AccountChanges): Promise<Account> {
  const ctx = office.at(later)
  return changeAccount(ctx, ctx.ids.seal('account', account.id), changes)
}

describe('creating an account', () => {
  test('without a plan is free, without a subscription', async () => {
    const account = await open({})
    expect(account).toMatchObject({ plan: 'free', status: 'none', billing: null, accessOpen: false })
    expect(account.periodAnchor.toISOString()).toBe(start)
  })

  test('with a paid plan makes it active at once', async () => {
    expect(await open({ plan: 'pro' })).toMatchObject({ plan: 'pro', status: 'active', accessOpen: true })
  })

  test('with a trial end puts it on trial', async () => {
    const trialEndsAt = new Date('2026-04-14T00:00:00.000Z')
    expect(await open({ plan: 'pro', trialEndsAt })).toMatchObject({ status: 'trialing', trialing: true, trialEndsAt })
  })

  test('with a trial of the free plan is rejected', async () => {
    await expect(open({ trialEndsAt: new Date(later) })).rejects.toThrow(/trial needs a paid plan/)
  })
})

describe('changing an account', () => {
  test('another plan starts a new period; the same plan and other changes do not', async () => {
    const account = await open({ plan: 'pro' })
    const kept = await change(account, { plan: 'pro', billing: 'annual', status: 'past_due' })
    expect(kept.periodAnchor.toISOString()).toBe(start)
    expect(kept).toMatchObject({ billing: 'annual', status: 'past_due', accessOpen: false })
    const raised = await change(account, { plan: 'business' })
    expect(raised.periodAnchor.toISOString()).toBe(later)
    expect(raised.status).toBe('past_due')
  })

  test('a given period start takes precedence over a new one', async () => {
    const account = await open({ plan: 'pro' })
    const periodStart = new Date('2026-05-01T00:00:00.000Z')
    expect((await change(account, { plan: 'business', periodStart })).periodAnchor).toEqual(periodStart)
  })

  test('a paid plan opens access for a free account and after a subscription has ended', async () => {
    expect(await change(await open({}), { plan: 'pro' })).toMatchObject({ status: 'active', accessOpen: true })
    const ended = await open({ plan: 'pro', status: 'canceled' })
    const again = await change(ended, { plan: 'pro' })
    expect(again).toMatchObject({ status: 'active', planInForce: 'pro' })
    expect(again.periodAnchor.toISOString()).toBe(later)
  })

  test('the free plan ends billing and trial', async () => {
    const account = await open({ plan: 'pro', billing: 'monthly', trialEndsAt: new Date('2026-06-01T00:00:00.000Z') })
    const free = await change(account, { plan: 'free' })
    expect(free).toMatchObject({ plan: 'free', status: 'none', billing: null, trialEndsAt: null, accessOpen: false })
  })

  test('a trial starts with an end date and ends without one', async () => {
    const account = await open({ plan: 'pro' })
    const trialEndsAt = new Date('2026-06-01T00:00:00.000Z')
    expect(await change(account, { trialEndsAt })).toMatchObject({ status: 'trialing', trialEndsAt })
    expect(await change(account, { trialEndsAt: null })).toMatchObject({ status: 'active', trialEndsAt: null })
  })

  test('a rejected change leaves the account unchanged', async () => {
    const account = await open({ plan: 'pro' })
    await expect(change(account, { plan: 'free', status: 'trialing' })).rejects.toThrow(/trial needs a paid plan/)
    const ctx = office.at(later)
    expect(await readAccount(ctx, ctx.ids.seal('account', account.id))).toEqual(account)
  })

  test("overrides replace the plan's limits until they are removed", async () => {
    const account = await open({ plan: 'pro' })
    const limitsOf = (of: Account) => entitlementAt(of, office.plans, new Date(later)).limits
    const set = await change(account, { limits: { search_rows: 7, store_exports: 0 } })
    expect(limitsOf(set)).toMatchObject({ search_rows: 7, store_exports: 0, contact_credits: 1000 })
    const back = await change(account, { limits: { search_rows: null } })
    expect(back.limits).toEqual({ store_exports: 0 })
    expect(limitsOf(back).search_rows).toBe(25_000)
  })

  test('concurrent changes are all applied', async () => {
    const account = await open({ plan: 'pro' })
    await Promise.all([
      change(account, { limits: { search_rows: 1 } }),
      change(account, { limits: { store_exports: 2 } }),
      change(account, { limits: { contact_credits: 3 } }),
      change(account, { billing: 'annual' }),
    ])
    const ctx = office.at(later)
    const after = await readAccount(ctx, ctx.ids.seal('account', account.id))
    expect(after.limits).toEqual({ search_rows: 1, store_exports: 2, contact_credits: 3 })
    expect(after.billing).toBe('annual')
  })
})

describe('reading an account', () => {
  test('returns the plan in force under the public id', async () => {
    const account = await open({ plan: 'pro', status: 'canceled', billing: 'monthly', email: 'mara@aurora.example' })
    const report = reportAccount(office.at(start).ids, account)
    expect(report).toEqual({
      id: expect.stringMatching(/^acct_[A-Za-z]{16}$/),
      name: 'Aurora Candles',
      email: 'mara@aurora.example',
      plan: 'free',
      status: 'canceled',
      billing: null,
      trial_ends_at: null,
      period_start: start,
      api_access: false,
      suspended_at: null,
      closed_at: null,
      limits: {},
      created_at: start,
    })
  })

  test('any unknown id is rejected', async () => {
    const { ids } = office.at(start)
    for (const id of [ids.seal('account', 4_000_000), ids.seal('key', 1), 'acct_nobody', ''])
      await expect(readAccount(office.at(start), id)).rejects.toThrow(/(No account has the id|is an id of kind "key")/)
  })
})
