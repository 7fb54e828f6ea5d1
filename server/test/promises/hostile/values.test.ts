import { describe, expect, test } from 'vitest'
import { errorIn, forEachInParallel, knownDomain, marker, startHostileApp } from './support/hostile-app.ts'

const world = await startHostileApp()
const send = async (path: string, body: unknown) =>
  errorIn(await world.post(path, typeof body === 'string' ? body : JSON.stringify(body)))
const search = (body: unknown) => send('/stores/search', body)
const enrich = (body: unknown) => send('/stores/enrich', body)

// Text that careless parsing, a database or a log could misinterpret.
const strangeWords = {
  'a NUL': 'de\u0000',
  'a NUL alone': '\u0000',
  'a lone surrogate': '\ud800',
  'a surrogate pair turned round': '\udc00\ud800',
  'a right-to-left override': '\u202eED',
  'a line break': 'DE\r\nX-Evil: 1',
  nothing: '',
  'white space': ' DE ',
  'a wildcard': '%',
  'a statement': "'); drop table stores; --",
  'an array literal': '{DE,FR}',
  'a token': '1000',
  'a name that objects inherit': '__proto__',
  'another such name': 'constructor',
  'a word of 100 letters': marker.repeat(20).slice(0, 100),
  'a word of 101 letters': marker.repeat(20).slice(0, 101),
  'full-width letters': 'ＤＥ',
  'a dotless i': 'ındia',
}

const lists = [
  'categories',
  'countries',
  'traffic_tiers',
  'revenue_tiers',
  'apps.any',
  'apps.all',
  'apps.none',
  'pixels.none',
  'themes.types',
  'contacts.roles_any',
]

describe.each(Object.entries(strangeWords))('%s', (_what, word) => {
  test('is not a filter value', async () => {
    await forEachInParallel(lists, async (list) => {
      const [name, inner] = list.split('.') as [string, string?]
      const filters = { [name]: inner ? { [inner]: [word] } : [word] }
      const expected = { status: 400, code: 'invalid_filter_value', param: `filters.${list}[0]` }
      expect(await search({ filters })).toEqual(expected)
    })
  })

  test('is not a timestamp', async () => {
    for (const range of ['first_discovered_at', 'store_created_at'])
      expect(await search({ filters: { [range]: { to: word } } })).toEqual({
        status: 400,
        code: 'invalid_filter_value',
        param: `filters.${range}.to`,
      })
  })

  test('is not a cursor', async () => {
    for (const cursor of [word, `cur_${word}`, `cur_AA${word}AA`])
      expect(await search({ filters: {}, cursor })).toEqual({ status: 400, code: 'invalid_cursor', param: 'cursor' })
  })

  test('is not a domain, and not part of one', async () => {
    const invalid = { status: 400, code: 'invalid_domain', param: 'domains[1]' }
    expect(await enrich({ domains: ['unknown.example', word] })).toEqual(invalid)
    for (const domain of [`${word}.unknown.example`, `https://unknown.example${word}`]) {
      const reply = await enrich({ domains: ['unknown.example', domain] })
      if (reply.status !== 200) expect(reply).toEqual(invalid)
    }
  })

  test('is not a value of include or of roles', async () => {
    const domains = [knownDomain]
    expect(await enrich({ domains, include: ['store', word] })).toMatchObject({ status: 400, param: 'include[1]' })
    expect(await enrich({ domains, contact_roles: [word] })).toMatchObject({ status: 400, param: 'contact_roles[0]' })
  })
})

