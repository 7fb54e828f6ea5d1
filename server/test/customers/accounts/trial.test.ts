import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Account, type AccountTerms, entitlementAt } from '../../../src/customers/accounts/account.ts'
import type { NewAccount } from '../../../src/customers/accounts/open-account.ts'
import {
  type AccountChanges,
  changeAccount,
  createAccount,
} from '../../../src/customers/administration/change-account.ts'
import { monthlyPeriodAt } from '../../../src/foundation/kernel/time.ts'
import { openAccountsContext } from '../administration/support/accounts-context.ts'

const office = openAccountsContext()
const march = '2026-03-10T08:00:00.000Z'
const iso = (moment: Date | null) => moment?.toISOString() ?? null

function open(at: string, input: Omit<NewAccount, 'name' | 'plan'>): Promise<Account> {
  return createAccount(office.at(at), { name: 'Aurora Candles', plan: 'pro', ...input })
}

function change(account: Account, at: string, changes: AccountChanges): Promise<Account> {
  const ctx = office.at(at)
  return changeAccount(ctx, ctx.ids.seal('account', account.id), changes)
}

function creditsPeriodOf(terms: AccountTerms, now: string): [string, string] {
  const { start, end } = entitlementAt(terms, office.plans, new Date(now)).creditsPeriod
  return [start.toISOString(), end.toISOString()]
}

describe('a trial starts', () => {
  test('with the account, at its period start or at once', async () => {
    const trialEndsAt = new Date('2026-04-01T00:00:00.000Z')
    expect(iso((await open(march, { trialEndsAt })).trialStartedAt)).toBe(march)
    const periodStart = new Date('2026-03-01T00:00:00.000Z')
    expect((await open(march, { trialEndsAt, periodStart })).trialStartedAt).toEqual(periodStart)
    expect((await open(march, { periodStart })).trialStartedAt).toBeNull()
  })

  test('never later than its grant, even if its months are counted from a future day', async () => {
    const account = await open(march, { status: 'trialing', periodStart: new Date('2026-03-25T00:00:00.000Z') })
    expect(iso(account.trialStartedAt)).toBe(march)
    expect(creditsPeriodOf(account, march)).toEqual(['2026-02-25T00:00:00.000Z', '2026-03-25T00:00:00.000Z'])
  })

  test('when an account is set on trial, and not again while it lasts', async () => {
    const paid = await open(march, {})
    const began = '2026-05-20T00:00:00.000Z'
    const trialing = await change(paid, began, { trialEndsAt: new Date('2026-06-20T00:00:00.000Z') })
    expect(iso(trialing.trialStartedAt)).toBe(began)
    const prolonged = await change(paid, '2026-06-01T00:00:00.000Z', {
      trialEndsAt: new Date('2026-07-20T00:00:00.000Z'),
      periodStart: new Date('2026-06-01T00:00:00.000Z'),
      status: 'trialing',
    })
    expect(iso(prolonged.trialStartedAt)).toBe(began)
  })

  test('with its given period', async () => {
    const periodStart = new Date('2026-05-02T00:00:00.000Z')
    const account = await change(await open(march, {}), '2026-05-20T00:00:00.000Z', { status: 'trialing', periodStart })
    expect(account.trialStartedAt).toEqual(periodStart)
  })
})

test.each([
  ['within its first month', '03-24T00', '03-20T00', ['03-10T08', '03-24T00'], '03-24T00'],
  ['before its first boundary', '04-24T00', '03-20T00', ['03-10T08', '04-10T08'], '04-24T00'],
  ['after it', '04-24T00', '04-20T00', ['04-10T08', '04-24T00'], '04-24T00'],
  ['when its end has come and was not heard of', '03-24T00', '03-24T00', ['03-10T08', '04-10T08'], '04-10T08'],
])('a trial at the payment provider counts from its start to its end: %s', async (_when, ends, now, month, end) => {
  const at = (short: string) => new Date(`2026-${short}:00:00.000Z`)
  const account = await open(march, { trialEndsAt: at(ends) })
  const entitlement = entitlementAt({ ...account, subscriptionId: 'sub_1' }, office.plans, at(now))
  expect(entitlement.period).toEqual({ start: at(month[0]!), end: at(month[1]!) })
  expect(entitlement.creditsPeriod).toEqual({ start: new Date(march), end: at(end) })
})

test.each<[string, AccountChanges]>([
  ['its end is taken away', { trialEndsAt: null }],
  ['the account becomes active', { status: 'active' }],
  ['the account lapses', { status: 'past_due' }],
  ['the subscription is canceled', { status: 'canceled' }],
  ['the account becomes free', { plan: 'free' }],
])('a trial ends when %s, and a later one starts again', async (_what, ending) => {
  const account = await open(march, { trialEndsAt: new Date('2026-06-01T00:00:00.000Z') })
  const ended = await change(account, '2026-04-20T00:00:00.000Z', ending)
  expect(ended).toMatchObject({ trialing: false, trialStartedAt: null })
  const entitlement = entitlementAt(ended, office.plans, new Date('2026-04-20T00:00:00.000Z'))
  expect(entitlement.creditsPeriod).toEqual(entitlement.period)
  const again = '2026-08-01T00:00:00.000Z'
  const second = await change(account, again, { plan: 'pro', trialEndsAt: new Date('2026-09-01T00:00:00.000Z') })
  expect(iso(second.trialStartedAt)).toBe(again)
})

