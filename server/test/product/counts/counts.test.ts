import { beforeAll, describe, expect, test } from 'vitest'
import { threadProgram } from '../../../src/program/serving/programs.ts'
import { countInThreads } from '../../../src/search/counting/thread-pool.ts'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'

const now = '2026-11-10T12:00:00.000Z'

let app: TestApp
let key: TestKey
beforeAll(async () => {
  app = await startTestApp({ now, engine: 'memory', startCounting: countInThreads(threadProgram('count-thread')) })
  key = await app.key({ limits: { requests_per_minute: 10_000 } })
  await fill(app)
})

async function fill({ importStores, importContacts }: TestApp): Promise<void> {
  const apps = (...names: string[]) => ({ technologies: { apps: names } })
  await importStores([
    { domain: 'alder.example', name: 'Alder', category: 'home_garden', country: 'DE', ...apps('klaviyo', 'gorgias') },
    { domain: 'birch.example', name: 'Birch', category: 'home_garden_decor', country: 'DE', ...apps('klaviyo') },
    { domain: 'cedar.example', name: 'Cedar', country: 'FR', platform_plus: true, ...apps('gorgias') },
    { domain: 'dogwood.example', name: 'Dogwood', country: 'AT' },
  ])
  const email = (status: string, address: string) => ({ emails: [{ email: address, status, type: 'work' }] })
  const at = (store: string) => ({ store_domain: `${store}.example` })
  await importContacts([
    { ...at('alder'), first_name: 'Oona', role: 'marketing', ...email('verified', 'oona@alder.example') },
    { ...at('alder'), first_name: 'Dov', role: 'marketing', ...email('unknown', 'dov@alder.example') },
    {
      ...at('alder'),
      first_name: 'Ines',
      role: 'founder',
      seniority: 'executive',
      ...email('bounced', 'i@alder.example'),
    },
    { ...at('cedar'), first_name: 'Ravi', role: 'marketing', ...email('verified', 'ravi@cedar.example') },
  ])
}

describe('POST /stores/count', () => {
  test('leaves out what the account has exported', async () => {
    const owner = await app.key({})
    await owner.get('/stores/birch.example')
    const total = async (more: object) => (await owner.post('/stores/count', { filters: {}, ...more })).body.total
    expect([await total({}), await total({ exclude: { exported: true } })]).toEqual([4, 3])
  })

  test('counts what a search finds, the stores that are new this period, and facets with their labels', async () => {
    const filters = { countries: ['de'], apps: { any: ['klaviyo'] } }
    const facets = ['countries', 'apps', 'categories', 'platform_plus', 'contact_roles']
    const { status, body } = await key.post('/stores/count', { filters, facets })
    expect(status).toBe(200)
    const { engine_ms, request_id, ...counts } = body
    expect([engine_ms >= 0, request_id]).toEqual([true, expect.stringMatching(/^req_/)])
    expect(counts).toEqual({
      object: 'store_count',
      total: 2,
      new_exports: 2,
      facets: {
        // Without the condition on the country alone, both stores with the app are German.
        countries: [{ value: 'DE', label: 'Germany', count: 2 }],
        apps: [
          { value: 'klaviyo', label: 'Klaviyo', count: 2 },
          { value: 'gorgias', label: 'Gorgias', count: 1 },
        ],
        // A category includes what lies below it.
        categories: [
          { value: 'home_garden', label: expect.any(String), count: 2 },
          { value: 'home_garden_decor', label: expect.any(String), count: 1 },
        ],
        platform_plus: [{ value: 'false', label: 'Not on the premium tier', count: 2 }],
        contact_roles: [
          { value: 'founder', label: 'Founder', count: 1 },
          { value: 'marketing', label: 'Marketing', count: 1 },
        ],
      },
    })
  })

  test('costs one request and nothing else, and sees the stores that were exported', async () => {
    const caller = await app.key({})
    const usage = async () => (await caller.get('/usage')).body
    const before = await usage()
    await caller.post('/stores/count', { filters: {}, facets: ['apps'] })
    const after = await usage()
    expect([after.search_rows, after.store_exports]).toEqual([before.search_rows, before.store_exports])
    await caller.get('/stores/alder.example')
    const { body } = await caller.post('/stores/count', { filters: {} })
    expect(body).toMatchObject({ total: 4, new_exports: 3, facets: {} })
  })

  test('facet_limit keeps the greatest counts; equal ones come by value', async () => {
    const { body } = await key.post('/stores/count', { filters: {}, facets: ['countries', 'apps'], facet_limit: 2 })
    expect(body.facets.countries.map(({ value }: { value: string }) => value)).toEqual(['DE', 'AT'])
    expect(body.facets.apps.map(({ value }: { value: string }) => value)).toEqual(['gorgias', 'klaviyo'])
  })

  test.each([
    [{ filters: {}, facets: ['colours'] }, 'facets[0]'],
    [{ filters: {}, facets: ['roles'] }, 'facets[0]'],
    [{ filters: {}, facet_limit: 0 }, 'facet_limit'],
    [{ filters: {}, facet_limit: 101 }, 'facet_limit'],
    [{ filters: { countries: ['Atlantis'] } }, 'filters.countries[0]'],
    [{ filters: {}, limit: 5 }, 'limit'],
    [{}, 'filters'],
  ])('refuses %j', async (request, param) => {
    const { status, body } = await key.post('/stores/count', request)
    expect({ status, param: body.error.param }).toEqual({ status: 400, param })
  })
})

