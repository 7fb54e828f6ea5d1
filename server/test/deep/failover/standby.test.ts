import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { run } from '../../../../packages/embedded-postgres/test/support.ts'
import { checkStandby } from '../../../src/operations/doctor/standby.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { type Pair, startPair } from './support/servers.ts'

const now = '2026-11-10T12:00:00.000Z'
const shop = (name: string) => ({ domain: `${name}.example`, name })
/** Tables of accounts: what they may do, have spent and have. */
const ofAccounts =
  /\b(accounts|api_keys|request_windows|usage_counters|key_counters|store_exports|reveals|ledger\w*|idempotency)\b/

async function startPairAndApp(engine: 'memory' | 'postgres') {
  const pair = await startPair({ synchronous: false, standbySettings: { log_statement: 'all' } })
  const lines: string[] = []
  const log = pino({ level: 'info', base: null }, { write: (line: string) => void lines.push(JSON.parse(line).msg) })
  const app = await startTestApp({
    now,
    engine,
    log,
    environment: {
      DATABASE_URL: pair.primary.urlOf(pair.database),
      DATABASE_OWNER_URL: '',
      DATABASE_REPLICA_URL: pair.standby.urlOf(pair.database),
    },
  })
  const said = () => lines.filter((line) => line.includes('DATABASE_REPLICA_URL'))
  const asked = () => readFileSync(join(pair.standby.data, '../../start.log'), 'utf8')
  return { pair, app, said, asked }
}

const replay = (pair: Pair, verb: 'pause' | 'resume') =>
  run(pair.standby.urlOf(pair.database), `select pg_wal_replay_${verb}()`)

const isUsed = (app: TestApp) => expect.poll(() => app.deps.standby?.state)

test('searches by PostgreSQL and exports read a standby, unless it is behind or away; nothing about accounts does', async () => {
  const { pair, app, said, asked } = await startPairAndApp('postgres')
  const key = await app.key({ scopes: ['stores:read', 'exports:manage'] })
  await app.importStores([shop('one'), shop('two')])
  await isUsed(app).toBe('in_step')
  const search = async () => (await key.post('/stores/search', { filters: {}, limit: 10 })).body.data
  expect(await search()).toHaveLength(2)
  expect(asked()).toMatch(/negated_score/)

  const created = await key.post('/exports', { kind: 'stores', filters: {}, format: 'csv', max_rows: 10 })
  expect([created.status, created.body]).toEqual([expect.any(Number), expect.objectContaining({ object: 'export' })])
  await expect.poll(async () => (await key.get(`/exports/${created.body.id}`)).body.status).toBe('ready')
  expect(asked()).toContain('fetch_export_stores')
  expect(asked().match(ofAccounts)).toBeNull()

  const standbyUrl = pair.standby.urlOf(pair.database)
  expect(await checkStandby(standbyUrl, app.db)).toMatchObject({ name: 'standby', status: 'ok' })
  await replay(pair, 'pause')
  await app.importStores([shop('three')])
  await isUsed(app).toBe('behind')
  expect(await checkStandby(standbyUrl, app.db)).toMatchObject({
    status: 'warning',
    detail: expect.stringMatching(/of the newest batches/),
  })
  expect(await search()).toHaveLength(3)
  await replay(pair, 'resume')
  await isUsed(app).toBe('in_step')
  expect(await search()).toHaveLength(3)

  await pair.standby.kill()
  expect(await search()).toHaveLength(3)
  await isUsed(app).toBe('away')
  expect(await checkStandby(standbyUrl, app.db)).toMatchObject({
    status: 'failed',
    detail: expect.stringContaining('does not answer'),
  })
  const use = 'searches by PostgreSQL and reads of exports'
  expect(said()).toEqual([
    `the standby in DATABASE_REPLICA_URL answers ${use}`,
    `the standby in DATABASE_REPLICA_URL is behind; the primary answers ${use}`,
    `the standby in DATABASE_REPLICA_URL answers ${use}`,
    `the standby in DATABASE_REPLICA_URL does not answer; the primary answers ${use}`,
  ])
})

test('the search index is loaded from a standby and follows it, or the primary where it is behind', async () => {
  const { pair, app, asked } = await startPairAndApp('memory')
  const key = await app.key({})
  const search = async () => (await key.post('/stores/search', { filters: {}, limit: 10 })).body.data
  expect(asked()).toMatch(/copy \(select s\.id/)
  await app.importStores([shop('one')])
  expect(await search()).toHaveLength(1)
  await replay(pair, 'pause')
  await app.importStores([shop('two')])
  expect(await search()).toHaveLength(2)
  await pair.standby.kill()
  await app.importStores([shop('three')])
  expect(await search()).toHaveLength(3)
})

test('another database is not read, although it may have the same batches', async () => {
  const { pair, app, said } = await startPairAndApp('postgres')
  await isUsed(app).toBe('in_step')
  await pair.promote()
  await run(pair.standby.urlOf(pair.database), "update installation set value = sha256('other') where name = 'secret'")
  await isUsed(app).toBe('other_database')
  expect(said().at(-1)).toContain('is no copy of this database')
})
