import { beforeAll, expect, test } from 'vitest'
import type { Identity } from '../../../src/encryption/identities.ts'
import { normalizeEmail, normalizePhone, normalizeProfile } from '../../../src/kernel/channels.ts'
import { readStoredPeople } from '../support/stored-people.ts'
import { openTestCatalogue, type TestCatalogue } from '../support/test-catalogue.ts'

let world: TestCatalogue
beforeAll(async () => {
  world = await openTestCatalogue()
  const stores = [
    { domain: 'shop.example', country: 'DE' },
    { domain: 'left-out.example', aliases: ['left-out.myshopify.com'] },
  ]
  await world.importRecords(stores)
  await world.importRecords(stores, { mode: 'test' })
  await suppress('email', normalizeEmail('gone@people.example')!)
  await suppress('phone', normalizePhone('+49 30 1234567', null)!)
  await suppress('profile', normalizeProfile('https://people.example/gone')!)
  await suppress('domain', 'quiet.example')
  await suppress('domain', 'left-out.myshopify.com')
})

async function suppress(kind: Identity['kind'], normal: string): Promise<void> {
  const { hash } = world.context.seals.identities.hash(kind, normal)
  await world.db.query('insert into suppressions (hash, kind, added_at) values ($1, $2, now())', [hash, kind])
}

let count = 0
const at = (domain = 'shop.example') => ({ store_domain: domain, external_id: `s-${count++}`, first_name: 'Gone' })
const reason = 'this person or domain asked to be left out'

test('whoever asked to be left out is refused, however spelt, and the rejects file does not repeat who it was', async () => {
  const records = [
    { ...at(), emails: [{ email: 'kept@people.example' }, { email: 'GONE@People.example' }] },
    { ...at(), phones: [{ phone: '030 / 123 45 67' }] },
    { ...at(), phones: [{ phone: '0049 (0)30 1234567' }] },
    { ...at(), profile_url: 'http://www.people.example/gone/?utm_source=x#top' },
    { ...at(), emails: [{ email: 'anybody@quiet.example' }] },
    at('left-out.example'),
    { ...at(), emails: [{ email: 'fine@people.example' }] },
  ]
  const result = await world.importContacts(records)
  expect(result).toMatchObject({ read: 7, inserted: 1, rejected: 6 })
  expect(await world.rejectsOf(result)).toEqual([1, 2, 3, 4, 5, 6].map((line) => ({ line, reason, record: null })))
  expect((await readStoredPeople(world)).map(({ facts }) => facts.emails[0]?.email)).toEqual(['fine@people.example'])
})

test('a record that would give somebody a suppressed channel is refused, and the person stays as they were', async () => {
  const someone = { ...at(), emails: [{ email: 'someone@people.example' }] }
  await world.importContacts([someone])
  const before = await readStoredPeople(world)
  const result = await world.importContacts([
    { ...someone, title: 'Refused with the rest', profile_url: 'https://people.example/gone' },
    { ...someone, first_name: 'Renamed' },
  ])
  expect(result).toMatchObject({ updated: 1, rejected: 1 })
  const after = (await readStoredPeople(world)).find(({ facts }) => facts.first_name === 'Renamed')!
  expect(after.facts).toMatchObject({ title: null, profile_url: null })
  expect(await readStoredPeople(world)).toHaveLength(before.length)
})

test('nothing is changed about somebody on file who asked to be left out since', async () => {
  const late = { ...at(), emails: [{ email: 'late@people.example' }] }
  await world.importContacts([late])
  await suppress('email', 'late@people.example')
  for (const record of [late, { ...late, emails: undefined, title: 'Changed' }]) {
    const result = await world.importContacts([record])
    expect(result).toMatchObject({ rejected: 1, updated: 0, unchanged: 0 })
    expect(await world.rejectsOf(result)).toEqual([{ line: 1, reason, record: null }])
  }
})

test('an erased contact does not come back by its key alone', async () => {
  const record = { store_domain: 'shop.example', full_name: 'Nora Nobody', title: 'Owner' }
  await world.importContacts([record])
  const { storeId, number } = (await readStoredPeople(world)).find(({ facts }) => facts.full_name === 'Nora Nobody')!
  const { rows } = await world.db.query<{ key: string }>(
    `delete from contacts where store_id = $1 and number = $2 returning encode(external_key, 'hex') as key`,
    [storeId, number],
  )
  await suppress('record', `${storeId}\n${rows[0]!.key}`)
  expect(await world.importContacts([{ ...record, role: 'founder' }])).toMatchObject({ rejected: 1 })
})

test('the sandbox takes everybody', async () => {
  const result = await world.importContacts(
    [{ ...at(), emails: [{ email: 'gone@people.example' }] }, at('left-out.example')],
    { mode: 'test' },
  )
  expect(result).toMatchObject({ inserted: 2, rejected: 0 })
})
