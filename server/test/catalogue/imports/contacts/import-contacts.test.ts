import { packTraits } from '@storedex/search-index'
import { beforeAll, expect, test } from 'vitest'
import { importContacts } from '../../../../src/catalogue/imports/contacts/import-contacts.ts'
import type { ContactFacts } from '../../../../src/foundation/encryption/contact-facts.ts'
import { OperatorError } from '../../../../src/foundation/kernel/errors.ts'
import { createSealer, generateDataKey, parseDataKeys } from '../../../../src/foundation/kernel/seal.ts'
import { loadTaxonomy } from '../../../../src/search/taxonomy/taxonomy.ts'
import { aurora } from '../../../support/fixtures.ts'
import { readStoredPeople } from '../support/stored-people.ts'
import { openTestCatalogue, type TestCatalogue } from '../support/test-catalogue.ts'

let catalogue: TestCatalogue
beforeAll(async () => {
  catalogue = await openTestCatalogue()
  await catalogue.importStores([aurora, { domain: 'other.example', country: 'FR' }])
})

const mara = {
  store_domain: 'aurora-candles.example',
  external_id: 'c-1',
  first_name: 'Mara',
  last_name: 'Lindqvist',
  full_name: 'Mara Lindqvist',
  title: 'Head of Marketing',
  role: 'marketing',
  seniority: 'decision_maker',
  profile_url: 'https://people.example/mara',
  emails: [{ email: 'mara@aurora-candles.example', status: 'verified', type: 'work', is_primary: true }],
  phones: [{ phone: '+4930123456', type: 'office', is_primary: true }],
}

const emptyFacts: ContactFacts = {
  external_id: null,
  first_name: null,
  last_name: null,
  full_name: null,
  title: null,
  role: null,
  seniority: 'other',
  profile_url: null,
  emails: [],
  phones: [],
}

async function person(externalId: string) {
  const found = (await readStoredPeople(catalogue)).filter(({ facts }) => facts.external_id === externalId)
  expect(found).toHaveLength(1)
  return found[0]!
}

const factsOf = async (externalId: string) => (await person(externalId)).facts

test('a record creates a contact: previewed fields in clear, everything sealed', async () => {
  const result = await catalogue.importContacts([mara])
  expect(result).toMatchObject({ read: 1, inserted: 1, updated: 0, unchanged: 0, rejected: 0, rejects_file: null })
  const { store_domain: _domain, ...facts } = mara
  const stored = await person('c-1')
  const traits = packTraits({
    seniority: 'decision_maker',
    hasVerifiedEmail: true,
    hasPhone: true,
    hasProfile: true,
  })
  expect(stored).toMatchObject({
    domain: aurora.domain,
    mode: 'live',
    number: 0,
    role: 'marketing',
    traits,
    revealable: true,
    verified_revealable: true,
    verified_emails: 1,
    facts,
  })
  expect(stored.preview).toEqual({
    id: stored.id,
    object: 'contact_preview',
    first_name: 'Mara',
    last_name_obfuscated: 'L***',
    role: 'marketing',
    seniority: 'decision_maker',
    title: 'Head of Marketing',
    has_verified_email: true,
    has_phone: true,
    has_profile: true,
    revealed: false,
  })
  // Email, its host, phone, profile and import key.
  expect(new Set(stored.identities).size).toBe(5)
})

test('importing the same records again changes nothing and uses no batch number', async () => {
  const before = [await readStoredPeople(catalogue), await catalogue.rows(), await catalogue.batch()]
  expect(await catalogue.importContacts([mara])).toMatchObject({ read: 1, inserted: 0, updated: 0, unchanged: 1 })
  expect([await readStoredPeople(catalogue), await catalogue.rows(), await catalogue.batch()]).toEqual(before)
})

