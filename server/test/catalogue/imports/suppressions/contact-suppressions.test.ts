import { beforeAll, expect, test } from 'vitest'
import type { Identity } from '../../../../src/foundation/encryption/identities.ts'
import { normalizeEmail } from '../../../../src/foundation/kernel/channels/email.ts'
import { normalizePhone } from '../../../../src/foundation/kernel/channels/phone.ts'
import { normalizeProfile } from '../../../../src/foundation/kernel/channels/profile.ts'
import { readStoredPeople } from '../support/stored-people.ts'
import { openTestCatalogue, type TestCatalogue } from '../support/test-catalogue.ts'

let catalogue: TestCatalogue
beforeAll(async () => {
  catalogue = await openTestCatalogue()
  const stores = [
    { domain: 'shop.example', country: 'DE' },
    { domain: 'left-out.example', aliases: ['left-out.myshopify.com'] },
  ]
  await catalogue.importStores(stores)
  await catalogue.importStores(stores, { mode: 'test' })
  await suppress('email', normalizeEmail('gone@people.example')!)
  await suppress('phone', normalizePhone('+49 30 1234567', null)!)
  await suppress('profile', normalizeProfile('https://people.example/gone')!)
  await suppress('domain', 'quiet.example')
  await suppress('domain', 'left-out.myshopify.com')
})

async function suppress(kind: Identity['kind'], normal: string): Promise<void> {
  const { hash } = catalogue.context.seals.identities.hash(kind, normal)
  await catalogue.db.query('insert into suppressions (hash, kind, added_at) values ($1, $2, now())', [hash, kind])
}

let count = 0
const at = (domain = 'shop.example') => ({ store_domain: domain, external_id: `s-${count++}`, first_name: 'Gone' })
const reason = 'this person or domain is suppressed'

test('a suppressed person is rejected in any spelling, and the rejects file omits the record', async () => {
  const records = [
    { ...at(), emails: [{ email: 'kept@people.example' }, { email: 'GONE@People.example' }] },
    { ...at(), phones: [{ phone: '030 / 123 45 67' }] },
    { ...at(), phones: [{ phone: '0049 (0)30 1234567' }] },
    { ...at(), profile_url: 'http://www.people.example/gone/?utm_source=x#top' },
    { ...at(), emails: [{ email: 'anybody@quiet.example' }] },
    at('left-out.example'),
    { ...at(), emails: [{ email: 'fine@people.example' }] },
  ]
  const result = await catalogue.importContacts(records)
  expect(result).toMatchObject({ read: 7, inserted: 1, rejected: 6 })
  expect(await catalogue.rejectsOf(result)).toEqual([1, 2, 3, 4, 5, 6].map((line) => ({ line, reason, record: null })))
  expect((await readStoredPeople(catalogue)).map(({ facts }) => facts.emails[0]?.email)).toEqual([
    'fine@people.example',
  ])
})

test('a record that adds a suppressed channel to a contact is rejected, and the contact does not change', async () => {
  const someone = { ...at(), emails: [{ email: 'someone@people.example' }] }
  await catalogue.importContacts([someone])
  const before = await readStoredPeople(catalogue)
  const result = await catalogue.importContacts([
    { ...someone, title: 'Refused with the rest', profile_url: 'https://people.example/gone' },
    { ...someone, first_name: 'Renamed' },
  ])
  expect(result).toMatchObject({ updated: 1, rejected: 1 })
  const after = (await readStoredPeople(catalogue)).find(({ facts }) => facts.first_name === 'Renamed')!
  expect(after.facts).toMatchObject({ title: null, profile_url: null })
  expect(await readStoredPeople(catalogue)).toHaveLength(before.length)
})

test('a stored contact that was suppressed later cannot be changed', async () => {
  const late = { ...at(), emails: [{ email: 'late@people.example' }] }
  await catalogue.importContacts([late])
  await suppress('email', 'late@people.example')
  for (const record of [late, { ...late, emails: undefined, title: 'Changed' }]) {
    const result = await catalogue.importContacts([record])
    expect(result).toMatchObject({ rejected: 1, updated: 0, unchanged: 0 })
    expect(await catalogue.rejectsOf(result)).toEqual([{ line: 1, reason, record: null }])
  }
})

test('a contact suppressed by its import key is rejected without any channel', async () => {
  const record = { store_domain: 'shop.example', full_name: 'Nora Nobody', title: 'Owner' }
  await catalogue.importContacts([record])
  const { storeId, number } = (await readStoredPeople(catalogue)).find(
    ({ facts }) => facts.full_name === 'Nora Nobody',
  )!
  const { rows } = await catalogue.db.query<{ key: string }>(
    `delete from contacts where store_id = $1 and number = $2 returning encode(external_key, 'hex') as key`,
    [storeId, number],
  )
  await suppress('record', `${storeId}\n${rows[0]!.key}`)
  expect(await catalogue.importContacts([{ ...record, role: 'founder' }])).toMatchObject({ rejected: 1 })
})

test('suppressions do not apply to the sandbox', async () => {
  const result = await catalogue.importContacts(
    [{ ...at(), emails: [{ email: 'gone@people.example' }] }, at('left-out.example')],
    { mode: 'test' },
  )
  expect(result).toMatchObject({ inserted: 2, rejected: 0 })
})
