import { expect } from 'vitest'
import { scopes } from '../../../src/auth/caller.ts'
import type { ProviderSubscription } from '../../../src/billing/provider.ts'
import { startTestApp, type TestApp, type TestAppOptions, type TestKey } from '../../support/app.ts'
import { createTestProvider, subscribed, type TestProvider } from '../../support/billing-provider.ts'
import type { TestReply } from '../../support/client.ts'

const now = '2026-11-10T12:00:00.000Z'

export interface LinksWorld {
  app: TestApp
  provider: TestProvider
  /** A key of an account of plan free, with every scope. */
  free(limits?: Record<string, number>): Promise<TestKey>
  /** A key of an account that has a customer with these subscriptions, of which nothing is known here yet. */
  customer(...subscriptions: Partial<ProviderSubscription>[]): Promise<TestKey>
  accountRow(key: TestKey): Promise<Record<string, unknown>>
}

/** The production app beside a payment provider that does as it is told. */
export async function startLinksWorld(options: Partial<TestAppOptions> = {}): Promise<LinksWorld> {
  const provider = createTestProvider()
  const app = await startTestApp({ now, billing: provider, ...options })
  const rowOf = async (key: TestKey) =>
    (await app.db.query('select * from accounts where id = $1', [app.accountNumber(key.account)])).rows[0]
  const free: LinksWorld['free'] = async (limits = {}) => {
    // A key needs access to be made, which is what the account loses then.
    const key = await app.key({ scopes, limits })
    await app.setAccount(key.account, { plan: 'free' })
    return key
  }
  return {
    app,
    provider,
    free,
    customer: async (...subscriptions) => {
      const key = await free()
      const customerId = `cus_${key.account}`
      provider.subscriptions.set(
        customerId,
        subscriptions.map((traits) => subscribed({ customerId, ...traits })),
      )
      await app.db.query('update accounts set customer_id = $2 where id = $1', [
        app.accountNumber(key.account),
        customerId,
      ])
      return key
    },
    accountRow: rowOf,
  }
}

/** A 429 for the sake of that limit. */
export function expectLimited(reply: TestReply, param: string) {
  expect({ status: reply.status, ...reply.body.error }).toMatchObject({
    status: 429,
    type: 'rate_limit_error',
    code: 'rate_limit_exceeded',
    param,
  })
}

/** A promise that the test fulfils when it likes. */
export function heldPromise<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>((fulfil) => {
    resolve = fulfil
  })
  return { promise, resolve }
}

/** Calls of the provider since the last time it was asked. */
export function callsOf(provider: TestProvider): string[] {
  return provider.calls.splice(0).map(({ call }) => call)
}
