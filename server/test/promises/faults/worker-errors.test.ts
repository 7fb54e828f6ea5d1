import { classifyDatabaseError } from '@storedex/pg-lanes/failures'
import { expect, test } from 'vitest'
import { startTestApp } from '../../support/app.ts'
import { countLockWaits, createTestDatabase } from '../../support/database.ts'
import { startRelay } from '../../support/relay.ts'

/** An error as a worker of Citus reports it: the constraint is named in the message only. A field of an unknown kind is skipped. */
let stripped = 0
function stripConstraint(bytes: Buffer): Buffer {
  const text = bytes.toString('latin1')
  const without = text.replace(/\0n((?:usage_counters|key_counters|lists)_\w+\0)/g, '\0X$1')
  if (without === text) return bytes
  stripped++
  return Buffer.from(without, 'latin1')
}

test('limits refuse as ever when the error does not name the constraint', async () => {
  const { url, serviceUrl } = await createTestDatabase()
  const relay = await startRelay(serviceUrl, stripConstraint)
  const environment = { DATABASE_URL: relay.url, DATABASE_OWNER_URL: url }
  const app = await startTestApp({ now: '2026-11-10T12:00:00.000Z', environment })
  await app.importStores(['a', 'b', 'c'].map((name) => ({ domain: `${name}.example`, name })))
  const key = await app.key({ limits: { store_exports: 2 }, scopes: ['stores:read'] })
  expect((await key.get('/stores/a.example')).status).toBe(200)
  // Another server takes the last export while the charge waits for the counter.
  const other = await app.db.connect()
  await other.query('begin')
  await other.query("update usage_counters set used = used + 1 where meter = 'store_exports'")
  const lookup = key.get('/stores/b.example')
  await expect.poll(() => countLockWaits(app.db), { timeout: 20_000 }).toBe(1)
  await other.query('commit')
  other.release()
  const refused = await lookup
  expect([refused.status, refused.body.error.param]).toEqual([429, 'store_exports'])
  expect(stripped).toBeGreaterThan(0)
})

test('a lost worker is a database that is away, not a defect', () => {
  const lost = (code: string, message: string) => classifyDatabaseError(Object.assign(new Error(message), { code }))
  expect(lost('XX000', 'failure on connection marked as essential: 10.0.0.21:5432')).toBe('away')
  expect(lost('08006', 'connection to the remote node postgres@10.0.0.21:5432 failed')).toBe('away')
  expect(lost('XX000', 'invalid page in block 3')).toBe('files_unusable')
})
