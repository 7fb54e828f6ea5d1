import { scopes } from '../../../../src/customers/auth/caller.ts'
import { tryLockReconciliation } from '../../../../src/customers/billing/queries.ts'
import { startTestApp, type TestApp } from '../../../support/app.ts'
import { atEnd } from '../../../support/cleanup.ts'
import { openTestDeps, serveTestDeps } from '../../../support/deps.ts'
import { deliver, type FakeStripe, startFakeStripe } from './fake-stripe.ts'

export interface FakeStripeApp extends TestApp {
  stripe: FakeStripe
  /** Creates an account of plan free with this customer; returns a key with every scope. */
  customer(customerId: string, subscriptions: object[]): ReturnType<TestApp['key']>
  /** Delivers an event, signed now. */
  deliver(event: object | string): ReturnType<typeof deliver>
  /** The row of an account. */
  row(account: string): Promise<Record<string, unknown>>
  /** Lets the server reconcile by itself, which is prevented until then. */
  allowReconciliation(): void
  eventOutcome(eventId: string): Promise<{ outcome: string | null; handled: boolean } | undefined>
}

export const now = '2026-03-10T08:00:00.000Z'

/** Starts the production app with a fake of Stripe. */
export async function startAppWithFakeStripe(): Promise<FakeStripeApp> {
  const stripe = await startFakeStripe()
  const app = await startTestApp({ now, environment: stripe.environment })
  return {
    ...app,
    stripe,
    allowReconciliation: await preventReconciliation(app),
    async customer(customerId, subscriptions) {
      stripe.subscriptions.set(customerId, subscriptions)
      // A key can only be created with access; then take the plan away.
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
    async eventOutcome(eventId) {
      const { rows } = await app.db.query(
        'select outcome, handled_at is not null as handled from billing_events where id = $1',
        [eventId],
      )
      return rows[0]
    },
  }
}

/** Prevents servers from reconciling by themselves until the returned function is called or the file's tests end. */
export async function preventReconciliation(app: TestApp): Promise<() => void> {
  const holder = await app.db.connect()
  while (!(await tryLockReconciliation(holder))) await new Promise((resolve) => setTimeout(resolve, 20))
  let isHeld = true
  const allowReconciliation = () => {
    if (isHeld) holder.release(true)
    isHeld = false
  }
  atEnd(allowReconciliation)
  return allowReconciliation
}

/** Starts a second server on the same database; returns its URL. */
export async function startSecondServer(app: TestApp): Promise<string> {
  return serveTestDeps(await openTestDeps(app.deps.config, { clock: app.clock }))
}
