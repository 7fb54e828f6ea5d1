import { buildApp } from '../../../src/app.ts'
import { scopes } from '../../../src/auth/caller.ts'
import { tryLockReconciliation } from '../../../src/billing/queries.ts'
import { openDeps } from '../../../src/deps.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { atEnd } from '../../support/cleanup.ts'
import { deliver, type FakeStripe, startFakeStripe } from './fake-stripe.ts'

export interface BillingWorld extends TestApp {
  stripe: FakeStripe
  /** An account that the provider knows as this customer, and a key of it. */
  customer(customerId: string, subscriptions: object[]): ReturnType<TestApp['key']>
  /** Delivers an event as it would be signed now. */
  deliver(event: object | string): ReturnType<typeof deliver>
  /** The row of an account. */
  row(account: string): Promise<Record<string, unknown>>
  /** Until then the server does not reconcile by itself, so that what a test reads and counts is its own doing. */
  letServerReconcile(): void
  outcomeOf(eventId: string): Promise<{ outcome: string | null; handled: boolean } | undefined>
}

export const now = '2026-03-10T08:00:00.000Z'

/** The production app beside a provider that answers as the test wishes. */
export async function openBillingWorld(): Promise<BillingWorld> {
  const stripe = await startFakeStripe()
  const app = await startTestApp({ now, environment: stripe.environment })
  return {
    ...app,
    stripe,
    letServerReconcile: await keepFromReconciling(app),
    async customer(customerId, subscriptions) {
      stripe.subscriptions.set(customerId, subscriptions)
      // A key needs access, which is what the account loses then.
      const key = await app.key({ scopes })
      await app.setAccount(key.account, { plan: 'free' })
      await app.db.query('update accounts set customer_id = $2 where id = $1', [
        app.accountNumber(key.account),
        customerId,
      ])
      return key
    },
    deliver: (event) => deliver(app.url, event, { at: app.clock.now() }),
    async row(account) {
      const { rows } = await app.db.query('select * from accounts where id = $1', [app.accountNumber(account)])
      return rows[0]
    },
    async outcomeOf(eventId) {
      const { rows } = await app.db.query(
        'select outcome, handled_at is not null as handled from billing_events where id = $1',
        [eventId],
      )
      return rows[0]
    },
  }
}

/** Keeps servers from reconciling by themselves, until what it answers with is called or the file's tests are over. */
export async function keepFromReconciling(app: TestApp): Promise<() => void> {
  const holder = await app.db.connect()
  while (!(await tryLockReconciliation(holder))) await new Promise((resolve) => setTimeout(resolve, 20))
  let isHeld = true
  const letServerReconcile = () => {
    if (isHeld) holder.release(true)
    isHeld = false
  }
  atEnd(letServerReconcile)
  return letServerReconcile
}

/** A second server on the same database. */
export async function startSecondServer(app: TestApp): Promise<string> {
  const deps = await openDeps(app.deps.config, { applicationName: 'storedex test', clock: app.clock })
  const second = await buildApp(deps)
  atEnd(async () => {
    await second.close()
    await deps.close()
  })
  return second.listen({ host: '127.0.0.1', port: 0 })
}
