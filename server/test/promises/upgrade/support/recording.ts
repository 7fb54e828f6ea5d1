/**
 * Recordings of installations, one for each schema that was shipped, in `server/test/data/installations`. This writes the one of
 * the present version, or replaces it:
 *
 *   STOREDEX_WRITE_RECORDING=1 npx vitest run server/test/promises/upgrade
 *
 * Write it before the code changes that has to go on with what is there. Shops, people, keys and the keyring are invented.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { expect } from 'vitest'
import type { PlanFile } from '../../../../src/customers/accounts/plans.ts'
import { newestSchemaVersion } from '../../../../src/foundation/db/migrate.ts'
import { createExport, endOf, startRunnerInterrupted } from '../../../product/exports/support.ts'
import { startTestApp, type TestApp } from '../../../support/app.ts'
import { createTestDatabase } from '../../../support/database.ts'
import { type Call, type CallReply, callOf, type PlannedCall, send } from './calls.ts'
import { callsAtLast, callsAtOnce, callsLater, type Shown, type StartedExports } from './continuation.ts'
import { dumpRows, migrationsFolder } from './dump.ts'
import { fillInstallation, type Installation } from './installation.ts'

/** An installation as a version left it, and how that version went on. */
export interface Recording {
  schemaVersion: number
  /** The clock's time in the dump. */
  recordedAt: string
  plans: PlanFile
  /** In the order in which they were sent after the dump. */
  calls: Record<Shown, RecordedCall[]>
  dump: string
}

interface RecordedCall extends Call {
  reply: CallReply
}

/** From the dump to the calls that come later. */
export const minutesBetween = 3

/** Makes an installation with running exports, dumps it, and lets it go on. */
export async function makeRecording(): Promise<Recording> {
  const database = await createTestDatabase()
  const app = await startTestApp({ now: '2025-01-01T00:00:00Z', database })
  const installation = await fillInstallation(app)
  const exports = await startExports(app, installation)
  const calls: Partial<Recording['calls']> = {}
  const record = async (plans: Partial<Record<Shown, typeof callsLater.exports>>) => {
    for (const [shown, plan] of Object.entries(plans))
      calls[shown as Shown] = await recordCalls(app, installation, plan(installation, exports))
  }
  const recordedAt = app.clock.now().toISOString()
  const whileExportsRun = async () => {
    await expectRunningExports(app)
    const dump = await dumpRows(database.url)
    await record(callsAtOnce)
    app.clock.advance(minutesBetween * 60_000)
    return dump
  }
  const dump = await startRunnerInterrupted(app, 4, whileExportsRun, 2)
  await exportsEnd(app)
  await record(callsLater)
  await exportsEnd(app)
  await record(callsAtLast)
  const schemaVersion = await newestSchemaVersion(migrationsFolder)
  return { schemaVersion, recordedAt, plans: app.deps.plans, calls: calls as Recording['calls'], dump }
}

/** One that has ended, and by both accounts others that wait. Their runner is left to the caller. */
async function startExports(app: TestApp, { callers }: Installation): Promise<StartedExports> {
  const { main, budget, trial } = callers
  const stores = { kind: 'stores', filters: {}, format: 'csv' }
  const contacts = { kind: 'contacts', format: 'ndjson', max_rows: 1_000 }
  const ready = await endOf(budget, (await createExport(budget, { ...stores, max_rows: 5 })).id)
  await app.exportRunner.close()
  const running = await createExport(main, { ...stores, max_rows: 30 })
  const ofTrial = await createExport(trial, { ...contacts, max_credits: 4 })
  const waiting = await createExport(main, { ...contacts, max_credits: 6 })
  return [
    { by: 'budget', id: ready.id },
    { by: 'main', id: running.id },
    { by: 'trial', id: ofTrial.id },
    { by: 'main', id: waiting.id },
  ]
}

async function expectRunningExports(app: TestApp): Promise<void> {
  const { rows } = await app.db.query(
    `select status, rows > 0 as has_rows, reserved_exports + reserved_credits > 0 as has_reserved
     from exports order by id`,
  )
  const running = { status: 'running', has_rows: true, has_reserved: true }
  expect(rows).toMatchObject([{ status: 'ready' }, running, running, { status: 'queued', has_rows: false }])
}

export async function exportsEnd(app: TestApp): Promise<void> {
  const countOpen = async () => (await app.db.query('select from exports where finished_at is null')).rows.length
  await expect.poll(countOpen).toBe(0)
}

async function recordCalls(app: TestApp, { callers }: Installation, planned: PlannedCall[]): Promise<RecordedCall[]> {
  const recorded: RecordedCall[] = []
  for (const each of planned) {
    const call = callOf(callers, each)
    recorded.push({ ...call, reply: await send(app.url, call) })
  }
  return recorded
}

const folder = join(import.meta.dirname, '../../../data/installations')

/** The versions of schemas of which there is a recording. */
export async function listRecordings(): Promise<string[]> {
  return (await readdir(folder)).flatMap((name) => /^schema-(\d{4})\.json$/.exec(name)?.[1] ?? []).sort()
}

export async function readRecording(version: string): Promise<Recording> {
  const recording = JSON.parse(await readFile(join(folder, `schema-${version}.json`), 'utf8'))
  const dump = gunzipSync(await readFile(join(folder, `schema-${version}.sql.gz`))).toString()
  return { ...recording, dump }
}

export async function writeRecording({ dump, ...recording }: Recording): Promise<void> {
  const name = `schema-${String(recording.schemaVersion).padStart(4, '0')}`
  await writeFile(join(folder, `${name}.json`), `${JSON.stringify(recording, null, 2)}\n`)
  await writeFile(join(folder, `${name}.sql.gz`), gzipSync(dump, { level: 9 }))
}
