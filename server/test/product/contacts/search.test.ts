import { packTraits, traitsToken } from '@storedex/search-index'
import { beforeAll, describe, expect, test } from 'vitest'
import { flagTokens } from '../../../src/search/query/vocabulary.ts'
import { insertPeople, insertRows, plainRow } from '../../search/support/tables.ts'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'
import type { Json } from '../../support/client.ts'

let app: TestApp
let key: TestKey
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  key = await app.key({ limits: { requests_per_minute: 10_000 } })
  await app.importStores([
    {
      domain: 'alder.example',
      name: 'Alder',
      aliases: ['alder-shop.example'],
      category: 'home_garden',
      country: 'DE',
      traffic_tier: '1k_10k',
      lead_fit_score: 90,
      technologies: { apps: ['klaviyo'], pixels: ['meta_pixel'] },
    },
    { domain: 'birch.example', name: 'Birch', country: 'FR', lead_fit_score: 50 },
    { domain: 'cedar.example', name: 'Cedar', country: 'DE', platform_plus: true },
    { domain: 'empty.example', name: 'Empty', country: 'DE', lead_fit_score: 99 },
  ])
  const verified = (email: string) => ({ emails: [{ email, status: 'verified', type: 'work' }] })
  const phones = [{ phone: '+1 212 555 0123', type: 'mobile' }]
  const profile_url = 'https://profiles.example/in/somebody'
  await app.importContacts([
    { store_domain: 'alder.example', first_name: 'Oona', role: 'marketing', ...verified('oona@alder.example') },
    {
      store_domain: 'alder.example',
      first_name: 'Dov',
      last_name: 'Ellery',
      role: 'marketing',
      seniority: 'decision_maker',
      title: 'Head of Marketing',
      phones,
      profile_url,
    },
    { store_domain: 'alder.example', first_name: 'Eve', role: 'ceo', seniority: 'executive', phones },
    {
      store_domain: 'alder.example',
      first_name: 'Ada',
      role: 'founder',
      seniority: 'executive',
      ...verified('ada@alder.example'),
    },
    { store_domain: 'birch.example', first_name: 'Bea', role: 'founder', seniority: 'executive' },
    { store_domain: 'birch.example', first_name: 'Bo', role: 'marketing', ...verified('bo@birch.example'), phones },
    { store_domain: 'cedar.example', first_name: 'Cy', profile_url },
  ])
})

const search = (body: unknown, by: TestKey = key) => by.post('/contacts/search', body)

/** The first names of the contacts found, in order. */
async function namesOf(body: object): Promise<string[]> {
  const reply = await search({ max_contacts_per_store: 10, ...body })
  expect(reply.status, JSON.stringify(reply.body)).toBe(200)
  return reply.body.data.map((preview: Json) => preview.first_name)
}

describe('a preview', () => {
  test('a preview has the public fields of contact and store, and nothing else', async () => {
    const { body } = await search({ person: { seniority_any: ['decision_maker'] } })
    expect(body).toEqual({
      object: 'list',
      data: [
        {
          id: expect.stringMatching(/^ct_live_[A-Za-z]{16}$/),
          object: 'contact_preview',
          first_name: 'Dov',
          last_name_obfuscated: 'E***',
          role: 'marketing',
          seniority: 'decision_maker',
          title: 'Head of Marketing',
          has_verified_email: false,
          has_phone: true,
          has_profile: true,
          revealed: false,
          store: {
            id: (await key.get('/stores/alder.example')).body.id,
            domain: 'alder.example',
            name: 'Alder',
            category: 'home_garden',
            traffic_tier: '1k_10k',
            technologies: { apps: ['klaviyo'], pixels: ['meta_pixel'] },
          },
        },
      ],
      has_more: false,
      next_cursor: null,
      request_id: expect.stringMatching(/^req_/),
    })
  })

  test('no preview holds a channel', async () => {
    // Only the data: the random request id may contain any of these.
    const text = JSON.stringify((await search({ max_contacts_per_store: 10 })).body.data)
    expect(text).not.toMatch(/@|555|profiles\.example|Ellery/)
  })

  test('a preview says whether the account has revealed the contact in this mode', async () => {
    const stranger = await app.key({})
    const [bea] = (await search({ store: { domains: ['birch.example'] } })).body.data
    const { value } = app.deps.ids.open(bea.id)!
    const reveal = (mode: string) =>
      app.db.query('insert into reveals (account_id, mode, contact_id, revealed_at) values ($1, $2, $3, $4)', [
        app.accountNumber(key.account),
        mode,
        value,
        app.clock.now(),
      ])
    const revealed = async (by: TestKey) =>
      (await search({ person: { roles_any: ['founder'] } }, by)).body.data.map((preview: Json) => [
        preview.first_name,
        preview.revealed,
      ])
    await reveal('test')
    expect(await revealed(key)).toEqual([
      ['Ada', false],
      ['Bea', false],
    ])
    await reveal('live')
    expect(await revealed(key)).toEqual([
      ['Ada', false],
      ['Bea', true],
    ])
    expect(await revealed(stranger)).toEqual([
      ['Ada', false],
      ['Bea', false],
    ])
    const enriched = await key.post('/stores/enrich', {
      domains: ['birch.example', 'alder.example'],
      include: ['contact_previews'],
    })
    expect(enriched.body.data.map((row: Json) => row.contact_previews[0].revealed)).toEqual([true, false])
  })
})

