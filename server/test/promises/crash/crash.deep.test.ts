import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { serverPid, temporaryDirectory, until } from '../../../../packages/embedded-postgres/test/support.ts'
import { Load, randomFrom, type Tally } from './support/load.ts'
import { sendRequestOrThrow } from './support/requests.ts'
import {
  killPostgres,
  killWithinStart,
  query,
  type Service,
  startService,
  subscribe,
  waitUntilReady,
} from './support/service.ts'

// Each counter with the number of rows it counts; a full join, so that neither side can be missing.
const books = `
with entered as (
  select account_id, mode, meter, period_start, sum(amount) as entered
  from ledger
  group by account_id, mode, meter, period_start
),
exported as (
  select account_id, mode, 'store_exports' as meter, period_start, count(*) as exported
  from store_exports
  group by account_id, mode, period_start
)
select meter, used, entered, exported
from usage_counters
full join entered using (account_id, mode, meter, period_start)
full join exported using (account_id, mode, meter, period_start)`

async function expectSoundBooks(dataDir: string): Promise<void> {
  const rows = await query(dataDir, books)
  expect(rows.length).toBeGreaterThan(0)
  for (const row of rows) {
    expect(row).toMatchObject({ used: row.entered === null ? Number.NaN : Number(row.entered) })
    expect(row.exported === null ? null : Number(row.exported)).toBe(row.meter === 'store_exports' ? row.used : null)
  }
}

interface Meters {
  store_exports: { used: number }
  search_rows: { used: number }
  api_requests: { used: number }
}

/** Everything delivered was charged once, and at most the lost replies were charged in addition. */
async function expectPaidFor(api: string, tally: Tally): Promise<void> {
  const usage = async () => (await sendRequestOrThrow(api, tally.key, '/usage')).body as unknown as Meters
  const before = await usage()
  tally.requests++
  expect(before.search_rows.used).toBeGreaterThanOrEqual(tally.rows)
  expect(before.search_rows.used).toBeLessThanOrEqual(tally.rows + tally.openRows)
  expect(before.api_requests.used).toBeLessThanOrEqual(tally.requests)
  const delivered = [...tally.stores]
  for (let start = 0; start < delivered.length; start += 25) {
    const domains = delivered.slice(start, start + 25)
    const { body } = await sendRequestOrThrow(api, tally.key, '/stores/enrich', { domains, include: ['store'] })
    expect(body.found).toBe(domains.length)
    tally.requests++
  }
  // Every store delivered before is delivered again without a charge.
  expect((await usage()).store_exports.used).toBe(before.store_exports.used)
  tally.requests++
}

