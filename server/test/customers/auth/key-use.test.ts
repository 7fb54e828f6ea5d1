import { beforeEach, expect, test } from 'vitest'
import { KeyUsageRecorder } from '../../../src/customers/auth/key-directory.ts'
import { createPool } from '../../../src/foundation/db/pool.ts'
import { runCommand } from '../../doors/cli/support/run-command.ts'
import { startTestApp, type TestKey } from '../../support/app.ts'
import { createClient, type TestClient } from '../../support/client.ts'
import { buildTestApp } from '../../support/deps.ts'

const start = '2026-11-10T12:34:56.789Z'
const hour = '2026-11-10T12:00:00.000Z'
const app = await startTestApp({ now: start })
beforeEach(() => app.clock.set(start))

/** The last use that a server has written when it is closed. */
async function withServer(work: (caller: (key: TestKey) => TestClient) => Promise<void>): Promise<void> {
  const server = await buildTestApp(app.deps)
  const url = await server.listen({ host: '127.0.0.1', port: 0 })
  try {
    await work((key) => createClient(url, key.secret))
  } finally {
    await server.close()
  }
}

async function listed(key: TestKey): Promise<{ last_used_at: string | null }> {
  const { stdout } = await runCommand(app.deps, ['keys', 'list', key.account, '--json'])
  return JSON.parse(stdout).find(({ id }: { id: string }) => id === key.id)
}

/** The row version of a key: every write changes it. */
async function versionOf(key: TestKey): Promise<string> {
  const { rows } = await app.db.query('select xmin::text from api_keys where id = $1', [numberOf(key)])
  return rows[0].xmin
}

const numberOf = (key: TestKey) => app.deps.ids.open(key.id)!.value

test('a key records the hour of its last admitted request', async () => {
  const [used, refused, idle] = [await app.key({}), await app.key({ scopes: ['usage:read'] }), await app.key({})]
  await withServer(async (caller) => {
    expect((await caller(used).get('/taxonomy')).status).toBe(200)
    expect((await caller(refused).get('/taxonomy')).status).toBe(403)
  })
  expect((await listed(used)).last_used_at).toBe(hour)
  expect([await listed(refused), await listed(idle)]).toMatchObject([{ last_used_at: null }, { last_used_at: null }])
  const { stdout } = await runCommand(app.deps, ['keys', 'list', used.account])
  expect(stdout).toMatch(/status +last used/)
  expect(stdout).toContain(hour)
})

test("admission does not write the key's row, and each hour costs one write", async () => {
  const key = await app.key({})
  const made = await versionOf(key)
  await withServer(async (caller) => {
    for (let i = 0; i < 5; i++) await caller(key).get('/taxonomy')
    expect(await versionOf(key)).toBe(made)
  })
  const written = await versionOf(key)
  expect(written).not.toBe(made)
  await withServer(async (caller) => {
    await caller(key).get('/taxonomy')
  })
  expect(await versionOf(key)).toBe(written)
  app.clock.set('2026-11-10T13:00:00.000Z')
  await withServer(async (caller) => {
    await caller(key).get('/taxonomy')
  })
  expect((await listed(key)).last_used_at).toBe('2026-11-10T13:00:00.000Z')
})

test('a failed write is retried', async () => {
  const keys = [await app.key({}), await app.key({})]
  const use = new KeyUsageRecorder()
  for (const key of keys) use.record(numberOf(key), app.clock.now())
  const away = createPool({ url: 'postgres://nobody@127.0.0.1:1/nothing', applicationName: 'away' })
  await expect(use.flush(away, app.clock.now())).rejects.toThrow('ECONNREFUSED')
  await away.end()
  await use.flush(app.db, app.clock.now())
  for (const key of keys) expect((await listed(key)).last_used_at).toBe(hour)
})

test('of two servers the later hour stays, unless a wrong clock wrote it', async () => {
  const key = await app.key({})
  const write = async (moment: string, now = moment) => {
    const use = new KeyUsageRecorder()
    use.record(numberOf(key), new Date(moment))
    await use.flush(app.db, new Date(now))
    return (await listed(key)).last_used_at
  }
  expect(await write('2026-11-10T14:10:00.000Z')).toBe('2026-11-10T14:00:00.000Z')
  expect(await write('2026-11-10T13:59:00.000Z', '2026-11-10T14:10:00.000Z')).toBe('2026-11-10T14:00:00.000Z')
  expect(await write('2036-11-10T14:00:00.000Z')).toBe('2036-11-10T14:00:00.000Z')
  expect(await write(start)).toBe(hour)
})
