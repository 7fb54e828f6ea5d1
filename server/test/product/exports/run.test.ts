import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { proofKills } from '../../../../bin/tests/proof-runs.ts'
import { eraseContacts } from '../../../src/catalogue/erasure/erase-contacts.ts'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'
import {
  atStep,
  createExport,
  download,
  endOf,
  findUnsound,
  linesOf,
  newExportKey,
  run,
  startRunner,
  startRunnerInterrupted,
} from './support.ts'

const count = 90
let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  // Each test starts runners of its own.
  await app.exportRunner.close()
  await app.importStores(
    Array.from({ length: count }, (_, i) => ({
      domain: `shop-${i}.example`,
      name: `Shop ${i}`,
      lead_fit_score: i % 5,
    })),
  )
  await app.importContacts(
    Array.from({ length: count }, (_, i) => ({
      store_domain: `shop-${i % 60}.example`,
      first_name: `Name ${i}`,
      emails: [{ email: `p${i}@shop-${i % 60}.example`, status: 'verified' }],
    })),
  )
})

const newKey = (limits = {}) => newExportKey(app, limits)
const stores = { kind: 'stores', filters: {}, format: 'csv', max_rows: 1000 }
const contacts = { kind: 'contacts', format: 'ndjson', max_rows: 1000, max_credits: 1000 }

/** Lets time pass until the test ends, as it does for servers: a lease that nobody renews ends. */
function letTimePass(): void {
  const timer = setInterval(() => app.clock.advance(1_001), 250)
  onTestFinished(() => clearInterval(timer))
}

async function expectSound(): Promise<void> {
  expect(await findUnsound(app)).toEqual([])
}

const kills = proofKills(12, 5)

test('an export whose servers are killed at any moment has each row once, each charge once, and the same bytes', async () => {
  letTimePass()
  const undisturbed = startRunner(app)
  const startedMs = performance.now()
  const reference = await run(await newKey(), stores)
  // Of an export as it takes here, so that a slow machine's servers get to do something as well.
  const longestLifeMs = Math.max(60, (performance.now() - startedMs) / 4)
  await undisturbed.runner.close()
  for (const request of [stores, contacts]) {
    const key = await newKey()
    const { id } = await createExport(key, request)
    const turns = async (): Promise<number> => {
      const account = app.accountNumber(key.account)
      const { rows } = await app.db.query('select max(turn) as most from exports where account_id = $1', [account])
      return rows[0].most
    }
    for (let i = 0; i < kills; i++) {
      // However fast or slow the machine is, some of them begin and none of those ends it; the others are killed at any moment.
      let begin = () => {}
      const begun = new Promise<void>((resolve) => {
        begin = resolve
      })
      const killAtStep = () => {
        kill()
        begin()
      }
      const { kill } = startRunner(app, i < 3 ? atStep(i + 1, killAtStep) : {})
      await (i < 3 ? begun : delay(Math.random() * longestLifeMs))
      kill()
      // The leases of the dead end.
      app.clock.advance(1_001)
    }
    const last = startRunner(app)
    const ended = await endOf(key, id)
    // It would take the next export before those that are to be killed.
    await last.runner.close()
    expect(ended).toMatchObject({ status: 'ready', stopped_by: 'end', progress: { rows: 90 } })
    expect(await turns(), 'servers that took over').toBeGreaterThan(2)
    const usage = (await key.get('/usage')).body
    expect(usage.store_exports.used).toBe(ended.cost.store_exports)
    expect(usage.contact_credits.used).toBe(ended.cost.contact_credits)
    if (request === stores) expect(ended.file).toMatchObject({ sha256: reference.file!.sha256, rows: count })
    else {
      const rows = linesOf((await download(app, key, id)).text)
      expect(new Set(rows.map((row) => row.id)).size).toBe(90)
      expect(rows.every(({ charged }) => charged)).toBe(true)
    }
  }
  await expectSound()
})

test('of several servers one runs an export at a time, also when it is taken from one that still works', async () => {
  const key = await newKey()
  const { id } = await createExport(key, stores)
  // The clock passes the end of each lease before it is renewed.
  const hurry = () => atStep(2, () => app.clock.advance(10_000))
  for (let i = 0; i < 4; i++) startRunner(app, { ...hurry(), chunkSize: 2 })
  const ended = await endOf(key, id)
  expect(ended).toMatchObject({ status: 'ready', cost: { store_exports: count }, file: { rows: count } })
  const lines = (await download(app, key, id)).text.trim().split('\r\n')
  expect(new Set(lines).size).toBe(count + 1)
  await expectSound()
})

