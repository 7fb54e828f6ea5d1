import { mkdtempSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pickFreePort } from '@storedex/embedded-postgres/settings'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { serverPid, temporaryDirectory, until } from '../../../../packages/embedded-postgres/test/support.ts'
import { subscribe } from '../../promises/crash/support/service.ts'
import { removeFolder } from '../../support/cleanup.ts'
import { createTestDatabase } from '../../support/database.ts'
import { launcher, runShell, type Settings, startService, temporaryFolder } from './support/service.ts'
import { isAlive, send, startLoad, workersOf } from './support/workers.ts'

const slow = { timeout: 240_000 }
// A start of several processes takes long on a busy machine.
vi.setConfig({ testTimeout: 480_000, hookTimeout: 480_000 })

const lookup = '/stores/aurora-candles.example'
const search = { path: '/stores/search', body: { filters: {}, limit: 3 } }

const generous = { store_exports: 1_000_000, contact_credits: 1_000 }

/** The value of a metric by its name with labels, as a scrape shows it; 0 without it. */
async function readMetric(port: number, name: string): Promise<number> {
  const { body } = await send(`http://127.0.0.1:${port}/metrics`, { agent: false })
  const line = body.split('\n').find((each) => each.startsWith(`${name} `))
  return line === undefined ? 0 : Number(line.slice(name.length + 1))
}

describe('a service of two workers', async () => {
  const { url: databaseUrl } = await createTestDatabase()
  const dataDir = mkdtempSync(join(tmpdir(), 'storedex-start-'))
  const metricsPort = await pickFreePort()
  const ends: (() => Promise<void>)[] = [() => removeFolder(dataDir)]
  let service: ReturnType<typeof startService>
  let api: string
  let live: string
  const workers = () => workersOf(service.pid)
  const metric = (name: string) => readMetric(metricsPort, name)
  const served = (method: string, route: string) =>
    metric(`storedex_http_requests_total{method="${method}",route="/api/v1${route}",status="200"}`)

  beforeAll(async () => {
    const settings = { DATABASE_URL: databaseUrl, DATA_DIR: dataDir, METRICS_PORT: String(metricsPort) }
    service = startService(settings, ['--json', '--workers', '2'], (work) => ends.unshift(work))
    api = (await service.greeting()).api
    const subscriber = await subscribe(settings, generous)
    live = subscriber.live
  })
  afterAll(async () => {
    for (const end of ends) await end()
  })
  // Each test begins with two workers that answer.
  beforeEach(() => expect.poll(() => metric('storedex_workers'), slow).toBe(2))

  test('answers with both of them on one port, in turns, and shows the sum of their metrics', async () => {
    expect(workers()).toHaveLength(2)
    const before = await served('GET', '/stores/:domain')
    for (let i = 0; i < 6; i++)
      expect(await send(api + lookup, { agent: false, key: live })).toMatchObject({ status: 200 })
    await expect.poll(() => served('GET', '/stores/:domain')).toBe(before + 6)
    expect(await metric('storedex_workers_wanted')).toBe(2)
    for (const worker of ['1', '2', 'supervisor'])
      expect(await metric(`process_resident_memory_bytes{worker="${worker}"}`)).toBeGreaterThan(1e7)
  })

  test('replaces one that is killed; only what that one was answering fails', async () => {
    const clients = 8
    const died = await metric('storedex_workers_died_total')
    const load = startLoad(api + search.path, { key: live, clients, body: search.body })
    await load.untilAnswered(50)
    const before = workers()
    process.kill(before[0]!, 'SIGKILL')
    await load.untilAnswered(50)
    await expect.poll(() => workers().filter((pid) => !before.includes(pid)).length, slow).toBe(1)
    await expect.poll(() => metric('storedex_workers'), slow).toBe(2)
    await load.untilAnswered(50)
    const { failed } = await load.stop()
    expect(failed.length).toBeLessThanOrEqual(clients)
    expect(failed.filter((cause) => !['ECONNRESET', 'EPIPE'].includes(cause))).toEqual([])
    expect(await metric('storedex_workers_died_total')).toBe(died + 1)
    expect(service.log()).toContain('a worker died; it is replaced')
    expect(service.log()).toContain('"cause":"SIGKILL"')
    expect(workers()).toContain(before[1])
  })

  test('replaces all of them after SIGHUP under load, and no request fails; counters keep what was counted', async () => {
    const before = workers()
    const counted = await served('POST', '/stores/search')
    const load = startLoad(api + search.path, { key: live, clients: 8, body: search.body })
    await load.untilAnswered(50)
    service.hangUp()
    await expect.poll(() => service.log(), slow).toContain('all workers were replaced')
    await load.untilAnswered(50)
    const { ok, failed } = await load.stop()
    expect(failed).toEqual([])
    expect(before.filter(isAlive)).toEqual([])
    expect(workers()).toHaveLength(2)
    await expect.poll(() => served('POST', '/stores/search')).toBe(counted + ok)
  })

  test('charges reveals over both of them once each, and the ledger balances', async () => {
    const people = await send(`${api}/contacts/search`, { agent: false, key: live, body: { limit: 20 } })
    expect(people).toMatchObject({ status: 200 })
    const ids = (JSON.parse(people.body) as { data: { id: string }[] }).data.map(({ id }) => id)
    expect(ids).toHaveLength(20)
    const revealed = await Promise.all(
      // Each person twice at once, on connections of their own.
      [...ids, ...ids].map((id) =>
        send(`${api}/contacts/reveal`, { agent: false, key: live, body: { contact_ids: [id] } }),
      ),
    )
    expect(revealed.map(({ status }) => status).filter((status) => status !== 200)).toEqual([])
    const { body } = await send(`${api}/usage`, { agent: false, key: live })
    expect(JSON.parse(body)).toMatchObject({ contact_credits: { used: ids.length } })
    const checked = await runShell(
      `DATABASE_URL='${databaseUrl}' DATA_DIR='${dataDir}' '${process.execPath}' '${launcher}' ledger check --json`,
    )
    expect(JSON.parse(checked)).toMatchObject({ differences: [] })
  })
})

