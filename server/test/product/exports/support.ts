import { expect, onTestFinished } from 'vitest'
import { ExportRunner, type ExportRunnerOptions } from '../../../src/product/exports/run/runner.ts'
import type { Export } from '../../../src/product/exports/schema.ts'
import type { TestApp, TestKey } from '../../support/app.ts'
import type { Json } from '../../support/client.ts'
import { Gate } from '../../support/gate.ts'

/** What a key needs for exports of every kind. */
export const exportScopes = [
  'usage:read',
  'stores:read',
  'contacts:search',
  'contacts:reveal',
  'exports:manage',
] as const

/** A key of a new account, with limits that the requests of a test do not reach. */
export function newExportKey(app: TestApp, limits: Record<string, number> = {}): Promise<TestKey> {
  const limitsOfRequests = { requests_per_minute: 100_000, requests_per_day: 100_000 }
  return app.key({ scopes: exportScopes, limits: { ...limitsOfRequests, ...limits } })
}

/** Starts an export; it must be accepted. */
export async function createExport(key: TestKey, body: object): Promise<Export> {
  const created = await key.post('/exports', body)
  expect(created.body, JSON.stringify(created.body)).toMatchObject({ object: 'export' })
  return created.body
}

/** The export once it has ended. */
export async function endOf(key: TestKey, id: string): Promise<Export> {
  let last: Export | undefined
  await expect
    .poll(
      async () => {
        last = (await key.get(`/exports/${id}`)).body
        return last!.finished_at
      },
      { timeout: 60_000, interval: 20 },
    )
    .toBeTruthy()
  return last!
}

export async function run(key: TestKey, body: object): Promise<Export> {
  return endOf(key, (await createExport(key, body)).id)
}

export async function download(app: TestApp, key: TestKey, id: string, headers: Record<string, string> = {}) {
  const reply = await fetch(`${app.url}/api/v1/exports/${id}/file`, {
    headers: { authorization: `Bearer ${key.secret}`, ...headers },
  })
  const bytes = Buffer.from(await reply.arrayBuffer())
  return { status: reply.status, headers: reply.headers, bytes, text: bytes.toString() }
}

export interface TestRunner {
  runner: ExportRunner
  /** Ends it as a crash of its process would: its connections break, and it does nothing more. */
  kill(): void
}

/** A runner that writes a few rows at a time. While the gate is closed it gets no further in the database. */
export function startRunner(
  app: TestApp,
  options: Partial<ExportRunnerOptions> = {},
  gate: Gate = new Gate(),
): TestRunner {
  const lane = app.deps.db.lane(`runner ${Math.random()}`)
  const runner = new ExportRunner({
    ...app.deps,
    db: gate.guard(lane),
    deliverEmails: app.deps.config.deliverEmails,
    requestsServed: () => 0,
    chunkSize: 4,
    timings: { lookMs: 10, renewMs: 50, leaseMs: 1_000 },
    ...options,
  })
  onTestFinished(() => runner.close())
  return {
    runner,
    kill: () => {
      runner.stopForClosing()
      lane.abort(new Error('killed'))
    },
  }
}

/** Calls `act` when the step with this number begins. */
export function atStep(number: number, act: () => unknown): Pick<ExportRunnerOptions, 'requestsServed'> {
  let calls = 0
  return {
    requestsServed: () => {
      // Twice for each step, before and after it.
      if (calls++ === number * 2) act()
      return 0
    },
  }
}

/** Runs, and waits when the step with this number begins until `act` is done; returns what that returned. */
export function startRunnerInterrupted<T>(
  app: TestApp,
  number: number,
  act: () => Promise<T>,
  chunkSize = 1,
): Promise<T> {
  const gate = new Gate()
  return new Promise((resolve, reject) => {
    const interrupt = () => void gate.during(act).then(resolve, reject)
    startRunner(app, { chunkSize, ...atStep(number, interrupt) }, gate)
  })
}

/** The objects of an NDJSON file. */
export function linesOf(text: string): Json[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

/** Rows of counters whose ledger differs, or that hold a reservation. */
export async function findUnsound(app: TestApp): Promise<unknown[]> {
  const { rows } = await app.db.query(`
    select c.account_id, c.meter, c.used, c.reserved,
           (select coalesce(sum(amount), 0)::integer from ledger l
            where l.account_id = c.account_id and l.mode = c.mode and l.meter = c.meter and l.period_start = c.period_start) as spent,
           (select count(*)::integer from store_exports s
            where s.account_id = c.account_id and s.mode = c.mode and s.period_start = c.period_start) as stores
    from usage_counters c`)
  return rows.filter(
    (row) => row.used !== row.spent || row.reserved !== 0 || (row.meter === 'store_exports' && row.stores !== row.used),
  )
}
