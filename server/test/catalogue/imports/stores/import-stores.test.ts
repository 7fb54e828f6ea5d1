import { beforeAll, expect, test } from 'vitest'
import { flagTokens } from '../../../../src/search/query/vocabulary.ts'
import { loadTaxonomy } from '../../../../src/search/taxonomy/taxonomy.ts'
import { aurora } from '../../../support/fixtures.ts'
import { openTestCatalogue, type TestCatalogue } from '../support/test-catalogue.ts'

let catalogue: TestCatalogue
beforeAll(async () => {
  catalogue = await openTestCatalogue()
})

test('a record becomes a store with its document, search columns and hosts', async () => {
  const result = await catalogue.importStores([aurora])
  expect(result).toMatchObject({ read: 1, inserted: 1, updated: 0, unchanged: 0, rejected: 0, rejects_file: null })
  const { vocabulary } = await loadTaxonomy(catalogue.db)
  const row = (await catalogue.store('aurora-candles.example'))!
  expect(row.document).toEqual({
    id: catalogue.context.ids.seal('store', row.id, 'live'),
    object: 'store',
    domain: 'aurora-candles.example',
    name: 'Aurora Candles',
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
    contacts_summary: { total: 0, has_revealable_contacts: false, verified_email_count: 0, roles: [] },
    technologies: { apps: ['klaviyo'], pixels: ['meta_pixel'], theme: { name: 'Dawn', type: 'free' } },
  })
  const tokenOf = (...[facet, value]: Parameters<typeof vocabulary.find>) => vocabulary.find(facet, value)!.token
  expect(row).toMatchObject({
    negated_score: -71.5,
    active_ads: 12,
    created_estimate: new Date('2019-03-01T00:00:00Z'),
    first_discovered_at: new Date('2021-06-11T08:00:00Z'),
    aliases: ['aurora-candles.myshopify.com'],
    tokens: [
      tokenOf('category', 'home_garden'),
      tokenOf('country', 'DE'),
      tokenOf('traffic_tier', '10k_50k'),
      tokenOf('revenue_tier', '50k_100k'),
      tokenOf('theme_type', 'free'),
      tokenOf('app', 'klaviyo'),
      tokenOf('pixel', 'meta_pixel'),
    ].sort((a, b) => a - b),
  })
})

test('a record with only a domain creates a store named after its domain', async () => {
  await catalogue.importStores([{ domain: 'https://www.Bare.example/shop?x=1' }])
  const row = (await catalogue.store('bare.example'))!
  expect(row.document).toMatchObject({
    name: 'bare.example',
    category: null,
    platform_plus: false,
    lead_fit_score: null,
    store_created_at: null,
    technologies: { apps: [], pixels: [], theme: { name: null, type: null } },
  })
  expect(row).toMatchObject({ negated_score: Number.POSITIVE_INFINITY, tokens: [], aliases: [] })
})

test('a store has the tokens of its own values and flags, but not those of parent categories', async () => {
  await catalogue.importStores([{ domain: 'parents.example', category: 'home_garden_decor', platform_plus: true }])
  const { vocabulary } = await loadTaxonomy(catalogue.db)
  const { token } = vocabulary.find('category', 'home_garden_decor')!
  expect((await catalogue.store('parents.example'))!.tokens).toEqual([flagTokens.platformPlus, token])
})

test('importing the same records again changes nothing and uses no batch number', async () => {
  const records = [{ ...aurora, domain: 'again.example', aliases: ['b.again.example', 'a.again.example'] }]
  await catalogue.importStores(records)
  const before = [await catalogue.store('again.example'), await catalogue.batch()]
  expect(await catalogue.importStores(records)).toMatchObject({ read: 1, unchanged: 1, inserted: 0, updated: 0 })
  expect([await catalogue.store('again.example'), await catalogue.batch()]).toEqual(before)
})

test('every import that changes something increases the batch number by one', async () => {
  const batch = await catalogue.batch()
  await catalogue.importStores([{ domain: 'batch-a.example' }, { domain: 'batch-b.example' }])
  await catalogue.importStores([{ domain: 'batch-b.example', name: 'B' }])
  expect((await catalogue.store('batch-a.example'))!.batch).toBe(batch + 1)
  expect((await catalogue.store('batch-b.example'))!.batch).toBe(batch + 2)
  expect(await catalogue.batch()).toBe(batch + 2)
})

