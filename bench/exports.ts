import { setTimeout as delay } from 'node:timers/promises'
import type { Cleanup } from '@storedex/testkit'
import copyStreams from 'pg-copy-streams'
import { changeAccount, createAccount } from '../server/src/customers/administration/change-account.ts'
import { command } from '../server/src/customers/auth/actor.ts'
import { createKey } from '../server/src/customers/keys/create-key.ts'
import type { ConnectionPool } from '../server/src/foundation/db/pool.ts'
import { findProjectDir, readConfig } from '../server/src/operations/config.ts'
import { type Deps, openDeps } from '../server/src/operations/deps.ts'
import { renderStore, type Store } from '../server/src/product/delivery/store-document.ts'
import { buildApp } from '../server/src/program/app.ts'
import { runInProcess } from '../server/src/search/replica/replica-sync.ts'
import type { Workspace } from '../server/test/support/programs/workspace.ts'

export interface ExportFigures {
  stores: number
  /** The same documents by one COPY, thrown away. */
  copyRowsPerSecond: number
  csv: FileFigures
  xlsx: FileFigures
  /** The time of a workbook, by that of CSV. */
  ratioToCsv: number
}

interface FileFigures {
  bytes: number
  seconds: number
  rowsPerSecond: number
  ratioToCopy: number
  /** Resident memory of the process before the export, and its peaks in both halves of the time. */
  memoryMb: { before: number; peaks: readonly [number, number] }
  /** Processor time of this process for a row, in microseconds. */
  processorTime: number
  /** The longest that the event loop was held up. */
  longestStallMs: number
}

const megabyte = 1_048_576
const intervalMs = 10
const unlimited = 2_000_000_000

/**
 * Measures exports of all stores, as CSV and as workbooks in turns, by a process that has the index in memory, and what they cost
 * beside a bare COPY. Of several rounds the fastest counts.
 */
export async function benchExports(
  stores: number,
  workspace: Workspace,
  cleanup: Cleanup,
  reportProgress: (progress: string) => void,
): Promise<ExportFigures> {
  const environment = { ...workspace.environment, SEARCH_ENGINE: 'memory', LOG_LEVEL: 'warn', PORT: '0' }
  const config = readConfig(environment, findProjectDir(import.meta.dirname))
  const deps = await openDeps(
    { ...config, dataDir: workspace.dataDir },
    { applicationName: 'storedex bench', startReplica: runInProcess },
  )
  cleanup.add(() => deps.close())
  reportProgress(`filling ${stores} stores`)
  await fillStores(deps.ownerDb, stores)
  const { ids, plans } = deps
  const now = deps.clock.now()
  const ctx = { db: deps.ownerDb, ids, now, actor: command, readPlans: async () => plans, publicUrl: null }
  const account = await createAccount(ctx, { name: 'Bench', plan: 'enterprise' })
  const limits = {
    ...{ store_exports: unlimited, requests_per_minute: unlimited, requests_per_day: unlimited },
    ...{ ready_exports: unlimited, ready_export_bytes: unlimited },
  }
  await changeAccount(ctx, ids.seal('account', account.id), { limits })
  const { secret: key } = await createKey(ctx, account.id, { name: 'bench', scopes: ['stores:read', 'exports:manage'] })
  const app = await buildApp(deps)
  cleanup.add(() => app.close())
  reportProgress('loading the index')
  await deps.search.waitForBatch(1)

  reportProgress('copying the documents')
  const copyRowsPerSecond = stores / (await secondsOf(() => copyDocuments(deps.ownerDb)))
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const source: ExportSource = { deps, url, key, stores, copyRowsPerSecond }
  const figures: Record<Format, FileFigures[]> = { csv: [], xlsx: [] }
  // The first export of a store writes what the later ones find: it is not measured.
  for (const format of ['csv', ...Array.from({ length: rounds }, () => formats).flat()] as const) {
    reportProgress(`exporting as ${format}`)
    figures[format].push(await measureExport(source, format))
  }
  figures.csv.shift()
  const fastest = (all: FileFigures[]) => all.reduce((one, other) => (other.seconds < one.seconds ? other : one))
  const [csv, xlsx] = [fastest(figures.csv), fastest(figures.xlsx)]
  return { stores, copyRowsPerSecond, csv, xlsx, ratioToCsv: xlsx.seconds / csv.seconds }
}

const formats = ['csv', 'xlsx'] as const
type Format = (typeof formats)[number]
const rounds = 3

interface ExportSource {
  deps: Deps
  url: string
  key: string
  stores: number
  copyRowsPerSecond: number
}

