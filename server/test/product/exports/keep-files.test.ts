import { beforeAll, describe, expect, test } from 'vitest'
import { eraseContacts } from '../../../src/catalogue/erasure/erase-contacts.ts'
import { requireDiskSpace } from '../../../src/product/exports/keep-files.ts'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'
import { createExport, download, endOf, run } from './support.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  const shops = Array.from({ length: 30 }, (_, i) => `shop-${i}.example`)
  await app.importStores(shops.map((domain) => ({ domain, name: domain })))
  await app.importContacts([
    { store_domain: shops[0]!, first_name: 'Mara', emails: [{ email: `mara@${shops[0]}`, status: 'verified' }] },
  ])
})

const scopes = ['usage:read', 'stores:read', 'contacts:reveal', 'exports:manage'] as const
const newKey = (limits: Record<string, number>) =>
  app.key({ scopes, limits: { requests_per_minute: 100_000, requests_per_day: 100_000, ...limits } })
const stores = { kind: 'stores', filters: {}, format: 'ndjson', max_rows: 1000 }
const refused = { status: 429, body: { error: { code: 'rate_limit_exceeded', param: 'exports' } } }

async function storedBytes({ account }: TestKey): Promise<number> {
  const { rows } = await app.db.query<{ bytes: number }>(
    'select coalesce(sum(length(bytes)), 0)::integer as bytes from export_chunks where account_id = $1',
    [app.accountNumber(account)],
  )
  return rows[0]!.bytes
}

describe('the files that an account keeps', () => {
  test('are at most as many as its limit, however many are asked for at once', async () => {
    const key = await newKey({ ready_exports: 5 })
    const replies = await Promise.all(Array.from({ length: 40 }, () => key.post('/exports', stores)))
    const accepted = replies.filter(({ status }) => status === 201)
    expect(accepted).toHaveLength(5)
    for (const reply of replies) if (reply.status !== 201) expect(reply).toMatchObject(refused)
    for (const { body } of accepted) expect(await endOf(key, body.id)).toMatchObject({ status: 'ready' })
    const before = await storedBytes(key)
    expect(await key.post('/exports', stores)).toMatchObject(refused)
    expect(await storedBytes(key)).toBe(before)
    // The sandbox has files of its own.
    const sandbox = await app.keyOf(key.account, { mode: 'test', scopes })
    expect(await run(sandbox, stores)).toMatchObject({ status: 'ready' })
  })

  test('are named in the refusal, the oldest first, and when the first one goes by itself', async () => {
    const key = await newKey({ ready_exports: 2 })
    const first = await run(key, stores)
    app.clock.advance(3_600_000)
    const second = await run(key, stores)
    const reply = await key.post('/exports', stores)
    expect(reply.body.error.message).toBe(
      `This account keeps 2 files of exports, and 2 are the most that it may. Delete files that are no longer needed, with DELETE /exports/{id} or in the console; the oldest: ${first.id} of 2026-11-10, ${second.id} of 2026-11-10.`,
    )
    expect(Number(reply.headers.get('retry-after'))).toBe(71 * 3_600)
    // Expired, though not yet removed.
    app.clock.advance(71 * 3_600_000)
    expect(await run(key, stores)).toMatchObject({ status: 'ready' })
    expect((await key.get(`/exports/${first.id}`)).body.status).toBe('expired')
    expect(await key.post('/exports', stores)).toMatchObject(refused)
  })

  test('are bounded in bytes: what was accepted is finished, and no other begins', async () => {
    const key = await newKey({ ready_export_bytes: 2_000 })
    const whole = await run(key, stores)
    expect(whole).toMatchObject({ status: 'ready', file: { rows: 30 } })
    expect(whole.file!.bytes).toBeGreaterThan(2_000)
    const reply = await key.post('/exports', stores)
    expect(reply).toMatchObject(refused)
    expect(reply.body.error.message).toContain(whole.id)
    expect(reply.body.error.message).toContain(' MB')
    expect((await download(app, key, whole.id)).status).toBe(200)
    await app.setAccount(key.account, { limits: { ready_export_bytes: 2_000_000 } })
    expect(await run(key, stores)).toMatchObject({ status: 'ready' })
  })

  test('make room when one is deleted, also by a request that was sent twice', async () => {
    const key = await newKey({ ready_exports: 1 })
    const first = await run(key, stores)
    const headers = { 'idempotency-key': crypto.randomUUID() }
    expect(await key.post('/exports', stores, headers)).toMatchObject(refused)
    const deleted = await key.delete(`/exports/${first.id}`)
    expect(deleted).toMatchObject({
      status: 200,
      body: { id: first.id, status: 'expired', file: null, cost: first.cost },
    })
    expect(await storedBytes(key)).toBe(0)
    expect(await key.post('/exports', stores, headers)).toMatchObject({ status: 201 })
    // Deleting again changes nothing, also not the new one.
    expect(await key.delete(`/exports/${first.id}`)).toMatchObject({ status: 200, body: { status: 'expired' } })
    expect(await key.post('/exports', stores)).toMatchObject(refused)
    expect((await download(app, key, first.id)).status).toBe(410)
    expect((await key.get('/usage')).body.store_exports).toMatchObject({ used: 30, reserved: 0 })
  })

  test('are gone at once when one that waits or runs is deleted, with what it had reserved', async () => {
    const key = await newKey({})
    const made = await Promise.all(Array.from({ length: 12 }, () => createExport(key, stores)))
    const replies = await Promise.all(made.map(({ id }) => key.delete(`/exports/${id}`)))
    for (const { body } of replies) expect(body).toMatchObject({ status: 'expired', finished_at: expect.any(String) })
    expect(await storedBytes(key)).toBe(0)
    expect((await key.get('/usage')).body.store_exports.reserved).toBe(0)
    expect((await key.get('/exports')).body.data.map(({ status }: { status: string }) => status)).toEqual(
      made.map(() => 'expired'),
    )
  })

  test('make room when an erasure takes one', async () => {
    const key = await newKey({ ready_exports: 1 })
    await run(key, { kind: 'contacts', format: 'ndjson', max_rows: 10, max_credits: 10 })
    expect(await key.post('/exports', stores)).toMatchObject(refused)
    await eraseContacts(app.operator, { email: 'mara@shop-0.example' })
    expect(await run(key, stores)).toMatchObject({ status: 'ready' })
  })

  test('of another account can be neither deleted nor found', async () => {
    const [key, other] = [await newKey({}), await newKey({})]
    const { id } = await run(key, stores)
    const reply = await other.delete(`/exports/${id}`)
    expect(reply).toMatchObject({ status: 404, body: { error: { code: 'export_not_found' } } })
    expect((await download(app, key, id)).status).toBe(200)
  })
})

test('a nearly full disk of the service’s own database refuses new exports, and says so', async () => {
  const full = { databaseUrl: null, dataDir: '/proc' }
  await expect(requireDiskSpace(full)).rejects.toMatchObject({
    code: 'service_unavailable',
    message: expect.stringContaining('nearly full'),
  })
  await requireDiskSpace({ ...full, databaseUrl: 'postgresql://db.example/storedex' })
})