test('a missing field keeps its value, null clears it, and lists are replaced', async () => {
  const at = { store_domain: 'other.example', external_id: 'patch' }
  await catalogue.importContacts([{ ...mara, ...at }])
  const before = await person('patch')
  expect(
    await catalogue.importContacts([{ ...at, title: 'Chief of Wax', emails: [{ email: 'm@other.example' }] }]),
  ).toMatchObject({ updated: 1 })
  const patched = await person('patch')
  expect(patched).toMatchObject({ id: before.id, number: before.number })
  expect(patched.facts).toEqual({
    ...before.facts,
    title: 'Chief of Wax',
    emails: [{ email: 'm@other.example', status: 'unknown', type: 'unknown', is_primary: true }],
  })
  expect(patched.preview).toMatchObject({ title: 'Chief of Wax', has_verified_email: false })

  const fields = [
    'first_name',
    'last_name',
    'full_name',
    'title',
    'role',
    'seniority',
    'profile_url',
    'emails',
    'phones',
  ]
  await catalogue.importContacts([{ ...at, ...Object.fromEntries(fields.map((field) => [field, null])) }])
  const cleared = await person('patch')
  expect(cleared.facts).toEqual({ ...emptyFacts, external_id: 'patch' })
  expect(cleared).toMatchObject({ id: before.id, role: null, revealable: false, verified_revealable: false })
  expect(cleared.preview).toMatchObject({
    first_name: null,
    last_name_obfuscated: null,
    seniority: 'other',
    title: null,
  })
})

test('store_domain may be an alias of the store', async () => {
  await catalogue.importContacts([{ store_domain: 'https://Aurora-Candles.myshopify.com/about', external_id: 'alias' }])
  expect(await person('alias')).toMatchObject({ domain: 'aurora-candles.example' })
})

test('without an external id the normalised first email is the key, and without an email the full name and title', async () => {
  const at = { store_domain: 'other.example' }
  const email = (email: string) => ({ emails: [{ email }] })
  const people = [
    { ...at, ...email('Key.One@Other.example'), first_name: 'Bea' },
    { ...at, ...email('key.one@other.example'), first_name: 'Bea', last_name: 'Key' },
    { ...at, first_name: 'Ann', last_name: 'Key', title: 'Owner' },
    { ...at, full_name: 'Ann Key', title: 'Owner', role: 'founder' },
    { ...at, full_name: 'Ann Key' },
    { ...at, external_id: 'Ann Key' },
    { ...at, external_id: 'key.one@other.example' },
    { store_domain: 'aurora-candles.example', ...email('key.one@other.example') },
  ]
  expect(await catalogue.importContacts(people)).toMatchObject({ inserted: 6, updated: 2, rejected: 0 })
  expect(await catalogue.importContacts(people)).toMatchObject({ unchanged: 8, updated: 0 })
  const stored = (await readStoredPeople(catalogue)).filter(({ domain }) => domain === 'other.example')
  expect(stored.find(({ facts }) => facts.emails[0]?.email === 'key.one@other.example')!.facts.first_name).toBe('Bea')
  expect(stored.find(({ facts }) => facts.full_name === 'Ann Key' && facts.title === 'Owner')!.facts).toMatchObject({
    first_name: 'Ann',
    role: 'founder',
  })
})

test('records of the same contact apply in order, and importing them again changes nothing', async () => {
  const at = { store_domain: 'other.example', external_id: 'twice' }
  const records = [
    { ...at, first_name: 'First', title: 'Buyer' },
    { ...at, first_name: 'Second' },
    { ...at, title: 'Buyer' },
  ]
  expect(await catalogue.importContacts(records)).toMatchObject({ read: 3, inserted: 1, updated: 1, unchanged: 1 })
  expect(await factsOf('twice')).toMatchObject({ first_name: 'Second', title: 'Buyer' })
  const batch = await catalogue.batch()
  expect(await catalogue.importContacts(records)).toMatchObject({ read: 3, unchanged: 3 })
  expect(await catalogue.batch()).toBe(batch)
})

test('a duplicate channel is stored once, and exactly one channel of a list is primary', async () => {
  const at = { store_domain: 'other.example' }
  await catalogue.importContacts([
    {
      ...at,
      external_id: 'lists',
      emails: [
        { email: 'One@other.example', type: 'work' },
        { email: 'two@other.example', is_primary: true },
        { email: 'one@OTHER.example', status: 'verified', is_primary: true },
      ],
      // The store is in France.
      phones: [{ phone: '01 23 45 67 89' }, { phone: '+33 1 23 45 67 89', type: 'office' }, { phone: '0033198765432' }],
    },
    { ...at, external_id: 'none-primary', emails: [{ email: 'a@other.example' }, { email: 'b@other.example' }] },
  ])
  expect(await factsOf('lists')).toMatchObject({
    emails: [
      { email: 'One@other.example', status: 'unknown', type: 'work', is_primary: true },
      { email: 'two@other.example', is_primary: false },
    ],
    phones: [
      { phone: '01 23 45 67 89', type: 'unknown', is_primary: true },
      { phone: '0033198765432', is_primary: false },
    ],
  })
  expect((await factsOf('none-primary')).emails.map((email) => email.is_primary)).toEqual([true, false])
})

