import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { temporaryDirectory } from '../../../../packages/embedded-postgres/test/support.ts'
import { importStores } from '../../../src/catalogue/imports/stores/import-stores.ts'
import { connectClient, createTestDatabase } from '../../support/database.ts'
import { type ApiReply, sendRequest, sendRequestOrThrow } from './support/requests.ts'
import { startService, subscribe, withDeps } from './support/service.ts'

const { url } = await createTestDatabase()
const settings = { DATABASE_URL: url, DEMO: '0' }

async function importShared(count: number): Promise<void> {
  const file = join(temporaryDirectory(), 'stores.ndjson')
  const records = Array.from({ length: count }, (_, i) => ({ domain: `shared-${i}.example`, name: `Shared ${i}` }))
  writeFileSync(file, records.map((record) => JSON.stringify(record)).join('\n'))
  const { rejected } = await withDeps(settings, (deps) => importStores(deps, { file, extendTaxonomy: false }))
  expect(rejected).toBe(0)
}

const statusesOf = (answers: (ApiReply | null)[]) => answers.map((answer) => answer?.status ?? 0)
const countOf = (statuses: number[], status: number) => statuses.filter((each) => each === status).length

describe('two services on one database', () => {
  test('started at once, enforce every limit together, to the last request', async () => {
    const services = await Promise.all([startService(settings), startService(settings)])
    await importShared(60)
    const apiOf = (i: number) => services[i % 2]!.api
    const storm = (send: (i: number) => Promise<ApiReply | null>) =>
      Promise.all(Array.from({ length: 50 }, (_, i) => send(i))).then(statusesOf)

    const exporter = await subscribe(settings, { store_exports: 20 })
    const lookups = await storm((i) => sendRequest(apiOf(i), exporter.live, `/stores/shared-${i}.example`))
    expect([countOf(lookups, 200), countOf(lookups, 429)]).toEqual([20, 30])
    const exports = (await sendRequestOrThrow(apiOf(0), exporter.live, '/usage')).body.store_exports
    expect(exports).toMatchObject({ used: 20, remaining: 0 })

    const searcher = await subscribe(settings, { search_rows: 100 })
    const body = { filters: {}, limit: 7 }
    const searches = await storm((i) => sendRequest(apiOf(i), searcher.live, '/stores/search', body))
    expect([countOf(searches, 200), countOf(searches, 429)]).toEqual([14, 36])
    const usage = (await sendRequestOrThrow(apiOf(1), searcher.live, '/usage')).body
    expect(usage).toMatchObject({ search_rows: { used: 98 }, store_exports: { used: 7 } })

    const hurried = await subscribe(settings, { requests_per_minute: 17 })
    const requests = await storm((i) => sendRequest(apiOf(i), hurried.live, '/usage'))
    expect([countOf(requests, 200), countOf(requests, 429)]).toEqual([17, 33])

    const books = await connectClient(url)
    onTestFinished(() => books.end())
    const { rows } = await books.query(`
      select bool_and(used = (
        select sum(amount) from ledger l
        where l.account_id = c.account_id and l.mode = c.mode and l.meter = c.meter and l.period_start = c.period_start
      )) as sound
      from usage_counters c`)
    expect(rows).toEqual([{ sound: true }])
  })

  test("revoke a key at once, and continue each other's pages", async () => {
    const [one, two] = await Promise.all([startService(settings), startService(settings)])
    const { test: key, revoke } = await subscribe(settings)
    const page = async (api: string, cursor: unknown) =>
      (await sendRequestOrThrow(api, key, '/stores/search', { filters: {}, limit: 40, cursor })).body
    const first = await page(one.api, null)
    const second = await page(two.api, first.next_cursor)
    const domains = [first, second].flatMap(({ data }) => (data as { domain: string }[]).map(({ domain }) => domain))
    expect(new Set(domains).size).toBe(80)

    await revoke()
    for (const { api } of [one, two]) {
      const refused = await sendRequest(api, key, '/usage')
      expect({ status: refused?.status, code: refused?.body.error?.code }).toEqual({
        status: 401,
        code: 'revoked_api_key',
      })
    }
  })
})

describe('a service that receives SIGTERM', () => {
  test('finishes running requests, rejects new ones, and exits with 0', async () => {
    const service = await startService(settings)
    // Requests of one account would wait for each other; these wait for the lock.
    const keys = [await subscribe(settings), await subscribe(settings), await subscribe(settings)].map(
      ({ test }) => test,
    )
    const [key] = keys as [string, ...string[]]
    const [{ domain }] = (await sendRequestOrThrow(service.api, key, '/stores/search', { filters: {}, limit: 1 })).body
      .data as [{ domain: string }]
    const [holder, watcher] = [await connectClient(url), await connectClient(url)]
    onTestFinished(async () => void (await Promise.all([holder.end(), watcher.end()])))
    const waiting = async () => {
      const { rows } = await watcher.query(
        `select count(*)::integer as waiting from pg_stat_activity
         where datname = current_database() and application_name = 'storedex' and wait_event_type = 'Lock'`,
      )
      return rows[0].waiting
    }

    await holder.query('begin; lock table usage_counters in access exclusive mode')
    const atWork = keys.map((each) => sendRequest(service.api, each, `/stores/${domain}`))
    await expect.poll(waiting, { interval: 10 }).toBe(3)
    const stopped = service.stop()
    // The signal takes a moment; then a new request is rejected by a reply or a refused connection. The request without
    // a key would not wait.
    const refuses = async () => {
      const answer = await sendRequest(service.api, 'none', '/taxonomy')
      if (answer?.status === 401) return false
      if (answer) {
        expect(answer.body.error).toMatchObject({ type: 'server_error', code: 'service_unavailable' })
        expect({ status: answer.status, retryAfter: answer.headers.get('retry-after') }).toEqual({
          status: 503,
          retryAfter: expect.stringMatching(/^\d+$/),
        })
      }
      return true
    }
    await expect.poll(refuses, { interval: 10 }).toBe(true)
    await holder.query('rollback')

    expect(statusesOf(await Promise.all(atWork))).toEqual([200, 200, 200])
    expect(await stopped).toBe(0)
    expect(await sendRequest(service.api, key, '/taxonomy')).toBeNull()
  })
})
