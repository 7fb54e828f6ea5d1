import { isDatabaseUnavailable } from '@storedex/pg-lanes/failures'
import pg from 'pg'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Pool } from '../../../../src/foundation/db/pool.ts'
import type { StoreSearch } from '../../../../src/search/engines/engine.ts'
import {
  createPostgresEngine,
  createSearchPool,
  postgresBudget,
  type SearchBudget,
} from '../../../../src/search/engines/postgres/engine.ts'
import { startTestApp, type TestApp } from '../../../support/app.ts'
import { atEnd } from '../../../support/cleanup.ts'
import { createTestDatabase } from '../../../support/database.ts'
import { insertRows, plainRow } from '../../support/tables.ts'

/** Searches wait while another connection locks the table of stores. */
async function lockStores(url: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  let isHeld = true
  const unlock = async () => {
    if (isHeld) await client.end()
    isHeld = false
  }
  onTestFinished(unlock)
  await client.query('begin')
  await client.query('lock table stores in access exclusive mode')
  return unlock
}

const everything: StoreSearch = {
  mode: 'live',
  query: { clauses: [], noneOf: [], minActiveAds: null, createdBetween: null, discoveredBetween: null },
  after: null,
  limit: 10,
}

describe('the engine', () => {
  let url: string
  beforeAll(async () => {
    url = (await createTestDatabase()).url
    const pool = openPool({})
    await insertRows(pool, [plainRow])
  })

  const openPool = (budget: Partial<SearchBudget>): Pool => {
    const pool = createSearchPool({
      url,
      applicationName: 'search budget',
      budget: { statementMs: 10_000, waitMs: 10_000, connections: 2, ...budget },
    })
    atEnd(() => pool.end())
    return pool
  }

  test('cancels a search that takes too long, and answers the next one', async () => {
    const engine = createPostgresEngine({ db: openPool({ statementMs: 2_000, connections: 1 }) })
    expect(await engine.findStores(everything)).toHaveLength(1)
    const unlock = await lockStores(url)
    await expect(engine.findStores(everything)).rejects.toMatchObject({
      code: 'service_unavailable',
      message: expect.stringContaining('took too long'),
    })
    await unlock()
    expect(await engine.findStores(everything)).toHaveLength(1)
  })

  test('limits the wait for a connection', async () => {
    const engine = createPostgresEngine({ db: openPool({ waitMs: 3_000, connections: 1 }) })
    expect(await engine.findStores(everything)).toHaveLength(1)
    const unlock = await lockStores(url)
    const running = engine.findStores(everything)
    const refused = await engine.findStores(everything).catch((error) => error)
    expect(isDatabaseUnavailable(refused)).toBe(true)
    await unlock()
    expect(await running).toHaveLength(1)
  })
})

describe('the service, over PostgreSQL alone', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startTestApp({ now: '2026-11-01T00:00:00Z', engine: 'postgres', searchBudget: postgresBudget })
  })

  const statementsOfSearches = async () => {
    const { rows } = await app.db.query<{ count: number }>(`
      select count(*)::integer as count from pg_stat_activity
      where datname = current_database() and state = 'active' and query like '%walked as materialized%'
        and pid <> pg_backend_pid()`)
    return rows[0]!.count
  }

  test('answers 503 with Retry-After; other requests are not affected', async () => {
    const key = await app.key({})
    await lockStores(app.deps.databaseUrl)
    const searches = Array.from({ length: 20 }, () => key.post('/stores/search', { filters: {} }))
    expect((await key.get('/usage')).status).toBe(200)
    for (const reply of await Promise.all(searches)) {
      expect(reply.status).toBe(503)
      expect(reply.body.error.code).toBe('service_unavailable')
      expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0)
    }
    expect((await key.get('/usage')).status).toBe(200)
  })

  test('ends the search of a disconnected caller', async () => {
    const key = await app.key({})
    await lockStores(app.deps.databaseUrl)
    const gone = new AbortController()
    const search = fetch(`${app.url}/api/v1/stores/search`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key.secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ filters: {} }),
      signal: gone.signal,
    })
    await expect.poll(statementsOfSearches).toBe(1)
    gone.abort()
    await expect(search).rejects.toThrow()
    await expect.poll(statementsOfSearches).toBe(0)
  })
})
