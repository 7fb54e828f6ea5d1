import { beforeAll, describe, expect, test } from 'vitest'
import { removeStore } from '../../../src/catalogue/erasure/remove-store.ts'
import { pruneHistory } from '../../../src/catalogue/history/prune-history.ts'
import { importSandbox } from '../../../src/catalogue/imports/demo/demo.ts'
import { renameStore } from '../../../src/catalogue/renaming/rename-store.ts'
import type { StoreChange } from '../../../src/product/delivery/store-history.ts'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'

const firstDay = '2026-11-10T12:00:00.000Z'

let app: TestApp
let key: TestKey
beforeAll(async () => {
  app = await startTestApp({ now: firstDay })
  key = await app.key({ limits: { requests_per_minute: 10_000 } })
})

const days = (count: number) => count * 24 * 3_600_000
const none = { before: null, after: null, added: null, removed: null }

let shops = 0
/** Imports a new store and returns its domain. */
async function newShop(record: object = {}): Promise<string> {
  const domain = `changing-${++shops}.example`
  await app.importStores([{ domain, name: 'A shop', ...record }])
  return domain
}

async function historyOf(domain: string, by: TestKey = key): Promise<StoreChange[]> {
  const { status, body } = await by.get(`/stores/${domain}/history?limit=100`)
  expect(status).toBe(200)
  return body.data
}

const exportsUsed = async (by: TestKey) => (await by.get('/usage')).body.store_exports.used

describe('the history of a store', () => {
  test('begins with its import and has one row for each changed field, newest first', async () => {
    const domain = await newShop({
      country: 'DE',
      traffic_tier: '10k_50k',
      lead_fit_score: 7,
      aliases: ['old.myshopify.com'],
      technologies: { apps: ['klaviyo', 'loox'], pixels: [], theme: { name: 'Dawn', type: 'free' } },
    })
    app.clock.advance(days(1))
    const at = app.clock.now().toISOString()
    await app.importStores([
      {
        domain,
        name: 'A better shop \\ "quoted" 書店',
        country: null,
        traffic_tier: '50k_100k',
        lead_fit_score: 7.5,
        platform_plus: true,
        active_ads: 3,
        aliases: ['new.myshopify.com'],
        technologies: { apps: ['loox', 'gorgias'], pixels: ['meta_pixel'], theme: { name: 'Craft' } },
      },
    ])
    const reply = await key.get(`/stores/${domain}/history`)
    expect(reply.headers.get('x-store-exports-remaining')).toBe(String(5_000 - (await exportsUsed(key))))
    expect(reply.body).toEqual({
      object: 'list',
      data: [
        { ...none, at, field: 'name', before: 'A shop', after: 'A better shop \\ "quoted" 書店' },
        { ...none, at, field: 'country', before: 'DE' },
        { ...none, at, field: 'traffic_tier', before: '10k_50k', after: '50k_100k' },
        { ...none, at, field: 'platform_plus', before: false, after: true },
        { ...none, at, field: 'lead_fit_score', before: 7, after: 7.5 },
        { ...none, at, field: 'apps', added: ['gorgias'], removed: ['klaviyo'] },
        { ...none, at, field: 'pixels', added: ['meta_pixel'], removed: [] },
        { ...none, at, field: 'theme.name', before: 'Dawn', after: 'Craft' },
        { ...none, at, field: 'aliases', added: ['new.myshopify.com'], removed: ['old.myshopify.com'] },
        { ...none, at: firstDay, field: 'added_to_catalogue' },
      ],
      has_more: false,
      next_cursor: null,
      request_id: reply.headers.get('x-request-id'),
    })
  })

  test('gets nothing from a record that changes nothing that is tracked, or nothing at all', async () => {
    const domain = await newShop({ country: 'DE' })
    for (const record of [{ country: 'DE' }, { active_ads: 5 }, { name: 'Two' }, { name: 'Two' }])
      await app.importStores([{ domain, ...record }])
    await app.importContacts([
      {
        store_domain: domain,
        external_id: 'c',
        first_name: 'Anna',
        emails: [{ email: `anna@${domain}`, status: 'verified' }],
      },
    ])
    expect((await historyOf(domain)).map(({ field }) => field)).toEqual(['name', 'added_to_catalogue'])
  })

  test('shows a rename by its aliases, and is found by every host before and after it', async () => {
    const domain = await newShop({ name: null, aliases: [`next-of-${shops + 1}.example`] })
    const renamed = `next-of-${shops}.example`
    const { id } = await renameStore(app.operator, domain, renamed)
    const entries = await app.db.query("select actor, target from audit_log where action = 'store.renamed'")
    expect(entries.rows).toEqual([{ actor: 'command', target: id }])
    for (const host of [domain, renamed])
      expect(await historyOf(host)).toMatchObject([
        { field: 'name', before: domain, after: renamed },
        { field: 'aliases', added: [domain], removed: [renamed] },
        { field: 'added_to_catalogue' },
      ])
  })

  test('goes with a store that is removed: it is not found, and an import begins a new one', async () => {
    const domain = await newShop()
    await app.importStores([{ domain, name: 'Renamed' }])
    await removeStore(app.operator, domain)
    await app.searchFollows()
    expect(await key.get(`/stores/${domain}/history`)).toMatchObject({
      status: 404,
      body: { error: { type: 'not_found_error', code: 'store_not_found', param: 'domain' } },
    })
    const left = await app.db.query(
      'select from store_changes c where not exists (select from stores s where s.id = c.store_id)',
    )
    expect(left.rowCount).toBe(0)
    await app.importStores([{ domain }])
    expect((await historyOf(domain)).map(({ field }) => field)).toEqual(['added_to_catalogue'])
  })

  test('is that of its own mode: the sandbox has one, and live stores are unknown to test keys', async () => {
    await importSandbox(app.operator, 'catalogue/sandbox')
    const testKey = await app.key({ mode: 'test' })
    const { body } = await testKey.post('/stores/search', { filters: {}, limit: 1 })
    expect(await historyOf(body.data[0].domain, testKey)).toMatchObject([{ field: 'added_to_catalogue' }])
    expect((await testKey.get(`/stores/${await newShop()}/history`)).status).toBe(404)
  })
})