test('a missing field keeps its value, null clears it, inside nested objects too', async () => {
  const domain = 'patch.example'
  await catalogue.importStores([{ ...aurora, domain, aliases: ['old.patch.example'] }])
  const before = (await catalogue.store(domain))!

  await catalogue.importStores([
    { domain, store_created_at: { source: null }, technologies: { theme: { name: 'Craft' } }, active_ads: null },
  ])
  const patched = (await catalogue.store(domain))!
  expect(patched.document).toEqual({
    ...before.document,
    store_created_at: { ...before.document.store_created_at, source: null },
    technologies: { ...before.document.technologies, theme: { name: 'Craft', type: 'free' } },
  })
  expect(patched).toMatchObject({ id: before.id, active_ads: null, aliases: ['old.patch.example'] })

  await catalogue.importStores([
    {
      domain,
      name: null,
      aliases: null,
      category: null,
      country: null,
      traffic_tier: null,
      revenue_tier: null,
      platform_plus: null,
      lead_fit_score: null,
      store_created_at: null,
      first_discovered_at: null,
      technologies: null,
    },
  ])
  const cleared = (await catalogue.store(domain))!
  expect(cleared).toMatchObject({
    negated_score: Number.POSITIVE_INFINITY,
    tokens: [],
    created_estimate: null,
    first_discovered_at: null,
    aliases: [],
  })
  expect(cleared.document).toMatchObject({
    id: before.document.id,
    name: domain,
    store_created_at: null,
    technologies: { apps: [], pixels: [], theme: { name: null, type: null } },
  })
})

test('a given list replaces the stored list', async () => {
  const domain = 'lists.example'
  await catalogue.importStores([{ domain, technologies: { apps: ['klaviyo', 'loox'], pixels: ['meta_pixel'] } }])
  await catalogue.importStores([{ domain, technologies: { apps: ['gorgias'] } }])
  expect((await catalogue.store(domain))!.document.technologies).toMatchObject({
    apps: ['gorgias'],
    pixels: ['meta_pixel'],
  })
})

test('values are accepted in any letter case and stored in the canonical one, in order and without duplicates', async () => {
  await catalogue.importStores([
    {
      domain: 'case.example',
      country: 'de',
      technologies: { apps: ['Loox', 'KLAVIYO', 'loox'], theme: { type: 'FREE' } },
    },
  ])
  expect((await catalogue.store('case.example'))!.document).toMatchObject({
    country: 'DE',
    technologies: { apps: ['loox', 'klaviyo'], theme: { type: 'free' } },
  })
})

test('two records of a store apply in order, and importing them again changes nothing', async () => {
  const records = [
    { domain: 'twice.example', name: 'First', country: 'DE' },
    { domain: 'twice.example', name: 'Second' },
    { domain: 'twice.example', country: 'DE' },
  ]
  expect(await catalogue.importStores(records)).toMatchObject({ read: 3, inserted: 1, updated: 1, unchanged: 1 })
  expect((await catalogue.store('twice.example'))!.document).toMatchObject({ name: 'Second', country: 'DE' })
  const batch = await catalogue.batch()
  expect(await catalogue.importStores(records)).toMatchObject({ read: 3, inserted: 0, updated: 0, unchanged: 3 })
  expect(await catalogue.batch()).toBe(batch)
})

test('an alias can move to another store after a record removed it from the first', async () => {
  await catalogue.importStores([{ domain: 'giver.example', aliases: ['moving.example'] }, { domain: 'taker.example' }])
  const result = await catalogue.importStores([
    { domain: 'giver.example', aliases: [] },
    { domain: 'taker.example', aliases: ['moving.example'] },
  ])
  expect(result).toMatchObject({ updated: 2, rejected: 0 })
  expect((await catalogue.store('giver.example'))!.aliases).toEqual([])
  expect((await catalogue.store('taker.example'))!.aliases).toEqual(['moving.example'])
})

test('a host belongs to one store: a record that claims the host of another store is rejected with that store named', async () => {
  await catalogue.importStores([{ domain: 'owner.example', aliases: ['taken.example'] }])
  const result = await catalogue.importStores([
    { domain: 'taken.example', name: 'An alias as domain' },
    { domain: 'claims-alias.example', aliases: ['taken.example'] },
    { domain: 'claims-domain.example', aliases: ['owner.example'] },
    { domain: 'fresh.example', aliases: ['fresh-alias.example'] },
    { domain: 'claims-fresh.example', aliases: ['fresh-alias.example'] },
    { domain: 'owner.example', aliases: ['fresh.example'] },
  ])
  expect(result).toMatchObject({ read: 6, inserted: 1, updated: 0, unchanged: 0, rejected: 5 })
  expect((await catalogue.rejectsOf(result)).map(({ line, reason }) => `${line} ${reason}`)).toEqual([
    '1 domain: taken.example is an alias of owner.example',
    '2 aliases: taken.example belongs to owner.example',
    '3 aliases: owner.example belongs to owner.example',
    '5 aliases: fresh-alias.example belongs to fresh.example',
    '6 aliases: fresh.example belongs to fresh.example',
  ])
  expect(await catalogue.store('claims-alias.example')).toBeUndefined()
})

test('the own domain among the aliases is ignored', async () => {
  await catalogue.importStores([
    { domain: 'self.example', aliases: ['www.self.example', 'SELF.example', 'x.self.example'] },
  ])
  expect((await catalogue.store('self.example'))!.aliases).toEqual(['x.self.example'])
})