test('emails with undeliverable statuses are stored, but do not make a contact revealable', async () => {
  const at = { store_domain: 'other.example' }
  await catalogue.importContacts([
    { ...at, external_id: 'guessed', emails: [{ email: 'g@other.example', status: 'guessed' }] },
    { ...at, external_id: 'accepted', emails: [{ email: 'a2@other.example', status: 'accept_all' }] },
    { ...at, external_id: 'phoned', phones: [{ phone: '+15550100' }] },
  ])
  const flags = async (externalId: string) => {
    const { revealable, verified_revealable } = await person(externalId)
    return [revealable, verified_revealable]
  }
  expect(await flags('guessed')).toEqual([false, false])
  expect(await flags('accepted')).toEqual([true, false])
  expect(await flags('phoned')).toEqual([true, true])
  expect((await factsOf('guessed')).emails).toHaveLength(1)
})

test('a preview shows the first letter of the last name, in any script', async () => {
  const names = { Lindqvist: 'L***', "'t Hooft": 't***', 王: '王***', 𐐀𐐁: '𐐀***', Öz: 'Ö***', '...': '.***' }
  const at = { store_domain: 'other.example' }
  await catalogue.importContacts(
    Object.keys(names).map((last_name) => ({ ...at, external_id: `n ${last_name}`, last_name })),
  )
  for (const [name, shown] of Object.entries(names))
    expect((await person(`n ${name}`)).preview.last_name_obfuscated).toBe(shown)
})

test('text of any script is stored unchanged', async () => {
  const record = {
    store_domain: 'other.example',
    external_id: 'N° 7 "x" \\N',
    first_name: 'Çağrı 🕯️',
    full_name: '王小明 \u2028 \\.',
    title: '„Leiter“ / Head, R&D',
  }
  await catalogue.importContacts([record])
  const { store_domain: _, ...facts } = record
  expect(await factsOf(record.external_id)).toMatchObject(facts)
  expect((await person(record.external_id)).preview).toMatchObject({ first_name: 'Çağrı 🕯️', title: record.title })
  expect(await catalogue.importContacts([record])).toMatchObject({ unchanged: 1 })
})

test('with extendTaxonomy, unknown roles of accepted records are added to the taxonomy', async () => {
  const records = [
    { store_domain: 'other.example', external_id: 'role-1', role: 'Wax_Master' },
    { store_domain: 'unknown.example', external_id: 'role-2', role: 'never_seen' },
    { store_domain: 'other.example', external_id: 'role-3', role: 'FOUNDER' },
  ]
  expect(await catalogue.importContacts(records)).toMatchObject({ inserted: 1, rejected: 2 })
  expect(await catalogue.importContacts(records, { extendTaxonomy: true })).toMatchObject({ inserted: 1, rejected: 1 })
  const { vocabulary } = await loadTaxonomy(catalogue.db)
  expect(vocabulary.find('role', 'never_seen')).toBeUndefined()
  expect((await person('role-1')).role).toBe('wax_master')
  expect((await person('role-3')).role).toBe('founder')
  const store = (await catalogue.store('other.example'))!
  expect(store.document.contacts_summary.roles).toContain('wax_master')
  expect(store.tokens).toContain(vocabulary.find('role', 'wax_master')!.token)
})