describe('pages', () => {
  test('continue exactly where the last one ended, also when an import adds changes in between', async () => {
    const domain = await newShop()
    for (let step = 1; step <= 6; step++)
      await app.importStores([{ domain, name: `Name ${step}`, lead_fit_score: step, platform_plus: step % 2 === 1 }])
    const whole = await historyOf(domain)
    expect(whole).toHaveLength(19)
    const walked: StoreChange[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = await key.get(`/stores/${domain}/history?limit=2${cursor && `&cursor=${cursor}`}`)
      walked.push(...body.data)
      expect(body.has_more).toBe(body.next_cursor !== null)
      cursor = body.next_cursor
      await app.importStores([{ domain, name: `Later ${walked.length}` }])
    }
    expect(walked).toEqual(whole)
  })

  test('refuse the cursor of another store or account and a limit out of range, free of charge', async () => {
    const [domain, other] = [await newShop(), await newShop()]
    await app.importStores([{ domain, name: 'Two' }])
    const { next_cursor } = (await key.get(`/stores/${domain}/history?limit=1`)).body
    const stranger = await app.key({})
    const used = await exportsUsed(key)
    for (const [by, path, code] of [
      [key, `/stores/${other}/history?cursor=${next_cursor}`, 'invalid_cursor'],
      [stranger, `/stores/${domain}/history?cursor=${next_cursor}`, 'invalid_cursor'],
      [key, `/stores/${domain}/history?limit=101`, 'invalid_limit'],
      [key, '/stores/shop/history', 'invalid_domain'],
    ] as const)
      expect(await by.get(path), path).toMatchObject({ status: 400, body: { error: { code } } })
    expect(await exportsUsed(key)).toBe(used)
    expect(await exportsUsed(stranger)).toBe(0)
  })
})

describe('the charge', () => {
  test('is one store export per period, however many pages, hosts, lookups and concurrent requests', async () => {
    const domain = await newShop({ aliases: [`alias-${shops + 1}.example`] })
    const alias = `alias-${shops}.example`
    const buyer = await app.key({ limits: { requests_per_minute: 1_000 } })
    const paths = [domain, alias].flatMap((host) => [`/stores/${host}/history`, `/stores/${host}`])
    const replies = await Promise.all([...paths, ...paths, ...paths].map((path) => buyer.get(path)))
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200))
    expect(await exportsUsed(buyer)).toBe(1)
    expect((await buyer.get('/stores/unknown.example/history')).status).toBe(404)
    expect(await exportsUsed(buyer)).toBe(1)
  })

  test('is refused with 429 when no export is left, and a store that was paid for still passes', async () => {
    const [paid, other] = [await newShop(), await newShop()]
    const poor = await app.key({ limits: { store_exports: 1 } })
    expect((await poor.get(`/stores/${paid}/history`)).status).toBe(200)
    const refused = await poor.get(`/stores/${other}/history`)
    expect(refused).toMatchObject({ status: 429, body: { error: { param: 'store_exports' } } })
    expect((await poor.get(`/stores/${paid}/history`)).status).toBe(200)
    expect(await exportsUsed(poor)).toBe(1)
  })
})

test('pruning deletes what is older than HISTORY_DAYS, in batches, and nothing else', async () => {
  const domain = await newShop()
  await app.importStores(Array.from({ length: 4_500 }, (_, number) => ({ domain: `many-${number}.example` })))
  app.clock.advance(days(20))
  await app.importStores([{ domain, name: 'Two' }])
  app.clock.advance(days(11))
  const count = async () =>
    (await app.db.query<{ count: number }>('select count(*) as count from store_changes')).rows[0]!.count
  const young = async () =>
    (
      await app.db.query<{ count: number }>('select count(*) as count from store_changes where at > $1', [
        new Date(app.clock.now().getTime() - days(30)),
      ])
    ).rows[0]!.count
  const [before, kept] = [await count(), await young()]
  expect(before - kept).toBeGreaterThan(4_500)
  const stopped = new AbortController()
  const context = { db: app.deps.db, clock: app.clock }
  await pruneHistory({ ...context, historyDays: 730 }, stopped.signal)
  expect(await count()).toBe(before)
  await pruneHistory({ ...context, historyDays: 30 }, AbortSignal.abort())
  const afterOneBatch = await count()
  expect(afterOneBatch).toBeLessThan(before)
  expect(afterOneBatch).toBeGreaterThan(kept)
  await pruneHistory({ ...context, historyDays: 30 }, stopped.signal)
  expect(await count()).toBe(kept)
  expect((await historyOf(domain)).map(({ field }) => field)).toEqual(['name'])
})

test('the service can add to the history and prune it, and cannot rewrite it', async () => {
  await expect(app.deps.db.query("update store_changes set after = 'x'")).rejects.toThrow('permission denied')
})