test('live and sandbox stores with the same domain are separate', async () => {
  await catalogue.importStores([{ domain: 'both.example', name: 'Live' }])
  expect(await catalogue.importStores([{ domain: 'both.example', name: 'Test' }], { mode: 'test' })).toMatchObject({
    inserted: 1,
  })
  const rows = (await catalogue.rows()).filter((row) => row.document.domain === 'both.example')
  expect(rows.map((row) => [row.mode, row.document.name, row.document.id.slice(0, 8)])).toEqual([
    ['live', 'Live', 'st_live_'],
    ['test', 'Test', 'st_test_'],
  ])
})

test('with extendTaxonomy, unknown apps, pixels and categories of accepted records are added to the taxonomy', async () => {
  const records = [
    { domain: 'new-words.example', category: 'Moon_Rocks', technologies: { apps: ['brand_new'], pixels: ['klaviyo'] } },
    { domain: 'new-words-2.example', technologies: { apps: ['Brand_New'] } },
    { domain: 'refused.example', technologies: { apps: ['never_seen'] }, first_discovered_at: 'yesterday' },
    { domain: 'refused.example', technologies: { apps: ['not a slug!'] } },
    { domain: 'refused.example', country: 'ZZ' },
  ]
  const before = await loadTaxonomy(catalogue.db)
  expect(await catalogue.importStores(records)).toMatchObject({ inserted: 0, rejected: 5 })
  const result = await catalogue.importStores(records, { extendTaxonomy: true })
  expect(result).toMatchObject({ inserted: 2, rejected: 3 })
  expect((await catalogue.rejectsOf(result)).map((reject) => reject.reason)).toEqual([
    expect.stringContaining('first_discovered_at'),
    'technologies.apps[0]: "not a slug!" cannot become a value of the taxonomy',
    expect.stringContaining('country: unknown value "ZZ"'),
  ])
  const { vocabulary, version } = await loadTaxonomy(catalogue.db)
  expect(version).toBeGreaterThan(before.version)
  expect(vocabulary.find('app', 'never_seen')).toBeUndefined()
  const row = (await catalogue.store('new-words.example'))!
  expect(row.document).toMatchObject({
    category: 'moon_rocks',
    technologies: { apps: ['brand_new'], pixels: ['klaviyo'] },
  })
  expect(row.tokens).toContain(vocabulary.find('category', 'moon_rocks')!.token)
  expect((await catalogue.store('new-words-2.example'))!.tokens).toEqual([vocabulary.find('app', 'brand_new')!.token])
  expect(await catalogue.importStores(records)).toMatchObject({ unchanged: 2, rejected: 3 })
})

test('text with quotes, backslashes, separators and characters outside the basic plane is stored unchanged', async () => {
  const name = 'Bar | semicolon; "quote" \\N \\. 🕯️ ünïcode \u2028'
  await catalogue.importStores([{ domain: 'text.example', name }, { domain: 'after-text.example' }])
  expect((await catalogue.store('text.example'))!.document.name).toBe(name)
  expect(await catalogue.importStores([{ domain: 'text.example', name }])).toMatchObject({ unchanged: 1 })
})

test('scores and counts are stored exactly, and minus zero as zero', async () => {
  await catalogue.importStores([
    { domain: 'score-a.example', lead_fit_score: 0.1 },
    { domain: 'score-b.example', lead_fit_score: -12.75e-7, active_ads: 2_147_483_647 },
    { domain: 'score-c.example', lead_fit_score: 1.7976931348623157e308, active_ads: 0 },
  ])
  await catalogue.importStoresFile('minus.ndjson', '{"domain":"score-d.example","lead_fit_score":-0,"active_ads":-0}')
  const scores = await Promise.all(['a', 'b', 'c', 'd'].map((name) => catalogue.store(`score-${name}.example`)))
  expect(scores.map((row) => row!.document.lead_fit_score)).toEqual([0.1, -12.75e-7, 1.7976931348623157e308, 0])
  expect(scores.map((row) => row!.negated_score)).toEqual([-0.1, 12.75e-7, -1.7976931348623157e308, 0])
  expect(scores.map((row) => row!.active_ads)).toEqual([null, 2_147_483_647, 0, 0])
})

test('timestamps are stored in UTC with milliseconds', async () => {
  await catalogue.importStores([
    {
      domain: 'moments.example',
      first_discovered_at: '2024-02-29T23:30:00.1234-05:30',
      store_created_at: { estimate: '0001-01-01T00:00:00Z' },
    },
  ])
  const row = (await catalogue.store('moments.example'))!
  expect(row.document).toMatchObject({
    first_discovered_at: '2024-03-01T05:00:00.123Z',
    store_created_at: { estimate: '0001-01-01T00:00:00.000Z', resolution: null },
  })
  expect(row.first_discovered_at).toEqual(new Date('2024-03-01T05:00:00.123Z'))
})

test('an empty store_created_at changes nothing', async () => {
  await catalogue.importStores([{ domain: 'undated.example' }])
  expect(await catalogue.importStores([{ domain: 'undated.example', store_created_at: {} }])).toMatchObject({
    unchanged: 1,
  })
  expect((await catalogue.store('undated.example'))!.document.store_created_at).toBeNull()
})