describe('POST /contacts/count', () => {
  test('counts people and their stores, those that can still be revealed, and people by facet', async () => {
    const caller = await app.key({ limits: { contact_credits: 5 } })
    const request = { facets: ['roles', 'seniorities', 'countries'] }
    const { body } = await caller.post('/contacts/count', request)
    expect(body).toMatchObject({ object: 'contact_count', contacts: 4, stores: 2, unrevealed: 3 })
    expect(body.facets).toMatchObject({
      roles: [
        { value: 'marketing', count: 3 },
        { value: 'founder', count: 1 },
      ],
      seniorities: [
        { value: 'other', count: 3 },
        { value: 'executive', count: 1 },
      ],
      countries: [
        { value: 'DE', count: 3 },
        { value: 'FR', count: 1 },
      ],
    })
    const previews = (await caller.post('/contacts/search', { person: { has_verified_email: true } })).body.data
    await caller.post('/contacts/reveal', { contact_ids: [previews[0].id] })
    expect((await caller.post('/contacts/count', {})).body).toMatchObject({ contacts: 4, unrevealed: 2 })
  })

  test('counts as many of each store as a search returns, or all', async () => {
    const count = async (max: number | null) =>
      (await key.post('/contacts/count', { max_contacts_per_store: max, facets: ['roles'] })).body
    const found = (await key.post('/contacts/search', { max_contacts_per_store: 2 })).body.data
    expect(await count(2)).toMatchObject({ contacts: found.length, stores: 2 })
    // The cut applies to what choosing a role would find: two marketers of one store.
    expect((await count(1)).facets.roles).toMatchObject([
      { value: 'marketing', count: 2 },
      { value: 'founder', count: 1 },
    ])
    expect(await count(null)).toMatchObject({ contacts: 4 })
  })

  test('takes domains; those that nobody has count nothing', async () => {
    const count = async (...domains: string[]) =>
      (await key.post('/contacts/count', { store: { domains } })).body.contacts
    expect([await count('alder.example'), await count('nobody.example')]).toEqual([3, 0])
  })
})

test('counts in many requests at once are those of each', async () => {
  const others = await Promise.all([app.key({}), app.key({}), app.key({})])
  const countries = [
    ['DE', 2],
    ['FR', 1],
    ['AT', 1],
  ] as const
  const totals = await Promise.all(
    others.flatMap((caller) =>
      countries.map(
        async ([country]) => (await caller.post('/stores/count', { filters: { countries: [country] } })).body.total,
      ),
    ),
  )
  expect(totals).toEqual(others.flatMap(() => countries.map(([, total]) => total)))
})

test('PostgreSQL counts totals, and says why it has no facets', async () => {
  const plain = await startTestApp({ now, engine: 'postgres' })
  await fill(plain)
  const caller = await plain.key({})
  expect((await caller.post('/stores/count', { filters: { countries: ['DE'] } })).body).toMatchObject({
    total: 2,
    new_exports: 2,
  })
  expect((await caller.post('/contacts/count', {})).body).toMatchObject({ contacts: 4, stores: 2, unrevealed: 3 })
  for (const path of ['/stores/count', '/contacts/count']) {
    const request = path === '/stores/count' ? { filters: {} } : {}
    const { status, body } = await caller.post(path, { ...request, facets: ['apps'] })
    expect({ status, code: body.error.code }).toEqual({ status: 503, code: 'service_unavailable' })
    expect(body.error.message).toContain('this installation searches with PostgreSQL')
  }
})