async function endOneBackend(dataDir: string): Promise<void> {
  const backends = await query(dataDir, "select pid from pg_stat_activity where application_name = 'storedex'")
  process.kill(Number(backends[0]!.pid), 'SIGKILL')
  // Until PostgreSQL has noticed, the others may charge for what they cannot answer any more.
  await Promise.all(backends.map(({ pid }) => until(() => !isRunning(Number(pid)))))
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

interface Crash {
  kill(service: Service, dataDir: string): Promise<unknown>
  /** Restores an answering service. */
  comeBack(service: Service, restart: () => Promise<Service>, load: Load): Promise<Service>
}

const crashes: Crash[] = [
  {
    kill: (service) => service.kill(),
    comeBack: (_service, restart) => restart(),
  },
  {
    kill: (_service, dataDir) => endOneBackend(dataDir),
    // PostgreSQL restarts its processes, and the service reconnects.
    comeBack: async (service) => service,
  },
  {
    kill: (_service, dataDir) => killPostgres(dataDir),
    async comeBack(service, restart, load) {
      await load.refused()
      expect(await service.stop(), 'the exit code of a service that lost its database').toBe(0)
      return restart()
    },
  },
  {
    kill: (service, dataDir) => Promise.all([service.kill(), killPostgres(dataDir)]),
    comeBack: (_service, restart) => restart(),
  },
]

test.each([7, Date.now() % 1_000_000])(
  'whatever is killed under load, nothing delivered is lost from the books (seed %d)',
  { timeout: 180_000 },
  async (seed) => {
    const random = randomFrom(seed)
    const dataDir = join(temporaryDirectory(), 'data')
    const settings = { DATA_DIR: dataDir }
    const restart = () => startService(settings)
    let service = await restart()
    const subscribers = [await subscribe(settings), await subscribe(settings)]
    const keys = subscribers.flatMap(({ live, test }) => [live, test])
    const tallies = keys.map((key): Tally => ({ key, requests: 0, rows: 0, openRows: 0, stores: new Set() }))
    const domains = await someDomains(dataDir)
    const logs: string[] = []

    for (const crash of crashes) {
      const load = new Load(service.api, tallies, domains, random)
      await load.answered(20 + random() * 100)
      await crash.kill(service, dataDir)
      load.noteCrash()
      const recovered = await crash.comeBack(service, restart, load)
      await delay(random() * 300)
      await load.stop()
      expect(load.faults).toEqual([])
      logs.push(service.log())
      service = recovered
      await waitUntilReady(service)
      await expectSoundBooks(dataDir)
      for (const tally of tallies) await expectPaidFor(service.api, tally)
    }
    expect(tallies.reduce((sum, tally) => sum + tally.stores.size, 0)).toBeGreaterThan(20)

    const load = new Load(service.api, tallies, domains, random)
    await load.answered(20)
    expect(await service.stop(), 'the exit code of a service stopped under load').toBe(0)
    await load.stop()
    expect(load.faults).toEqual([])
    expect(serverPid(dataDir), 'PostgreSQL after its service').toBeUndefined()
    const logged = logs.join('') + service.log()
    for (const secret of ['"status":500', ...keys.map((key) => key.slice(9))]) expect(logged).not.toContain(secret)
  },
)

test('a repeatedly killed first start is completed by the next one', { timeout: 180_000 }, async () => {
  const dataDir = join(temporaryDirectory(), 'data')
  const settings = { DATA_DIR: dataDir }
  for (const afterMs of [0, 150, 400, 800]) await killWithinStart(settings, afterMs)
  const service = await startService(settings)
  const { body } = await sendRequestOrThrow(service.api, service.demoKey!, '/stores/search', {
    filters: {},
    limit: 100,
  })
  expect(body.data).toHaveLength(100)
  // Complete and without duplicates: as many rows as the shipped catalogues have records, each of a committed batch.
  const [counts] = await query(
    dataDir,
    `select (select count(*)::integer from stores where mode = 'live') as live,
            (select count(*)::integer from stores where mode = 'test') as test,
            (select count(*)::integer from contacts c join stores s on s.id = c.store_id where s.mode = 'live') as live_people,
            (select count(*)::integer from contacts c join stores s on s.id = c.store_id where s.mode = 'test') as test_people,
            (select max(batch) from stores) as newest_batch,
            (select batch from catalogue_state) as batch`,
  )
  expect(counts).toMatchObject({
    live: recordsIn('demo/stores') + recordsIn('demo/real-shops'),
    test: recordsIn('sandbox/stores'),
    live_people: recordsIn('demo/contacts'),
    test_people: recordsIn('sandbox/contacts'),
  })
  expect(counts!.newest_batch).toBe(counts!.batch)
})

function recordsIn(file: string): number {
  const path = join(import.meta.dirname, '../../../../catalogue', `${file}.ndjson`)
  return readFileSync(path, 'utf8').trim().split('\n').length
}

/** Hosts of both catalogues, normalised or not, and some unknown ones. */
async function someDomains(dataDir: string): Promise<string[]> {
  const rows = await query(dataDir, '(select host from store_domains where store_id % 40 = 0 order by host limit 300)')
  return [...rows.map(({ host }) => host as string), 'nobody.example', 'nobody-else.example']
}