test('an export that is canceled ends at once, with a file of what was paid', async () => {
  const key = await newKey()
  const { id } = await createExport(key, stores)
  const waiting = await createExport(key, stores)
  const canceled = await startRunnerInterrupted(app, 5, () => key.post(`/exports/${id}/cancel`, undefined))
  expect(canceled.body.status).toBe('canceled')
  const ended = await endOf(key, id)
  expect(ended.progress.rows).toBeLessThan(count)
  expect(ended.file!.rows).toBe(ended.cost.store_exports)
  expect((await download(app, key, id)).text.trim().split('\r\n')).toHaveLength(ended.file!.rows + 1)
  expect((await endOf(key, waiting.id)).file!.rows).toBe(count)
  await expectSound()
})

test.each([
  [
    'its account loses access',
    'api_access_required',
    async (key: TestKey) => app.setAccount(key.account, { status: 'past_due' }),
  ],
  ['its key is revoked', 'revoked_api_key', async (key: TestKey) => app.revokeKey(key)],
])('an export fails when %s meanwhile, and keeps what was paid', async (_when, code, act) => {
  const key = await newKey()
  const { id } = await createExport(key, stores)
  await startRunnerInterrupted(app, 3, () => act(key))
  const ended = async () =>
    (
      await app.db.query(
        'select status, error, rows, charged_exports, reserved_exports from exports where status = $1 and account_id = $2',
        ['failed', app.accountNumber(key.account)],
      )
    ).rows[0]
  await expect.poll(ended).toMatchObject({ error: code, reserved_exports: 0 })
  const { rows, charged_exports } = await ended()
  expect(charged_exports).toBe(rows)
  expect(rows).toBeLessThan(count)
  expect(id).toMatch(/^exp_/)
  await expectSound()
})

test('an export goes on in a new period, with a reservation there', async () => {
  const key = await newKey({ store_exports: 60 })
  const before = app.clock.now()
  const { id } = await createExport(key, stores)
  startRunner(app, { chunkSize: 10, ...atStep(3, () => app.clock.advance(31 * 86_400_000)) })
  const ended = await endOf(key, id)
  // More than either period allows.
  expect(ended).toMatchObject({ status: 'ready', stopped_by: 'end', cost: { store_exports: count } })
  const { rows } = await app.db.query(
    `select used, reserved from usage_counters where account_id = $1 and meter = 'store_exports' order by period_start`,
    [app.accountNumber(key.account)],
  )
  expect(rows).toHaveLength(2)
  expect(rows[0].used + rows[1].used).toBe(count)
  app.clock.set(before)
  await expectSound()
})

test('erasing a person ends an export that has written them', async () => {
  const key = await newKey()
  const { id } = await createExport(key, contacts)
  await startRunnerInterrupted(app, 8, async () => {
    const { rows } = await app.db.query(
      'select contact_ids[1] as id from export_chunks where account_id = $1 and contact_ids is not null limit 1',
      [app.accountNumber(key.account)],
    )
    await eraseContacts(app.operator, { id: app.deps.ids.seal('contact', rows[0].id, 'live') })
  })
  const ended = await endOf(key, id)
  expect(ended).toMatchObject({ status: 'expired', file: null })
  const { rows } = await app.db.query('select from export_chunks where account_id = $1', [
    app.accountNumber(key.account),
  ])
  expect(rows).toEqual([])
  await expectSound()
})

test('exports, searches and reveals at once at the edge of an allowance never pass it, and leave nothing reserved', async () => {
  const key = await newKey({ store_exports: 45, contact_credits: 25 })
  const previews = (await (await newKey()).post('/contacts/search', { limit: 80 })).body.data
  const started = Array.from({ length: 15 }, (_, i) => createExport(key, i % 2 === 0 ? stores : contacts))
  startRunner(app)
  startRunner(app)
  const others = Array.from({ length: 80 }, (_, i) =>
    i % 2 === 0
      ? key.post('/stores/search', { filters: {}, limit: 3 })
      : key.post('/contacts/reveal', { contact_ids: [previews[i % previews.length].id] }),
  )
  for (const { status } of await Promise.all(others)) expect([200, 402, 429]).toContain(status)
  for (const { id } of await Promise.all(started)) expect(await endOf(key, id)).toMatchObject({ status: 'ready' })
  const usage = (await key.get('/usage')).body
  expect(usage).toMatchObject({ store_exports: { used: 45, reserved: 0 }, contact_credits: { used: 25 } })
  await expectSound()
})

test('a reader that does not read holds no connection', async () => {
  const key = await newKey()
  startRunner(app)
  const { id } = await run(key, stores)
  const reply = await fetch(`${app.url}/api/v1/exports/${id}/file`, {
    headers: { authorization: `Bearer ${key.secret}` },
  })
  expect(reply.status).toBe(200)
  await expect
    .poll(async () => {
      const { rows } = await app.db.query(
        `select count(*)::integer as held from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`,
      )
      return rows[0].held
    })
    .toBe(0)
  expect(Buffer.from(await reply.arrayBuffer()).length).toBeGreaterThan(1_000)
})
