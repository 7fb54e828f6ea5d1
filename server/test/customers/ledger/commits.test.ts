import { afterAll, beforeAll, expect, test } from 'vitest'
import { CachedKey } from '../../../src/customers/admission/key-cache.ts'
import { readKey } from '../../../src/customers/admission/queries.ts'
import { keyActor } from '../../../src/customers/auth/actor.ts'
import type { RequestAdmission } from '../../../src/customers/auth/caller.ts'
import { chargeItemOf, type Spending } from '../../../src/customers/ledger/spending.ts'
import { type Client, type ConnectionPool, createPool } from '../../../src/foundation/db/pool.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { identifyKey } from './support/spend.ts'

let app: TestApp
let pool: ConnectionPool
let known: CachedKey
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  const { secret } = await app.key({})
  pool = createPool({ url: app.deps.databaseUrl, applicationName: 'commits', maxConnections: 1 })
  known = new CachedKey((await readKey(pool, { ...(await identifyKey(pool, secret)), hour: null }))!)
})
afterAll(() => pool.end())

/** Admits a request and charges it in the transaction of the client. */
async function charge(db: Client, spending: Spending): Promise<void> {
  const now = app.clock.now()
  const admission = { known, requestedAt: now, isPending: true } as unknown as RequestAdmission
  const caller = known.callerAt(now, app.deps.plans, 'stores:read')!
  const item = chargeItemOf({ db, now, requestId: 'req_1', caller, actor: keyActor(caller), admission }, spending)
  const sent = await app.deps.charges.chargeWithin(db, [item])
  expect(sent?.outcomes).toMatchObject([{ state: 'paid' }])
}

/** Whether a commit on this connection is synchronous now. */
async function isCommitSynchronous(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ synchronous_commit: string }>('show synchronous_commit')
  return rows[0]!.synchronous_commit === 'on'
}

test.each([
  ['a request that costs nothing', {}, false],
  ['one that charges', { search_rows: { amount: 2 }, store_exports: { ids: [1, 2] } }, true],
  ['one that keeps a reply', { keepsMore: true }, true],
] satisfies [string, Spending, boolean][])('%s commits synchronously or not', async (_, spending, isSynchronous) => {
  const client = await pool.connect()
  try {
    await client.query('set synchronous_commit = on')
    await client.query('begin')
    await charge(client, spending)
    expect(await isCommitSynchronous(client)).toBe(isSynchronous)
    await client.query('rollback')
    expect(await isCommitSynchronous(client)).toBe(true)
  } finally {
    client.release()
  }
})