test('another plan during a trial keeps its months', async () => {
  const account = await open(march, { trialEndsAt: new Date('2026-04-20T00:00:00.000Z') })
  const changed = await change(account, '2026-03-28T00:00:00.000Z', { plan: 'business' })
  expect(changed).toMatchObject({ trialing: true, planInForce: 'business' })
  expect(iso(changed.periodAnchor)).toBe(march)
  const now = '2026-03-29T00:00:00.000Z'
  expect(creditsPeriodOf(changed, now)).toEqual(creditsPeriodOf(account, now))
})

describe("a trial's credits are counted over all months that it overlaps", () => {
  test.each([
    ['within one month', '2026-03-24T00:00:00Z', '2026-03-20T00:00:00Z', '2026-04-10T08:00:00.000Z'],
    ['up to the boundary', '2026-04-10T08:00:00Z', '2026-03-20T00:00:00Z', '2026-04-10T08:00:00.000Z'],
    ['a moment over it', '2026-04-10T08:00:00.001Z', '2026-03-20T00:00:00Z', '2026-05-10T08:00:00.000Z'],
    ['across a boundary, seen before it', '2026-04-15T00:00:00Z', '2026-04-10T07:59:59Z', '2026-05-10T08:00:00.000Z'],
    ['across a boundary, seen after it', '2026-04-15T00:00:00Z', '2026-04-10T08:00:00Z', '2026-05-10T08:00:00.000Z'],
    ['for a hundred days', '2026-06-18T08:00:00Z', '2026-03-10T08:00:00Z', '2026-07-10T08:00:00.000Z'],
    ['longer than it was meant to', '2026-03-24T00:00:00Z', '2026-05-20T00:00:00Z', '2026-06-10T08:00:00.000Z'],
    ['without an end', null, '2026-12-24T00:00:00Z', '2027-01-10T08:00:00.000Z'],
  ])('%s', async (_what, trialEnds, now, end) => {
    const account = await open(march, {
      status: 'trialing',
      ...(trialEnds && { trialEndsAt: new Date(trialEnds) }),
    })
    expect(creditsPeriodOf(account, now)).toEqual([march, end])
  })

  test('from the start of its first month', async () => {
    const paid = await open(march, {})
    const trialing = await change(paid, '2026-05-09T00:00:00.000Z', {
      trialEndsAt: new Date('2026-05-23T00:00:00.000Z'),
    })
    expect(creditsPeriodOf(trialing, '2026-05-09T00:00:00.000Z')).toEqual([
      '2026-04-10T08:00:00.000Z',
      '2026-06-10T08:00:00.000Z',
    ])
  })

  test.each([
    ['2028-01-31T00:00:00.000Z', '2028-03-01T00:00:00Z', '2028-02-29T00:00:00Z', '2028-03-31T00:00:00.000Z'],
    ['2026-01-31T00:00:00.000Z', '2026-02-28T00:00:00Z', '2026-02-27T23:59:59Z', '2026-02-28T00:00:00.000Z'],
    ['2028-02-29T00:00:00.000Z', '2028-03-14T00:00:00Z', '2028-03-01T00:00:00Z', '2028-03-29T00:00:00.000Z'],
    ['2027-12-30T12:00:00.000Z', '2028-02-29T12:00:00.001Z', '2028-02-01T00:00:00Z', '2028-03-30T12:00:00.000Z'],
  ])('from %s to %s, months of unequal length included', async (start, trialEnds, now, end) => {
    const account = await open(start, { trialEndsAt: new Date(trialEnds) })
    expect(creditsPeriodOf(account, now)).toEqual([start, end])
  })

  test('for any anchor, start and end, the credits period has one start during a trial', () => {
    const moment = fc.date({
      min: new Date('2023-01-01T00:00:00Z'),
      max: new Date('2030-01-01T00:00:00Z'),
      noInvalidDate: true,
    })
    const lengthMs = fc.integer({ min: 0, max: 400 * 86_400_000 })
    fc.assert(
      fc.property(moment, moment, lengthMs, lengthMs, lengthMs, (periodAnchor, trialStartedAt, ends, first, next) => {
        const terms: AccountTerms = {
          plan: 'pro',
          planInForce: 'pro',
          status: 'trialing',
          trialing: true,
          accessOpen: true,
          periodAnchor,
          trialStartedAt,
          trialEndsAt: new Date(trialStartedAt.getTime() + ends),
          limits: {},
          createdAt: trialStartedAt,
          subscriptionId: null,
          hasPaymentMethod: false,
          suspendedAt: null,
          closedAt: null,
        }
        const nows = [first, first + next].map((ms) => new Date(trialStartedAt.getTime() + ms))
        for (const now of nows) {
          const { creditsPeriod, period } = entitlementAt(terms, office.plans, now)
          expect(creditsPeriod.start).toEqual(monthlyPeriodAt(periodAnchor, trialStartedAt).start)
          expect(creditsPeriod.end.getTime()).toBeGreaterThanOrEqual(period.end.getTime())
          expect(creditsPeriod.end.getTime()).toBeGreaterThanOrEqual(terms.trialEndsAt!.getTime())
          // A month boundary, with no month more than the trial overlaps.
          const lastMonth = monthlyPeriodAt(periodAnchor, new Date(creditsPeriod.end.getTime() - 1))
          expect(lastMonth.end).toEqual(creditsPeriod.end)
          expect(lastMonth.start.getTime()).toBeLessThanOrEqual(
            Math.max(now.getTime(), trialStartedAt.getTime() + ends - 1, trialStartedAt.getTime()),
          )
        }
      }),
      { numRuns: 300 },
    )
  })
})
