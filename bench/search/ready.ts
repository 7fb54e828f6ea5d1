import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Cleanup, timed } from '@storedex/testkit'
import pg from 'pg'
import { openAccounts, openProgram, type Program, type Service } from '../../server/test/support/programs/program.ts'
import { type Workspace, writeRecords } from '../../server/test/support/programs/workspace.ts'
import { generateStores } from '../../server/test/support/records/store-records.ts'
import { send } from '../api/load/load.ts'
import { type LoopBlocks, type LoopMonitor, openLoopMonitor } from '../support/loop-blocks.ts'
import { fillDatabase } from './catalogue/fill.ts'
import { domainOf } from './catalogue/rows.ts'
import { type LoadFigures, openSearchLoad } from './ready-load.ts'
import { measureSerially, type SerialFigures } from './ready-serial.ts'

export interface ReadyOptions {
  stores: number
  /** Length of one measurement of the load. */
  seconds: number
  connections: number
  isShort: boolean
}

/** Start times, memory and freshness of a service over a catalogue of this size. */
export interface ReadyResults {
  stores: number
  contacts: number
  fillSeconds: number
  /** From the start of the process until searches use the index in memory. */
  fromPostgresSeconds: number
  fromSnapshotSeconds: number
  indexBytes: number
  snapshotBytes: number
  residentBytes: number
  /** From the commit of a one-record import until searches find the store by its new attributes only. */
  changeFoundSeconds: number
  load: LoadFigures
  /** Absent in results of before. */
  serial?: SerialFigures
  /** Blocks of the event loop during these requests, and during the load with its import. */
  blocks?: { serial: LoopBlocks; load: LoopBlocks }
}

/** Passes through all requests of one connection, runs of the load alone, and stores of the import beside it. */
const fullWork = { passes: 5, quietRuns: 3, importedStores: 100_000 }
const shortWork = { passes: 1, quietRuns: 1, importedStores: 3_000 }
const readyTimeoutMs = 30 * 60_000

/** Starts the service as operators do, over a filled database. */
export async function benchReady(
  { stores, seconds, connections, isShort }: ReadyOptions,
  workspace: Workspace,
  cleanup: Cleanup,
  reportProgress: (progress: string) => void,
): Promise<ReadyResults> {
  const work = isShort ? shortWork : fullWork
  const [filled, fillSeconds] = await timed(() => fillDatabase(workspace, stores, reportProgress))
  const program = openProgram(workspace, cleanup)
  const keys = await openAccounts(program, 4)
  const monitor = openLoopMonitor(workspace.folder)

  const [first, fromPostgresSeconds] = await timed(() => startInMemory(program, monitor))
  reportProgress(`in memory after ${fromPostgresSeconds.toFixed(1)} s, read from PostgreSQL`)
  await until(async () => (await readGauge(first, 'search_snapshot_bytes')) > 0)
  await first.stop()
  const [service, fromSnapshotSeconds] = await timed(() => startInMemory(program, monitor))
  reportProgress(`in memory after ${fromSnapshotSeconds.toFixed(1)} s, read from the snapshot`)

  const changeFoundSeconds = await timeChange(program, service, workspace, keys[0]!)
  reportProgress(`a change was found after ${changeFoundSeconds.toFixed(2)} s`)
  await monitor.take(service)
  const serial = await measureSerially(service, filled.taxonomy, keys[0]!, work.passes)
  const blocksOfSerial = await monitor.take(service)
  reportProgress(
    `one connection: searches p99 ${serial.searches.p99.toFixed(1)} ms, counts p99 ${serial.totals.p99.toFixed(1)} ms, facets p99 ${serial.facets.p99.toFixed(0)} ms; event loop blocked for at most ${blocksOfSerial.longestOwnMs.toFixed(1)} ms`,
  )
  const searchLoad = await openSearchLoad(
    { service, taxonomy: filled.taxonomy, keys, connections, seconds, quietRuns: work.quietRuns },
    cleanup,
  )
  const file = await writeRecords(join(workspace.folder, 'more-stores.ndjson'), generateStores(work.importedStores, 4))
  await monitor.take(service)
  const load = await searchLoad.compare(() => program.run('import', 'stores', file), reportProgress)
  const blocksOfLoad = await monitor.take(service)
  return {
    stores,
    contacts: filled.contacts,
    fillSeconds,
    fromPostgresSeconds,
    fromSnapshotSeconds,
    indexBytes: await readGauge(service, 'search_index_bytes'),
    snapshotBytes: await readGauge(service, 'search_snapshot_bytes'),
    residentBytes: await readGauge(service, 'process_resident_memory_bytes'),
    changeFoundSeconds,
    load,
    serial,
    blocks: { serial: blocksOfSerial, load: blocksOfLoad },
  }
}

async function startInMemory(program: Program, { environment }: LoopMonitor): Promise<Service> {
  const service = await program.serve({ ...environment, SEARCH_ENGINE: 'memory' })
  const { origin } = new URL(service.api)
  await until(async () => (await fetch(`${origin}/readyz`)).ok)
  return service
}

/** Gives a store a discovery date that no other store has. */
async function timeChange(program: Program, { api }: Service, workspace: Workspace, key: string): Promise<number> {
  const { origin } = new URL(api)
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const changed = domainOf(1)
  const isFoundAt = async (moment: string) => {
    const body = JSON.stringify({ filters: { first_discovered_at: { from: moment, to: moment } } })
    const reply = await send(origin, { method: 'POST', path: '/api/v1/stores/search', headers, body })
    return (JSON.parse(reply.body) as { data: { domain: string }[] }).data.some(({ domain }) => domain === changed)
  }
  const { body } = await send(origin, { method: 'GET', path: `/api/v1/stores/${changed}`, headers })
  const [before, after] = [
    (JSON.parse(body) as { first_discovered_at: string }).first_discovered_at,
    '1999-12-31T23:59:59Z',
  ]
  if (!(await isFoundAt(before))) throw new Error(`${changed} is not found by its current attributes`)

  const record = { domain: changed, first_discovered_at: after }
  const file = await writeRecords(join(workspace.folder, 'changed-store.ndjson'), [record])
  const database = new pg.Client({ connectionString: workspace.databaseUrl })
  await database.connect()
  try {
    const readBatch = async () => (await database.query('select batch from catalogue_state')).rows[0].batch as string
    const batch = await readBatch()
    const [, committedAtMs, foundAtMs] = await Promise.all([
      program.run('import', 'stores', file),
      until(async () => (await readBatch()) !== batch),
      until(() => isFoundAt(after)),
    ])
    if (await isFoundAt(before)) throw new Error(`${changed} is still found by its old attributes`)
    return Math.max(foundAtMs - committedAtMs, 0) / 1_000
  } finally {
    await database.end()
  }
}

/** A gauge of the service's metrics; 0 while it is missing. */
async function readGauge({ metricsUrl }: Service, name: string): Promise<number> {
  const text = await (await fetch(metricsUrl)).text()
  return Number(new RegExp(`^(?:storedex_)?${name} (.+)$`, 'm').exec(text)?.[1] ?? 0)
}

/** Polls until the condition holds, and returns that time. */
async function until(isSo: () => Promise<boolean>): Promise<number> {
  const deadline = performance.now() + readyTimeoutMs
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error('the service was not ready within half an hour')
    await delay(10)
  }
  return performance.now()
}