test('SIGTERM and Ctrl-C answer what is running, and stop the embedded PostgreSQL after the last worker', async () => {
  const dataDir = join(temporaryDirectory(), 'data')
  for (const end of ['terminate', 'interrupt'] as const) {
    const service = startService({ DATA_DIR: dataDir }, ['--json', '--workers', '2'])
    const { api } = await service.greeting()
    const { live } = await subscribe({ DATA_DIR: dataDir }, generous)
    const pids = workersOf(service.pid)
    expect(pids).toHaveLength(2)
    const load = startLoad(api + search.path, { key: live, clients: 4, body: search.body })
    await load.untilAnswered(20)
    service[end]()
    expect(await service.exitCode()).toBe(0)
    const { failed } = await load.stop()
    // Once it is closed, nobody listens; connections that nobody had accepted yet are reset.
    expect(failed.filter((cause) => !['503', 'ECONNREFUSED', 'ECONNRESET'].includes(cause))).toEqual([])
    expect(pids.filter(isAlive)).toEqual([])
    expect(serverPid(dataDir)).toBeUndefined()
  }
})

test('workers end when their supervisor was killed, and the next start finds the database as after any crash', async () => {
  const dataDir = join(temporaryDirectory(), 'data')
  const settings = { DATA_DIR: dataDir, DEMO: '0' }
  const first = startService(settings, ['--json', '--workers', '2'])
  await first.greeting()
  const pids = workersOf(first.pid)
  expect(pids).toHaveLength(2)
  first.kill()
  await until(() => !pids.some(isAlive))

  const second = startService(settings, ['--json', '--workers', '2'])
  const { api } = await second.greeting()
  expect(await send(api.replace('/api/v1', '/readyz'), { agent: false })).toMatchObject({ status: 200 })
  second.interrupt()
  expect(await second.exitCode()).toBe(0)
  expect(serverPid(dataDir)).toBeUndefined()
})

test('a second Ctrl-C ends all processes at once', async () => {
  const { url } = await createTestDatabase()
  const service = startService({ DATABASE_URL: url, DATA_DIR: temporaryFolder(), DEMO: '0' }, [
    '--json',
    '--workers',
    '2',
  ])
  await service.greeting()
  const pids = workersOf(service.pid)
  expect(pids).toHaveLength(2)
  // They cannot end by themselves.
  for (const pid of pids) process.kill(pid, 'SIGSTOP')
  let isOver = false
  const ended = service.exitCode().finally(() => {
    isOver = true
  })
  // A signal within half a second is the same Ctrl-C, passed on by npm; how late the service takes the first one is open.
  const interruptAgain = () => {
    if (!isOver) service.interrupt()
    return isOver
  }
  await expect.poll(interruptAgain, { interval: 700 }).toBe(true)
  expect(await ended).toBe(130)
  await until(() => !pids.some(isAlive))
})

describe('a start that cannot succeed', () => {
  test('of a worker ends the service with its sentence', async () => {
    const { url } = await createTestDatabase()
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void taken.close())
    const { port } = taken.address() as { port: number }
    const refusals: { settings: Settings; workers: number; sentence: string }[] = [
      { settings: { PORT: String(port) }, workers: 2, sentence: `Port ${port} is taken: ` },
      { settings: {}, workers: 64, sentence: 'The database accepts ' },
    ]
    for (const { settings, workers, sentence } of refusals) {
      const service = startService({ DATABASE_URL: url, DATA_DIR: temporaryFolder(), DEMO: '0', ...settings }, [
        ...['--json', '--workers', String(workers)],
      ])
      expect(await service.exitCode()).toBe(1)
      expect(service.log().trim().split('\n').at(-1)).toContain(sentence)
    }
  })

  test.each(['0', '65', 'two', '1.5'])('--workers %s is wrong usage', async (workers) => {
    const service = startService({ DATA_DIR: temporaryFolder() }, ['--workers', workers])
    expect(await service.exitCode()).toBe(2)
    expect(service.log()).toContain('Give a whole number from 1 to 64.')
  })
})
