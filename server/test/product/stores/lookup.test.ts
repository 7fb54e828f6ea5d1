import { beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'
import { aurora } from '../../support/fixtures.ts'

let app: TestApp
let key: TestKey
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  key = await app.key({ limits: { requests_per_minute: 10_000 } })
  await app.importStores([
    { ...aurora, aliases: ['aurora-candles.shops.example'] },
    { domain: 'bare.example' },
    { domain: 'bücher.example', name: 'Bücher 書店 "quoted" \\ \u2028' },
  ])
})

test('a known domain answers with the whole store at the top level', async () => {
  const reply = await key.get('/stores/aurora-candles.example')
  expect(reply.status).toBe(200)
  expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(reply.body).toEqual({
    id: expect.stringMatching(/^st_live_[A-Za-z]{16}$/),
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
    technologies: { apps: ['klaviyo'], pixels: ['meta_pixel'], theme: { name: 'Dawn', type: 'free' } },
    contacts_summary: { total: 0, has_revealable_contacts: false, verified_email_count: 0, roles: [] },
    request_id: reply.headers.get('x-request-id'),
  })
})

test('a store with only a domain has nulls and empty lists', async () => {
  expect((await key.get('/stores/bare.example')).body).toMatchObject({
    domain: 'bare.example',
    category: null,
    country: null,
    traffic_tier: null,
    revenue_tier: null,
    platform_plus: false,
    lead_fit_score: null,
    store_created_at: null,
    first_discovered_at: null,
    technologies: { apps: [], pixels: [], theme: { name: null, type: null } },
  })
})

test.each([
  'AURORA-candles.example',
  'www.aurora-candles.example',
  'aurora-candles.example.',
  'https://user:secret@www.aurora-candles.example:8443/a/b?c=d#e',
  '//aurora-candles.example/path',
  'aurora-candles.shops.example',
])('%s finds the store under its canonical domain', async (spelling) => {
  const reply = await key.get(`/stores/${encodeURIComponent(spelling)}`)
  expect(reply.status).toBe(200)
  expect(reply.body.domain).toBe('aurora-candles.example')
})

test('an international domain is found in either spelling, with its name unchanged', async () => {
  for (const spelling of ['bücher.example', 'xn--bcher-kva.example', 'https://BÜCHER.example/ä'])
    expect((await key.get(`/stores/${encodeURIComponent(spelling)}`)).body.name).toBe('Bücher 書店 "quoted" \\ \u2028')
})

test.each(['shop', '127.0.0.1', '[::1]', 'under_score.example', 'mailto:a@b.example', 'a..example', '%', 'co.uk', ' '])(
  '"%s" is refused as an invalid domain',
  async (spelling) => {
    const reply = await key.get(`/stores/${encodeURIComponent(spelling)}`)
    expect(reply.status).toBe(400)
    expect(reply.body.error).toMatchObject({ type: 'invalid_request_error', code: 'invalid_domain', param: 'domain' })
  },
)

test('an unknown domain is not found', async () => {
  const reply = await key.get('/stores/nobody-knows.example')
  expect(reply.status).toBe(404)
  expect(reply.body.error).toMatchObject({ type: 'not_found_error', code: 'store_not_found' })
})
