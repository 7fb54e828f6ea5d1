import { beforeAll, expect, test } from 'vitest'
import { readStoredPeople } from '../support/stored-people.ts'
import { openTestCatalogue, type TestCatalogue } from '../support/test-catalogue.ts'

let catalogue: TestCatalogue
beforeAll(async () => {
  catalogue = await openTestCatalogue()
  await catalogue.importStores([{ domain: 'a.example' }])
})

const at = { store_domain: 'a.example', external_id: 'x' }
const emails = (...addresses: unknown[]) => ({ ...at, emails: addresses.map((email) => ({ email })) })
const phones = (...numbers: unknown[]) => ({ ...at, phones: numbers.map((phone) => ({ phone })) })
const many = (count: number, item: object) => Array.from({ length: count }, () => item)

const invalidRecords: [record: unknown, reason: string | RegExp][] = [
  [{ external_id: 'x' }, 'store_domain: missing'],
  [{ ...at, store_domain: 'not a host' }, 'store_domain: "not a host" is not a domain'],
  [{ ...at, store_domain: 'Www.B.example' }, 'store_domain: no store is known for b.example; import it first'],
  [{ ...at, domain: 'a.example' }, 'domain: unknown field'],
  [{ ...at, emails: [{ email: 'm@a.example', valid: true }] }, 'emails[0].valid: unknown field'],
  [{ ...at, external_id: 7 }, 'external_id: must be text or null'],
  [{ ...at, external_id: '' }, 'external_id: must not be empty'],
  [{ ...at, external_id: 'x'.repeat(201) }, 'external_id: longer than 200 characters'],
  [{ store_domain: 'a.example' }, 'the person cannot be identified: external_id, an email or a name is needed'],
  [{ store_domain: 'a.example', title: 'Owner' }, /^the person cannot be identified/],
  [
    { store_domain: 'a.example', external_id: null, emails: [], phones: [{ phone: '+15550100' }] },
    /^the person cannot be identified/,
  ],
  [{ ...at, first_name: 'x'.repeat(501) }, 'first_name: longer than 500 characters'],
  [{ ...at, last_name: ' ' }, 'last_name: must not be blank'],
  [{ ...at, full_name: 'nul \0' }, 'full_name: contains control characters'],
  [{ ...at, full_name: 'two\nlines' }, 'full_name: contains control characters'],
  [{ ...at, title: 'half \ud83d' }, 'title: contains invalid characters'],
  [{ ...at, external_id: 'a\u0007b' }, 'external_id: contains control characters'],
  [{ ...at, external_id: 'a\u0085b' }, /^external_id: .* was decoded wrongly$/],
  [{ ...at, role: 'marketting' }, /^role: unknown value "marketting" \(nearest: marketing/],
  [{ ...at, seniority: 'boss' }, /^seniority: unknown value "boss" \(one of: decision_maker, executive, other\)/],
  [{ ...at, profile_url: 'people.example/mara' }, /^profile_url: "people.example\/mara" is not an http or https URL/],
  [{ ...at, profile_url: 'javascript:alert(1)' }, /^profile_url: .* is not an http or https URL/],
  [{ ...at, profile_url: 'ftp://people.example/mara' }, /^profile_url: .* is not an http or https URL/],
  [{ ...at, profile_url: 'https://' }, /^profile_url: .* is not an http or https URL/],
  [{ ...at, profile_url: `https://people.example/${'x'.repeat(2_048)}` }, 'profile_url: longer than 2048 characters'],
  [{ ...at, emails: 'm@a.example' }, 'emails: must be a list or null'],
  [{ ...at, emails: ['m@a.example'] }, 'emails[0]: must be an object'],
  [{ ...at, emails: [{ status: 'verified' }] }, 'emails[0].email: missing'],
  [emails('m@a.example', 'not an email'), 'emails[1].email: "not an email" is not an email address'],
  [emails('@a.example'), /is not an email address$/],
  [emails('m@localhost'), /is not an email address$/],
  [emails('m@a.example\r\nBcc: all@a.example'), 'emails[0].email: contains control characters'],
  [{ ...at, emails: [{ email: 'm@a.example', status: 'valid' }] }, /^emails\[0\]\.status: must be one of verified,/],
  [{ ...at, emails: [{ email: 'm@a.example', type: 'home' }] }, /^emails\[0\]\.type: must be one of work,/],
  [{ ...at, emails: [{ email: 'm@a.example', is_primary: 1 }] }, 'emails[0].is_primary: must be true or false or null'],
  [{ ...at, emails: many(51, { email: 'm@a.example' }) }, 'emails: more than 50 items'],
  [emails(`${'x'.repeat(311)}@a.example`), 'emails[0].email: longer than 320 characters'],
  [{ ...at, phones: [{ type: 'office' }] }, 'phones[0].phone: missing'],
  [phones(4930123456), 'phones[0].phone: must be text'],
  [phones('+4930123456', 'ask Mara'), 'phones[1].phone: "ask Mara" is not a phone number'],
  [phones('12'), /is not a phone number$/],
  [phones('m555@a.example'), /is not a phone number$/],
  [phones('+49 30\u0000'), 'phones[0].phone: contains control characters'],
  [phones('0'.repeat(65)), 'phones[0].phone: longer than 64 characters'],
  [{ ...at, phones: [{ phone: '+4930123456', type: 'fax' }] }, /^phones\[0\]\.type: must be one of mobile,/],
  [{ ...at, phones: many(51, { phone: '+4930123456' }) }, 'phones: more than 50 items'],
  [[at], 'must be an object'],
  [null, 'must be an object'],
]

test('every invalid record is rejected with field and reason, and nothing of it is imported', async () => {
  const batch = await catalogue.batch()
  const result = await catalogue.importContacts(invalidRecords.map(([record]) => record))
  expect(result).toMatchObject({ read: invalidRecords.length, inserted: 0, rejected: invalidRecords.length })
  const rejects = await catalogue.rejectsOf(result)
  for (const [index, [record, reason]] of invalidRecords.entries()) {
    const reject = rejects[index]!
    expect(reject.line).toBe(index + 1)
    if (typeof reason === 'string') expect(reject.reason).toBe(reason)
    else expect(reject.reason).toMatch(reason)
    expect(reject.record).toEqual(JSON.parse(JSON.stringify(record)))
  }
  expect(await readStoredPeople(catalogue)).toEqual([])
  expect(await catalogue.batch()).toBe(batch)
})

test('a previewed field that contains a channel is rejected', async () => {
  const withChannel = [
    'Mara mara@a.example',
    'mara＠a.example',
    'CEO (m@b)',
    'See https://people.example/mara',
    'HTTP://x',
    'people.example/mara',
    'www.mara',
    'tel:110',
    'mailto:mara',
    'Call +49 30 123456',
    '030-123 45 67',
    '(555) 010-0123',
    '０３０１２３４５６７',
    '٠٣٠١٢٣٤٥٦٧',
    '0.3.0.1.2.3.4',
    '030·123·45·67',
    '0\u200b3\u200b0\u200b1\u200b2\u200b3\u200b4',
    '2019-2024, 030 1234567',
    'mara[at]a.example',
    'mara (at) a (dot) example',
    'm at a dot example',
  ]
  const harmless = [
    'Head of Amazon.de',
    'Dr. med. Ø',
    'R&D / IT',
    '2nd Assistant, 24/7',
    'Node.js @ Acme',
    'ISO 27001 Lead 2022-2023',
    'Director (2019 – 2024)',
    'Est. 12.05.2019',
    'Since 2019-05-12',
    'Head (at) large',
  ]
  for (const field of ['first_name', 'title']) {
    const refused = await catalogue.importContacts(withChannel.map((text) => ({ ...at, [field]: text })))
    expect(refused).toMatchObject({ rejected: withChannel.length })
    for (const { reason } of await catalogue.rejectsOf(refused))
      expect(reason).toMatch(
        new RegExp(
          `^${field}: contains (an email address|a URL|what looks like a phone number), which a preview must not`,
        ),
      )
    const taken = await catalogue.importContacts(harmless.map((text) => ({ ...at, [field]: text })))
    expect(taken).toMatchObject({ rejected: 0 })
  }
  // Fields that are only stored sealed may contain channels.
  const sealed = await catalogue.importContacts([{ ...at, last_name: 'mara@a.example', full_name: '+49 30 1234567' }])
  expect(sealed).toMatchObject({ rejected: 0 })
  // A role that would be added to the taxonomy is shown too.
  const role = await catalogue.importContacts([{ ...at, role: '0301234567' }], { extendTaxonomy: true })
  expect((await catalogue.rejectsOf(role))[0]!.reason).toMatch(/^role: contains what looks like a phone number/)
})

test('an invalid record is rejected with its line, and the others are imported', async () => {
  const good = (externalId: string) => JSON.stringify({ ...at, external_id: externalId })
  const file = [good('1'), '{"store_domain":', good('2'), '', JSON.stringify(emails('bad')), good('3')].join('\n')
  const result = await catalogue.importContactsFile('mixed.ndjson', file)
  expect(result).toMatchObject({ read: 5, inserted: 3, rejected: 2 })
  expect((await catalogue.rejectsOf(result)).map(({ line, reason }) => `${line} ${reason}`)).toEqual([
    '2 not valid JSON',
    '5 emails[0].email: "bad" is not an email address',
  ])
})

test('rejects are written in line order, whether the record or an unknown store caused them', async () => {
  const result = await catalogue.importContacts([
    { ...at, store_domain: 'nowhere.example' },
    {},
    { ...at, external_id: 'fine' },
    { ...at, store_domain: 'nobody.example' },
    { ...at, phones: 7 },
  ])
  expect((await catalogue.rejectsOf(result)).map(({ line }) => line)).toEqual([1, 2, 4, 5])
})
