import { describe, expect, test } from 'vitest'
import { startTestApp } from '../../support/app.ts'
import type { Json } from '../../support/client.ts'

const stores = [
  { domain: 'verified.example', people: [{ emails: [{ email: 'v@verified.example', status: 'verified' }] }] },
  { domain: 'unverified.example', people: [{ emails: [{ email: 'u@unverified.example', status: 'unverified' }] }] },
  { domain: 'phone.example', people: [{ phones: [{ phone: '+1 212 555 0188' }] }] },
  { domain: 'bounced.example', people: [{ emails: [{ email: 'b@bounced.example', status: 'bounced' }] }] },
  { domain: 'nobody.example', people: [] },
]

/** The service with a value of DELIVER_EMAILS, and a store for each kind of contact. */
async function startWithRule(rule: string | null) {
  const app = await startTestApp({
    now: '2026-11-10T12:00:00.000Z',
    ...(rule && { environment: { DELIVER_EMAILS: rule } }),
  })
  // A careless text replacement of the flag would change this name as well.
  const name = 'A "has_revealable_contacts":true shop'
  await app.importStores(stores.map(({ domain }) => ({ domain, name })))
  await app.importContacts(
    stores.flatMap(({ domain, people }) =>
      people.map((person) => ({ store_domain: domain, external_id: '1', first_name: 'Ida', ...person })),
    ),
  )
  return { key: await app.key({}), name }
}

describe.each([
  [null, ['verified.example', 'unverified.example', 'phone.example']],
  ['all', ['verified.example', 'unverified.example', 'phone.example']],
  ['verified', ['verified.example', 'phone.example']],
])('with DELIVER_EMAILS %s', async (rule, revealable) => {
  const { key, name } = await startWithRule(rule)
  const domains = stores.map((store) => store.domain)
  const search = async (filters: object) => (await key.post('/stores/search', { filters })).body.data
  const domainsOf = (data: Json[]) => data.map((store) => store.domain)
  const flagsOf = (data: Json[]) =>
    data.filter((store) => store.contacts_summary.has_revealable_contacts).map((store) => store.domain)

  test('lookup, search and enrichment agree on which stores have revealable contacts', async () => {
    const looked = await Promise.all(domains.map(async (domain) => (await key.get(`/stores/${domain}`)).body))
    expect(flagsOf(looked)).toEqual(revealable)
    expect(flagsOf(await search({}))).toEqual(revealable)
    const { body } = await key.post('/stores/enrich', { domains })
    expect(flagsOf(body.data.map((row: Json) => row.store))).toEqual(revealable)
    expect(looked.map((store) => store.name)).toEqual(domains.map(() => name))
  })

  test('has_revealable_contacts finds exactly these stores, or exactly the others', async () => {
    const filtered = (wanted: boolean) => search({ contacts: { has_revealable_contacts: wanted } })
    expect(domainsOf(await filtered(true))).toEqual(revealable)
    expect(domainsOf(await filtered(false))).toEqual(domains.filter((domain) => !revealable.includes(domain)))
  })

  test('all contacts are counted and previewed, revealable or not', async () => {
    const { body } = await key.post('/contacts/search', {})
    expect(body.data.map((preview: Json) => preview.store.domain)).toEqual(domains.slice(0, 4))
    const summaries = (await search({})).map((store: Json) => store.contacts_summary)
    expect(summaries.map((summary: Json) => summary.total)).toEqual([1, 1, 1, 1, 0])
    expect(summaries.map((summary: Json) => summary.verified_email_count)).toEqual([1, 0, 0, 0, 0])
  })
})
