import { Value } from 'typebox/value'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type ConnectionPool, createPool, type Queryable, transact } from '../../../src/foundation/db/pool.ts'
import { etagMatches } from '../../../src/foundation/http/replies.ts'
import { startRepeating } from '../../../src/foundation/runtime/timing.ts'
import { extendTaxonomy } from '../../../src/search/taxonomy/extend-taxonomy.ts'
import { syncTaxonomy } from '../../../src/search/taxonomy/sync-taxonomy.ts'
import {
  LiveTaxonomy,
  loadTaxonomy,
  renderTaxonomyReply,
  TaxonomyReply,
} from '../../../src/search/taxonomy/taxonomy.ts'
import { createTestDatabase } from '../../support/database.ts'
import { createTaxonomyFolder } from './support/taxonomy-folder.ts'

let pool: ConnectionPool
beforeAll(async () => {
  pool = createPool({ url: (await createTestDatabase()).url, applicationName: 'taxonomy test', maxConnections: 2 })
})
afterAll(() => pool.end())
beforeEach(async () => {
  await pool.query('truncate taxonomy_values')
  await syncTaxonomy(pool, await createTaxonomyFolder())
})

/** Long enough for a busy machine; usually takes milliseconds. */
const patience = { timeout: 20_000, interval: 5 }

const addApp = (value: string) => transact(pool, (client) => extendTaxonomy(client, [{ facet: 'app', value }]))
const knows = (live: LiveTaxonomy, app: string) => live.current.vocabulary.find('app', app) !== undefined

describe('the taxonomy reply', () => {
  test('matches the schema and lists every facet', async () => {
    const reply = JSON.parse(renderTaxonomyReply(await loadTaxonomy(pool), 'req_8fK2mXo3QpLr7TzV1aBc'))
    expect(Value.Check(TaxonomyReply, reply)).toBe(true)
    expect(reply).toEqual({
      object: 'taxonomy',
      version: expect.stringMatching(/^[0-9a-f]{12}$/),
      categories: [
        { value: 'home', label: 'Home', parent: null },
        { value: 'candles', label: 'Candles', parent: 'home' },
      ],
      countries: [{ value: 'DE', label: 'Germany' }],
      traffic_tiers: [
        { value: 'under_1k', label: 'Under 1K', min: 0, max: 1000 },
        { value: 'over_1k', label: 'Over 1K', min: 1000, max: null },
      ],
      revenue_tiers: [{ value: 'any', label: 'Any', min: 0, max: null }],
      theme_types: [{ value: 'free', label: 'Free' }],
      roles: [{ value: 'founder', label: 'Founder' }],
      seniorities: [{ value: 'other', label: 'Other' }],
      apps: [
        { value: 'klaviyo', label: 'Klaviyo', category: 'email_marketing' },
        { value: 'oldie', label: 'Oldie', category: null, deprecated: true },
      ],
      pixels: [],
      request_id: 'req_8fK2mXo3QpLr7TzV1aBc',
    })
  })

  test('matches the schema for an empty taxonomy', async () => {
    await pool.query('truncate taxonomy_values')
    expect(
      Value.Check(TaxonomyReply, JSON.parse(renderTaxonomyReply(await loadTaxonomy(pool), 'req_8fK2mXo3QpLr7TzV1aBc'))),
    ).toBe(true)
  })

  test('has an ETag that changes with the content and returns with the old content', async () => {
    const first = await loadTaxonomy(pool)
    expect(first.etag).toMatch(/^"[0-9a-f]{32}"$/)
    expect((await loadTaxonomy(pool)).etag).toBe(first.etag)
    await addApp('zeta')
    const second = await loadTaxonomy(pool)
    expect(second.etag).not.toBe(first.etag)
    expect(JSON.parse(second.content).version).not.toBe(JSON.parse(first.content).version)
    await pool.query("delete from taxonomy_values where value = 'zeta'")
    expect((await loadTaxonomy(pool)).content).toBe(first.content)
  })
})

test('the vocabulary contains the values of the table', async () => {
  const { vocabulary } = await loadTaxonomy(pool)
  const candles = vocabulary.find('category', 'CANDLES')!
  expect(vocabulary.tokensWithin(vocabulary.find('category', 'home')!)).toContain(candles.token)
})

test.each([
  [true, '"abc"'],
  [true, 'W/"abc"'],
  [true, '"x", W/"y","abc"'],
  [true, '"a,b", "abc"'],
  [true, ' * '],
  [false, undefined],
  [false, ''],
  [false, 'abc'],
  [false, '"ABC"'],
  [false, '"abc'],
  [false, '"ab", "c"'],
  [false, '"*"'],
])('etagMatches is %s for If-None-Match %s', (expected, header) => {
  expect(etagMatches(header, '"abc"')).toBe(expected)
})

describe('the live taxonomy', () => {
  test('is read again only if its version changed', async () => {
    const live = await LiveTaxonomy.open(pool)
    const before = live.current
    await live.refresh()
    expect(live.current).toBe(before)
    await addApp('zeta')
    await live.refresh()
    expect(knows(live, 'zeta')).toBe(true)
    expect(before.vocabulary.find('app', 'zeta')).toBeUndefined()
  })

  test('is as new as the last of several concurrent refreshes', async () => {
    const live = await LiveTaxonomy.open(pool)
    const early = live.refresh()
    await addApp('zeta')
    await Promise.all([early, live.refresh()])
    expect(knows(live, 'zeta')).toBe(true)
  })

  test('stays available during an outage, reports it once, catches up and stops', async () => {
    let isAway = false
    let reads = 0
    const database = {
      query: (...args: Parameters<ConnectionPool['query']>) => {
        reads++
        return isAway ? Promise.reject(new Error('the database is away')) : pool.query(...args)
      },
    } as Queryable
    const live = await LiveTaxonomy.open(database)
    const onOutage = vi.fn()
    const watch = startRepeating(() => live.refresh(), { intervalMs: 2, onOutage })

    isAway = true
    const readsBefore = reads
    await vi.waitUntil(() => reads > readsBefore + 3, patience)
    expect(onOutage).toHaveBeenCalledTimes(1)
    expect(knows(live, 'klaviyo')).toBe(true)

    await addApp('zeta')
    isAway = false
    await vi.waitUntil(() => knows(live, 'zeta'), patience)

    await watch.stop()
    const readsAtStop = reads
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(reads).toBe(readsAtStop)
  })

  test('is refreshed over a new connection after the old one was closed', async () => {
    const live = await LiveTaxonomy.open(pool)
    await addApp('zeta')
    await pool.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    const refreshed = () =>
      live.refresh().then(
        () => true,
        () => false,
      )
    await vi.waitUntil(refreshed, patience)
    expect(knows(live, 'zeta')).toBe(true)
  })
})
