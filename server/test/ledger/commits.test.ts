import { afterAll, beforeAll, expect, test } from 'vitest'
import { admit } from '../../src/admission/admit.ts'
import type { CallerContext } from '../../src/auth/caller.ts'
import { type Client, type ConnectionPool, createPool } from '../../src/db/pool.ts'
import { startTestApp } from '../support/app.ts'
import { identifyKey, spendRows } from './support/spend.ts'

let pool: ConnectionPool
let admitOn: (client: Client) => Promise<CallerContext>
beforeAll(async () => {
  const app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  const { secret } = await app.key({})
  pool = createPool({ url: app.deps.databaseUrl, applicationName: 'commits', maxConnections: 1 })
  admitOn = async (db) => {
    const now = app.clock.now()
    const { caller } = await admit(
      { db, now, plans: app.deps.plans, billingPageOf: () => 'https://storedex.example/billing' },
      { ...(await identifyKey(db, secret)), scope: 'stores:read', readSearchRows: true },
    )
    return { db, now, requestId: 'req_1', caller }
  }
})
afterAll(() => pool.end())

/** Whether a commit on this connection is synchronous now. */
async function isCommitSynchronous(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ synchronous_commit: string }>('show synchronous_commit')
  return rows[0]!.synchronous_commit === 'on'
}

test('admission commits asynchronously, a charge synchronously', async () => {
  const client = await pool.connect()
  try {
    await client.query('set synchronous_commit = on')
    const ctx = await admitOn(client)
    expect(await isCommitSynchronous(client)).toBe(true)

    await client.query('begin')
    await admitOn(client)
    expect(await isCommitSynchronous(client)).toBe(false)
    await client.query('rollback')

    await client.query('begin')
    await spendRows(ctx, [1, 2])
    expect(await isCommitSynchronous(client)).toBe(true)
    await client.query('rollback')
  } finally {
    client.release()
  }
})