describe('a number that is', () => {
  test.each(['0', '101', '-1', '1.5', '1e400', '-1e400', '-0', '1e-999', '9007199254740993', '1E2147483648', '1e2.5'])(
    '%s is no limit',
    async (number) => {
      const reply = await search(`{"filters":{},"limit":${number}}`)
      if (number === '1e2.5') expect(reply).toEqual({ status: 400, code: 'invalid_json' })
      else expect(reply).toEqual({ status: 400, code: 'invalid_limit', param: 'limit' })
    },
  )

  test.each(['-1', '100001', '0.5', '1e400', '-1e400', '9007199254740993', '1e5.0'])(
    '%s is no number of ads',
    async (number) => {
      const reply = await search(`{"filters":{"meta_ads":{"active_ads_min":${number}}}}`)
      const param = 'filters.meta_ads.active_ads_min'
      if (number === '1e5.0') expect(reply).toEqual({ status: 400, code: 'invalid_json' })
      else expect(reply).toEqual({ status: 400, code: 'invalid_filter_value', param })
    },
  )

  test.each(['0', '11', '-1', '1.5', '1e400', '9007199254740993'])(
    '%s is no number of contacts a store',
    async (number) => {
      const reply = await enrich(`{"domains":["${knownDomain}"],"max_contacts_per_store":${number}}`)
      expect(reply).toEqual({ status: 400, code: 'invalid_request', param: 'max_contacts_per_store' })
    },
  )
})

test.each([
  '2026-11-01',
  '2026-11-01T00:00:00',
  '2026-11-01T00:00:00z ',
  '2026-02-30T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-11-01T24:00:01Z',
  '2026-11-01T00:00:60Z',
  '2026-11-01T00:00:00+25:00',
  '26-11-01T00:00:00Z',
  'infinity',
  'now',
  'epoch',
  '1793491200',
  'Sun, 01 Nov 2026 00:00:00 GMT',
  `2026-11-01T00:00:00.${'0'.repeat(60)}Z`,
])('"%s" is not a timestamp', async (text) => {
  const reply = await search({ filters: { first_discovered_at: { from: text } } })
  expect(reply).toEqual({ status: 400, code: 'invalid_filter_value', param: 'filters.first_discovered_at.from' })
})

test.each([
  ['a range without ends', { store_created_at: {} }, 'filters.store_created_at'],
  [
    'a range that ends before it starts',
    { store_created_at: { from: '2026-11-01T00:00:00Z', to: '2026-10-31T23:59:59.999Z' } },
    'filters.store_created_at',
  ],
])('%s is not a filter', async (_what, filters, param) => {
  const reply = await search({ filters })
  expect(reply).toMatchObject({ status: 400, code: 'invalid_filter_value' })
  expect(reply.param).toContain(param)
})

test('a value both required and excluded is a conflict', async () => {
  const [app] = (await world.key.get('/taxonomy')).body.apps
  const filters = { apps: { all: [app.value], none: [app.value.toUpperCase()] } }
  expect(await search({ filters })).toMatchObject({ status: 400, code: 'conflicting_filters' })
})

describe('a cursor', () => {
  test('of another account, mode or query, altered or truncated, is rejected', async () => {
    const other = await world.app.key({})
    const { next_cursor: theirs } = (await other.post('/stores/search', { filters: {}, limit: 1 })).body
    const invalid = { status: 400, code: 'invalid_cursor', param: 'cursor' }
    expect(await search({ filters: {}, cursor: theirs })).toEqual(invalid)
    const sandbox = await world.app.keyOf(other.account, { mode: 'test' })
    const attempt = (key: typeof other, body: object) => key.post('/stores/search', { filters: {}, ...body })
    expect((await attempt(sandbox, { cursor: theirs })).body.error.code).toBe('invalid_cursor')
    expect((await attempt(other, { cursor: theirs, filters: { countries: ['DE'] } })).body.error).toMatchObject({
      code: 'invalid_cursor',
    })
    for (let at = 4; at < theirs.length; at += 5) {
      const letter = theirs[at] === 'A' ? 'B' : 'A'
      const cursor = theirs.slice(0, at) + letter + theirs.slice(at + 1)
      expect((await attempt(other, { cursor })).body.error.code).toBe('invalid_cursor')
    }
    for (const cursor of [theirs.slice(0, -1), `${theirs}A`, `${theirs}=`, theirs.toUpperCase()])
      expect((await attempt(other, { cursor })).body.error.code).toBe('invalid_cursor')
    expect((await attempt(other, { cursor: theirs })).status).toBe(200)
  })
})