test('the same contact as NDJSON and as CSV is one contact', async () => {
  const csv = [
    'title,emails.0.email,emails.0.is_primary,emails.0.status,emails.1.email,emails.1.type,phones.0.phone,phones.0.type,' +
      'store_domain,external_id,first_name,profile_url,emails.1.is_primary',
    '"Head, ""R&D""",one@csv.example,,verified,two@csv.example,work,+4930123456,office,' +
      'other.example,csv-1,Zoë,https://people.example/csv,true',
    'null,,,,,,,,other.example,csv-2,Bo,null,',
    ',three@csv.example,,,,,,,other.example,csv-3,,,',
    ',four@csv.example,perhaps,,,,,,other.example,csv-4,,,',
  ]
  const result = await catalogue.importContactsFile('people.csv', csv.join('\r\n'))
  expect(result).toMatchObject({ read: 4, inserted: 3, rejected: 1 })
  expect((await catalogue.rejectsOf(result))[0]).toMatchObject({
    line: 5,
    reason: 'emails[0].is_primary: "perhaps" is neither yes nor no',
    record: { external_id: 'csv-4', 'emails.0.email': 'four@csv.example', 'emails.0.is_primary': 'perhaps' },
  })
  const records = [
    {
      store_domain: 'other.example',
      external_id: 'csv-1',
      first_name: 'Zoë',
      title: 'Head, "R&D"',
      profile_url: 'https://people.example/csv',
      emails: [
        { email: 'one@csv.example', status: 'verified' },
        { email: 'two@csv.example', type: 'work', is_primary: true },
      ],
      phones: [{ phone: '+4930123456', type: 'office' }],
    },
    { store_domain: 'other.example', external_id: 'csv-2', first_name: 'Bo' },
    { store_domain: 'other.example', external_id: 'csv-3', emails: [{ email: 'three@csv.example' }] },
  ]
  expect(await catalogue.importContacts(records)).toMatchObject({ unchanged: 3 })
})

test('an import that cannot open a stored contact fails with one sentence and changes nothing', async () => {
  const stranger = { ...catalogue.context.seals, sealer: createSealer(parseDataKeys(generateDataKey())!) }
  const file = await catalogue.write('locked.ndjson', JSON.stringify({ ...mara, title: 'Locked' }))
  const refusal = importContacts({ ...catalogue.context, seals: stranger }, { file, extendTaxonomy: false })
  await expect(refusal).rejects.toThrow(OperatorError)
  await expect(refusal).rejects.toThrow(
    /^Contact 0 of store \d+ cannot be opened: the data key "test" is not in the keyring/,
  )
  expect((await factsOf('c-1')).title).toBe('Head of Marketing')
})

test('live and sandbox contacts with the same key are separate', async () => {
  await catalogue.importStores([{ domain: aurora.domain }], { mode: 'test' })
  await catalogue.importContacts([{ ...mara, title: 'In the sandbox' }], { mode: 'test' })
  const both = (await readStoredPeople(catalogue)).filter(({ facts }) => facts.external_id === 'c-1')
  expect(both.map(({ mode, id, facts }) => [mode, id.slice(0, 8), facts.title]).sort()).toEqual([
    ['live', 'ct_live_', 'Head of Marketing'],
    ['test', 'ct_test_', 'In the sandbox'],
  ])
})

test('numbers of deleted contacts are not reused, and a store has 4,096 in all', async () => {
  await catalogue.importStores([{ domain: 'crowded.example' }])
  const people = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => ({
      store_domain: 'crowded.example',
      external_id: `p-${from + index}`,
    }))
  await catalogue.importContacts(people(0, 3))
  await catalogue.db.query(
    "delete from contacts where store_id = (select store_id from store_domains where host = 'crowded.example') and number = 1",
  )
  await catalogue.importContacts(people(1, 5))
  const numbers = (await readStoredPeople(catalogue))
    .filter(({ domain }) => domain === 'crowded.example')
    .map(({ number }) => number)
  expect(numbers).toEqual([0, 2, 3, 4, 5])

  const result = await catalogue.importContacts(people(0, 4_100))
  expect(result).toMatchObject({ read: 4_100, unchanged: 5, inserted: 4_090, rejected: 5 })
  expect((await catalogue.rejectsOf(result))[0]).toMatchObject({
    line: 4_096,
    reason: 'store_domain: the store has used all of its 4096 contact numbers',
  })
  expect((await catalogue.store('crowded.example'))!.document.contacts_summary.total).toBe(4_095)
  // Existing contacts can still be changed.
  expect(await catalogue.importContacts([{ ...people(4, 5)[0], title: 'Changed' }])).toMatchObject({ updated: 1 })
})
