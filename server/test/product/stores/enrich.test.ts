import { beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'
import type { Json } from '../../support/client.ts'

let app: TestApp
let key: TestKey
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  key = await app.key({ limits: { requests_per_minute: 10_000 } })
  await app.importStores([
    {
      domain: 'one.example',
      name: 'One',
      aliases: ['uno.example'],
      category: 'home_garden',
      traffic_tier: '1k_10k',
      technologies: { apps: ['klaviyo'] },
    },
    { domain: 'two.example', name: 'Two' },
  ])
  const at = { store_domain: 'one.example' }
  const verified = (email: string) => ({ emails: [{ email, status: 'verified' }] })
  await app.importContacts([
    { ...at, first_name: 'Ann', last_name: 'Olsen', role: 'marketing', ...verified('ann@one.example') },
    { ...at, first_name: 'Bo', role: 'founder', seniority: 'executive', phones: [{ phone: '+15550100' }] },
    { ...at, first_name: 'Cy', role: 'ceo', seniority: 'executive', ...verified('cy@one.example') },
    { ...at, first_name: 'Di', role: 'marketing', seniority: 'decision_maker' },
  ])
})

const enrich = (body: object) => key.post('/stores/enrich', body)

test('there is one row for each distinct host, in order of first appearance', async () => {
  const reply = await enrich({
    domains: [
      'two.example',
      'https://www.one.example/x',
      'missing.example',
      'UNO.example',
      'one.example',
      'two.example.',
    ],
  })
  expect(reply.status).toBe(200)
  expect(reply.body).toMatchObject({ object: 'store_enrichment_result', found: 3, not_found: 1 })
  expect(reply.body.data.map((row: Json) => [row.domain, row.status, row.store?.domain])).toEqual([
    ['two.example', 'found', 'two.example'],
    ['one.example', 'found', 'one.example'],
    ['missing.example', 'not_found', undefined],
    ['uno.example', 'found', 'one.example'],
  ])
  expect(reply.body.data[2]).toEqual({ domain: 'missing.example', status: 'not_found', store: null })
  expect(reply.headers.get('x-store-exports-remaining')).toBe('4998')
})

test('a malformed domain refuses the call, names every bad place and spends nothing', async () => {
  const fresh = await app.key({})
  const reply = await fresh.post('/stores/enrich', {
    domains: ['one.example', 'bad domain', 'two.example', '10.0.0.1'],
  })
  expect(reply.status).toBe(400)
  expect(reply.body.error).toMatchObject({ code: 'invalid_domain', param: 'domains[1]' })
  expect(reply.body.error.message).toContain('domains[1], domains[3]')
  expect((await fresh.get('/usage')).body.store_exports.used).toBe(0)
})

test('technologies are included by default and on request, and left out otherwise', async () => {
  const technologies = async (include?: string[]) =>
    (await enrich({ domains: ['one.example'], ...(include ? { include } : {}) })).body.data[0].store.technologies
  expect((await technologies()).apps).toEqual(['klaviyo'])
  expect((await technologies(['technologies'])).apps).toEqual(['klaviyo'])
  expect(await technologies(['store'])).toBeUndefined()
  expect(await technologies([])).toBeUndefined()
})

describe('contact previews', () => {
  const previews = async (options: object) =>
    (await enrich({ domains: ['one.example', 'two.example'], include: ['contact_previews'], ...options })).body.data

  test('contact previews are included on request only, the most senior first, verified emails before others', async () => {
    expect((await enrich({ domains: ['one.example'] })).body.data[0]).not.toHaveProperty('contact_previews')
    const [one, two] = await previews({ max_contacts_per_store: 10 })
    expect(one.contact_previews.map((preview: Json) => preview.first_name)).toEqual(['Cy', 'Bo', 'Di', 'Ann'])
    expect(two.contact_previews).toEqual([])
  })

  test('contact previews have the public fields and nothing else', async () => {
    const [one] = await previews({ contact_roles: ['Marketing'], max_contacts_per_store: 5 })
    expect(one.contact_previews.map((preview: Json) => preview.first_name)).toEqual(['Di', 'Ann'])
    expect(one.contact_previews[1]).toEqual({
      id: expect.stringMatching(/^ct_live_[A-Za-z]{16}$/),
      object: 'contact_preview',
      first_name: 'Ann',
      last_name_obfuscated: 'O***',
      role: 'marketing',
      seniority: 'other',
      title: null,
      has_verified_email: true,
      has_phone: false,
      has_profile: false,
      revealed: false,
      store: {
        id: one.store.id,
        domain: 'one.example',
        name: 'One',
        category: 'home_garden',
        traffic_tier: '1k_10k',
        technologies: { apps: ['klaviyo'], pixels: [] },
      },
    })
  })

  test('one contact per store is the default', async () => {
    expect((await previews({}))[0].contact_previews).toHaveLength(1)
  })

  test('the store has a summary of its contacts', async () => {
    const [one] = await previews({})
    expect(one.store.contacts_summary).toEqual({
      total: 4,
      has_revealable_contacts: true,
      verified_email_count: 2,
      roles: ['ceo', 'founder', 'marketing'],
    })
  })
})

test.each([
  [{}, 'missing_parameter', 'domains'],
  [{ domains: [] }, 'invalid_request', 'domains'],
  [{ domains: Array(26).fill('one.example') }, 'invalid_request', 'domains'],
  [{ domains: 'one.example' }, 'invalid_request', 'domains'],
  [{ domains: [1] }, 'invalid_request', 'domains[0]'],
  [{ domains: ['one.example'], include: ['everything'] }, 'invalid_request', 'include[0]'],
  [{ domains: ['one.example'], reveal_contacts: true }, 'reveal_not_supported', 'reveal_contacts'],
  [{ domains: ['one.example'], reveal_contacts: 'no' }, 'invalid_request', 'reveal_contacts'],
  [{ domains: ['one.example'], max_contacts_per_store: 11 }, 'invalid_request', 'max_contacts_per_store'],
  [{ domains: ['one.example'], contact_roles: Array(51).fill('ceo') }, 'invalid_request', 'contact_roles'],
  [{ domains: ['one.example'], contact_roles: ['wizard'] }, 'invalid_filter_value', 'contact_roles[0]'],
  [{ domains: ['one.example'], extra: 1 }, 'unknown_parameter', 'extra'],
])('%j is refused as %s at %s', async (body, code, param) => {
  const reply = await enrich(body)
  expect(reply.status).toBe(400)
  expect(reply.body.error).toMatchObject({ code, param })
})
