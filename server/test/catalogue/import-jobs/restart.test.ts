import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { startImportInThread } from '../../../src/catalogue/import-jobs/run/thread.ts'
import { threadProgram } from '../../../src/program/serving/programs.ts'
import { startService, temporaryFolder } from '../../deep/start/support/service.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { testDataKeys } from '../../support/fixtures.ts'
import { TableGate } from '../../support/gate.ts'
import { createConsoleClient, type TestUser } from '../../support/user.ts'
import {
  countStores,
  holdCatalogue,
  now,
  readImport,
  run,
  sendPart,
  startImportApp,
  storesCsv,
  upload,
  waitForBlockedImport,
  waitForState,
} from './support/imports.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ now: new Date().toISOString() })
})

/** Starts the service on the database of `app`, with another data directory. */
async function serve(dataDir: string, session: TestUser) {
  const service = startService({
    DATABASE_URL: app.deps.databaseUrl,
    DATA_DIR: dataDir,
    DATA_KEYS: testDataKeys,
    DEMO: '0',
    SEARCH_ENGINE: 'postgres',
  })
  const { api } = (await service.greeting()) as { api: string }
  const url = api.replace('/api/v1', '')
  return { service, url, operator: { ...session, ...createConsoleClient(url, session.cookie) } }
}

const newOperator = () => app.person({ operator: true, account: null })

test('a killed server leaves its import interrupted, and its upload where it was; both go on after the next start', async () => {
  const dataDir = join(temporaryFolder(), 'data')
  const session = await newOperator()
  const first = await serve(dataDir, session)
  const before = await countStores(app)
  const id = await upload(first.url, first.operator, { text: storesCsv(3_000) })
  const half = await first.operator.post('/operator/imports', { kind: 'stores', file_name: 'half.csv', bytes: 20 })
  await sendPart(first.url, session, half.body.import.id, 0, 'domain\nhalf')
  const waiting = await upload(first.url, first.operator, { text: storesCsv(2, 50_000) })
  const release = await holdCatalogue(app)
  for (const each of [id, waiting]) await first.operator.post(`/operator/imports/${each}/import`, { options: {} })
  await waitForBlockedImport(app)
  first.service.kill()
  await first.service.exitCode()
  await release()

  const second = await serve(dataDir, session)
  const interrupted = await waitForState(second.operator, id, 'interrupted')
  expect(interrupted).toMatchObject({ has_file: true, progress: null })
  // What only waited is done now.
  await waitForState(second.operator, waiting, 'done')
  expect(await run(second.operator, id, 'import')).toMatchObject({ state: 'done' })
  expect(await countStores(app)).toBe(before + 3_002)
  const { received } = await readImport(second.operator, half.body.import.id)
  expect(received).toBe(11)
  const rest = await sendPart(second.url, session, half.body.import.id, received, '.example\n')
  expect(rest.body.import.state).toBe('ready')
  second.service.interrupt()
  expect(await second.service.exitCode()).toBe(0)
})

test('a server that is shut down ends its import after the current chunk, as interrupted', async () => {
  const dataDir = join(temporaryFolder(), 'data')
  const session = await newOperator()
  const { service, url, operator } = await serve(dataDir, session)
  const id = await upload(url, operator, { text: storesCsv(6_000, 10_000) })
  const release = await holdCatalogue(app)
  await operator.post(`/operator/imports/${id}/import`, { options: {} })
  await waitForBlockedImport(app)
  service.interrupt()
  await expect
    .poll(() =>
      fetch(url).then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .not.toBe(200)
  await release()
  expect(await service.exitCode()).toBe(0)
  const { rows } = await app.db.query('select state, report, ended_at from import_jobs where id = $1', [id])
  expect(rows[0]).toMatchObject({ state: 'interrupted', ended_at: expect.any(Date) })
})

test('a thread from its source reports its progress, and is stopped', async () => {
  const startImport = startImportInThread(threadProgram('import-thread'))
  const { app, operator } = await startImportApp({ now, startImport })
  const id = await upload(app.url, operator, { text: storesCsv(40_000) })
  const gate = await TableGate.close(app.deps.databaseUrl, 'stores')
  await operator.post(`/operator/imports/${id}/import`, { options: {} })
  await gate.letPass()
  await expect.poll(async () => (await readImport(operator, id)).progress?.read, { timeout: 30_000 }).toBeGreaterThan(0)
  await operator.post(`/operator/imports/${id}/stop`)
  await gate.open()
  const { report } = await waitForState(operator, id, 'stopped')
  expect(report.parts[0].read).toBeLessThan(40_000)
  expect(await countStores(app)).toBe(report.parts[0].inserted)
})

test.each([
  ['throws', 'throw new Error("a defect")', 'ended unexpectedly', {}],
  ['ends without a word', 'process.exit(7)', 'ended unexpectedly', {}],
  ['runs out of memory', 'const held = []; for (;;) held.push(new Array(1e5).fill(held.length))', 'memory', {}],
  ['computes without end', 'for (;;);', 'took minutes to read', { silenceMs: 100 }],
])(
  'a thread that %s fails its import with a sentence, and the service goes on',
  async (...[, program, sentence, limits]) => {
    const file = join(temporaryFolder(), 'thread.mjs')
    writeFileSync(file, program)
    const { app, operator } = await startImportApp({
      now,
      startImport: startImportInThread({ file, execArgv: [] }, { memoryMb: 32, ...limits }),
    })
    const id = await upload(app.url, operator, { text: storesCsv(1) })
    expect(await run(operator, id, 'import')).toMatchObject({
      state: 'failed',
      error: expect.stringContaining(sentence),
    })
    expect((await fetch(`${app.url}/readyz`)).status).toBe(200)
  },
)
