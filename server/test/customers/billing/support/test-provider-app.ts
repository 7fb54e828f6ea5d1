import { expect } from 'vitest'
import { scopes } from '../../../../src/customers/auth/caller.ts'
import type { ProviderSubscription } from '../../../../src/customers/billing/provider.ts'
import { startTestApp, type TestApp, type TestAppOptions, type TestKey } from '../../../support/app.ts'
import { createTestProvider, subscribed, type TestProvider } from '../../../support/billing-provider.ts'
import type { TestReply } from '../../../support/client.ts'

const now = '2026-11-10T12:00:00.000Z'

export interface TestProviderApp {
  app: TestApp
  provider: TestProvider
  /** Creates an account of plan free; returns a key with every scope. */
  free(limits?: Record<string, number>): Promise<TestKey>
  /** Creates an account with a customer whose subscriptions are not synced yet; returns a key with every scope. */
  customer(...subscriptions: Partial<ProviderSubscription>[]): Promise<TestKey>
  accountRow(key: TestKey): Promise<Record<string, unknown>>
}

/** Starts the production app with a test provider. */
export async function startAppWithTestProvider(options: Partial<TestAppOptions> = {}): Promise<TestProviderApp> {
  const provider = createTestProvider()
  const app = await startTestApp({ now, billing: provider, ...options })
  const rowOf = async (key: TestKey) =>
    (await app.db.query('select * from accounts where id = $1', [app.accountNumber(key.account)])).rows[0]
  const free: TestProviderApp['free'] = async (limits = {}) => {
    // A key can only be created with access; then take the plan away.
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

/** Expects a 429 for the limit `param`. */
export function expectLimited(reply: TestReply, param: string) {
  expect({ status: reply.status, ...reply.body.error }).toMatchObject({
    status: 429,
    type: 'rate_limit_error',
    code: 'rate_limit_exceeded',
    param,
  })
}

/** A promise with its resolve function. */
export function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>((fulfil) => {
    resolve = fulfil
  })
  return { promise, resolve }
}

/** Returns and clears the recorded calls. */
export function takeCalls(provider: TestProvider): string[] {
  return provider.calls.splice(0).map(({ call }) => call)
}