async function measureExport(
  { deps, url, key, stores, copyRowsPerSecond }: ExportSource,
  format: Format,
): Promise<FileFigures> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ kind: 'stores', filters: {}, format, max_rows: stores })
  const before = process.memoryUsage().rss / megabyte
  const watch = watchProcess()
  const used = process.cpuUsage()
  const startedAt = performance.now()
  const created = await fetch(`${url}/api/v1/exports`, { method: 'POST', headers, body })
  const exportId = deps.ids.open(((await created.json()) as { id: string }).id)!.value
  const seconds = await waitForEnd(deps.ownerDb, exportId, startedAt)
  const { peaks, longestStallMs } = watch.stop()
  const { user, system } = process.cpuUsage(used)
  const { rows } = await deps.ownerDb.query('select status, rows, bytes from exports where id = $1', [exportId])
  if (rows[0].status !== 'ready' || rows[0].rows !== stores) throw new Error(JSON.stringify(rows[0]))
  return {
    bytes: rows[0].bytes,
    seconds,
    rowsPerSecond: stores / seconds,
    ratioToCopy: stores / seconds / copyRowsPerSecond,
    memoryMb: { before, peaks },
    processorTime: (user + system) / stores,
    longestStallMs,
  }
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return (performance.now() - startedAt) / 1_000
}

/** Not by requests: the export would make room for them. */
async function waitForEnd(db: ConnectionPool, id: number, startedAt: number): Promise<number> {
  for (;;) {
    const { rows } = await db.query('select finished_at from exports where id = $1', [id])
    if (rows[0].finished_at !== null) return (performance.now() - startedAt) / 1_000
    await delay(100)
  }
}

function watchProcess() {
  let [longestStallMs, last] = [0, performance.now()]
  const memory: number[] = []
  const timer = setInterval(() => {
    const now = performance.now()
    longestStallMs = Math.max(longestStallMs, now - last - intervalMs)
    last = now
    memory.push(process.memoryUsage().rss / megabyte)
  }, intervalMs)
  return {
    stop: () => {
      clearInterval(timer)
      const middle = memory.length >> 1
      const peakOf = (part: number[]) => part.reduce((one, other) => Math.max(one, other), 0)
      return { peaks: [peakOf(memory.slice(0, middle)), peakOf(memory.slice(middle))] as const, longestStallMs }
    },
  }
}

async function copyDocuments(db: ConnectionPool): Promise<void> {
  const client = await db.connect()
  try {
    const copy = client.query(copyStreams.to('copy (select document from stores order by negated_score, id) to stdout'))
    for await (const chunk of copy) void chunk
  } finally {
    client.release()
  }
}

const template: Store = {
  id: 'st_live_KqWvTzHbNcRyLpXm',
  object: 'store',
  domain: 'shop-NNN.example',
  name: 'Shop NNN & Daughters',
  category: 'home_garden',
  country: 'DE',
  traffic_tier: '10k_50k',
  revenue_tier: '50k_100k',
  platform_plus: false,
  lead_fit_score: 71.5,
  store_created_at: {
    estimate: '2019-03-01T00:00:00.000Z',
    resolution: 'month',
    source: 'first_product',
    confidence: 'medium',
  },
  first_discovered_at: '2021-06-11T08:00:00.000Z',
  contacts_summary: {
    total: 3,
    has_revealable_contacts: true,
    verified_email_count: 2,
    roles: ['founder', 'marketing'],
  },
  technologies: {
    apps: ['judgeme', 'klaviyo', 'loox', 'recharge', 'yotpo'],
    pixels: ['google_analytics', 'meta_pixel', 'tiktok_pixel'],
    theme: { name: 'Dawn', type: 'free' },
  },
}

/** Stores with documents of the usual length, in an order that is not that of their ids. */
async function fillStores(db: ConnectionPool, count: number): Promise<void> {
  const client = await db.connect()
  try {
    await client.query('set statement_timeout = 0')
    await client.query(
      `
insert into stores (mode, batch, negated_score, tokens, document, document_version, preview)
select 'live', 1, -((n::bigint * 7919) % 1000) / 10.0, array[n % 50 + 1000], replace($2::text, 'NNN', n::text), 1, '{}'
from generate_series(1, $1::integer) n`,
      [count, renderStore(template)],
    )
    await client.query(
      'insert into catalogue_batches (batch, mark, written_at) values (1, 1, now()) on conflict do nothing',
    )
    await client.query('update catalogue_state set batch = 1')
    await client.query('vacuum analyze stores')
  } finally {
    client.release()
  }
}

export function formatExportFigures({ stores, copyRowsPerSecond, csv, xlsx, ratioToCsv }: ExportFigures): string {
  return [
    `${round(stores)} stores; a bare COPY of the documents: ${round(copyRowsPerSecond)} rows a second`,
    formatFile('CSV', csv),
    formatFile('workbook', xlsx),
    `a workbook takes ${ratioToCsv.toFixed(2)} of the time of CSV`,
  ].join('\n')
}

function formatFile(name: string, figures: FileFigures): string {
  const { bytes, seconds, rowsPerSecond, ratioToCopy, memoryMb, processorTime, longestStallMs } = figures
  return [
    `${name}, ${round(bytes / megabyte)} MB: ${seconds.toFixed(1)} s, ${round(rowsPerSecond)} rows a second, ${ratioToCopy.toFixed(2)} of COPY`,
    `  memory of the process: ${round(memoryMb.before)} MB before, at most ${round(memoryMb.peaks[0])} MB in the first half, ${round(memoryMb.peaks[1])} MB in the second`,
    `  processor time of the process: ${processorTime.toFixed(1)} microseconds a row; the event loop was held up for at most ${round(longestStallMs)} ms`,
  ].join('\n')
}

const round = (value: number) => Math.round(value).toLocaleString('en')