test('contacts are ordered by store, then seniority, verified email, and import order', async () => {
  expect(await namesOf({})).toEqual(['Ada', 'Eve', 'Dov', 'Oona', 'Bea', 'Bo', 'Cy'])
  expect(await namesOf({ max_contacts_per_store: 1 })).toEqual(['Ada', 'Bea', 'Cy'])
  expect((await search({})).body.data).toHaveLength(3)
})

test.each([
  [['Oona', 'Dov', 'Bo'].sort(), { roles_any: ['MARKETING'] }],
  [['Ada', 'Eve', 'Bea'].sort(), { seniority_any: ['Executive'] }],
  [['Dov', 'Ada', 'Eve', 'Bea'].sort(), { seniority_any: ['executive', 'decision_maker'] }],
  [['Ada', 'Oona', 'Bo'].sort(), { has_verified_email: true }],
  [['Eve', 'Dov', 'Bea', 'Cy'].sort(), { has_verified_email: false }],
  [['Eve', 'Dov', 'Bo'].sort(), { has_phone: true }],
  [['Dov', 'Cy'].sort(), { has_profile: true }],
  [['Bea'], { has_phone: false, has_profile: false, has_verified_email: false }],
  // At Alder no single person has all of role, seniority and verified email.
  [[], { roles_any: ['marketing'], seniority_any: ['executive'] }],
  [['Bo'], { roles_any: ['marketing'], has_verified_email: true, has_phone: true }],
  [['Ada'], { roles_any: ['founder', 'ceo'], seniority_any: ['executive'], has_verified_email: true }],
  [[], { roles_any: ['finance'] }],
])('%j match the person filter %j', async (expected, person) => {
  expect((await namesOf({ person })).sort()).toEqual(expected)
})

test.each([
  [['Ada', 'Cy'], { countries: ['de'] }],
  [['Cy'], { platform_plus: true }],
  [['Ada'], { apps: { any: ['klaviyo'] }, pixels: { all: ['meta_pixel'] } }],
  [['Bea', 'Cy'], { apps: { none: ['klaviyo'] } }],
  [['Bea'], { domains: ['birch.example'] }],
  [['Ada', 'Bea'], { domains: ['https://WWW.birch.example/team?x=1', 'ALDER-shop.example.'] }],
  [['Ada'], { domains: ['alder.example', 'alder-shop.example', 'nobody.example'] }],
  [[], { domains: ['nobody.example'] }],
  [['Ada', 'Bea', 'Cy'], { domains: [] }],
  [['Cy'], { domains: ['cedar.example', 'birch.example'], countries: ['DE'] }],
])('%j are the first contacts of the stores that match %j', async (expected, store) => {
  expect(await namesOf({ store, max_contacts_per_store: 1 })).toEqual(expected)
})

test('person and store filters combine', async () => {
  const body = { person: { roles_any: ['marketing'] }, store: { countries: ['DE'] } }
  expect(await namesOf(body)).toEqual(['Dov', 'Oona'])
})

test('test keys find only the contacts of the sandbox', async () => {
  const traits = packTraits({ seniority: 'other', hasVerifiedEmail: false, hasPhone: false, hasProfile: false })
  const tokens = [flagTokens.contacts, traitsToken(traits)]
  const [storeId] = await insertRows(app.db, [{ ...plainRow, mode: 'test', tokens, preview: '{"name":"Sandbox"}' }])
  const preview = '{"first_name":"Sandra","revealed":'
  await insertPeople(app.db, [{ storeId: storeId!, number: 0, role: null, traits, preview }])
  await app.searchFollows()
  const sandbox = await app.keyOf(key.account, { mode: 'test' })
  expect((await search({}, sandbox)).body.data).toEqual([
    { first_name: 'Sandra', revealed: false, store: { name: 'Sandbox' } },
  ])
  expect(await namesOf({ person: { seniority_any: ['other'] } })).toEqual(['Oona', 'Bo', 'Cy'])
})

test.each([
  [undefined, 'invalid_request', undefined],
  [[], 'invalid_request', undefined],
  [{ filters: {} }, 'unknown_parameter', 'filters'],
  [{ person: null }, 'invalid_request', 'person'],
  [{ person: { roles: [] } }, 'unknown_parameter', 'person.roles'],
  [{ person: { roles_any: ['founder', 'fonder'] } }, 'invalid_filter_value', 'person.roles_any[1]'],
  [{ person: { seniority_any: ['boss'] } }, 'invalid_filter_value', 'person.seniority_any[0]'],
  [{ person: { seniority_any: Array(51).fill('other') } }, 'invalid_request', 'person.seniority_any'],
  [{ person: { has_phone: 'true' } }, 'invalid_request', 'person.has_phone'],
  [{ store: { contacts: {} } }, 'unknown_parameter', 'store.contacts'],
  [{ store: { countries: ['XX'] } }, 'invalid_filter_value', 'store.countries[0]'],
  [{ store: { store_created_at: {} } }, 'invalid_filter_value', 'store.store_created_at'],
  [{ store: { apps: { all: ['klaviyo'], none: ['klaviyo'] } } }, 'conflicting_filters', 'store.apps.none[0]'],
  [{ store: { domains: ['alder.example', 'not a domain'] } }, 'invalid_domain', 'store.domains[1]'],
  [{ store: { domains: ['127.0.0.1'] } }, 'invalid_domain', 'store.domains[0]'],
  [{ store: { domains: ['a'.repeat(2049)] } }, 'invalid_domain', 'store.domains[0]'],
  [{ store: { domains: [5] } }, 'invalid_request', 'store.domains[0]'],
  [{ store: { domains: Array(51).fill('alder.example') } }, 'invalid_request', 'store.domains'],
  [{ max_contacts_per_store: 0 }, 'invalid_request', 'max_contacts_per_store'],
  [{ max_contacts_per_store: 11 }, 'invalid_request', 'max_contacts_per_store'],
  [{ max_contacts_per_store: null }, 'invalid_request', 'max_contacts_per_store'],
  [{ limit: 0 }, 'invalid_limit', 'limit'],
  [{ limit: 101 }, 'invalid_limit', 'limit'],
  [{ limit: null }, 'invalid_request', 'limit'],
  [{ cursor: 'next' }, 'invalid_cursor', 'cursor'],
])('%j is refused as %s at %s', async (body, code, param) => {
  const reply = await search(body)
  expect(reply.status).toBe(400)
  expect(reply.body.error.code).toBe(code)
  expect(reply.body.error.param).toBe(param)
})

test('errors suggest the nearest role and name every malformed domain', async () => {
  const role = await search({ person: { roles_any: ['fonder'] } })
  expect(role.body.error.message).toContain('founder')
  const domains = await search({ store: { domains: ['a b', 'alder.example', '10.0.0.1'] } })
  expect(domains.body.error.message).toContain('store.domains[0], store.domains[2]')
})
