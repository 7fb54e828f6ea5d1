import { beforeAll, expect, test } from 'vitest'
import { importContacts } from '../../../../src/catalogue/imports/contacts/import-contacts.ts'
import { importStoresAndContacts } from '../../../../src/catalogue/imports/contacts/stores-and-contacts.ts'
import { readInThread } from '../../../../src/catalogue/imports/threads/read-in-thread.ts'
import { threadProgram } from '../../../../src/program/serving/programs.ts'
import { openTestCatalogue, type TestCatalogue } from '../support/test-catalogue.ts'

let catalogue: TestCatalogue
beforeAll(async () => {
  catalogue = await openTestCatalogue()
  await catalogue.importStores([{ domain: 'german.example', country: 'DE' }, { domain: 'nowhere.example' }])
})

const header = 'store_domain,first_name,email,role,phone'
const rows = [
  // Nothing but the phone, which needs a country that the store does not have.
  'nowhere.example,Ada,ada@nowhere.example,,030 1234567',
  'nowhere.example,<b>Ada</b>,ada2@nowhere.example,nonsense,030 1234567',
  'german.example,<b>Ada</b>,ada@german.example,,12',
  'unknown.example,=1+1,ada@unknown.example,,+49 30 123456',
  'unknown.example,=1+1,ada2@unknown.example,,call me',
  // Not even a key is left of it without its bad values.
  'unknown.example,=1+1,nonsense,,030 1234567',
  'not a domain,=1+1,ada@unknown.example,nonsense,call me',
  'german.example,Fine,fine@german.example,,030 1234567',
]

const faultsOfRows = [
  [/^phones\[0\]\.phone: .* has no country code/],
  [/first_name: .*markup/, /role: unknown value/, /phones\[0\]\.phone: .* has no country code/],
  [/first_name: .*markup/, /phones\[0\]\.phone: "12" is not a phone number/],
  [/first_name: .*formula/, /store_domain: no store is known for unknown\.example/],
  [/first_name: .*formula/, /store_domain: no store is known/, /phones\[0\]\.phone: "call me" is not a phone number/],
  [/first_name: .*formula/, /emails\[0\]\.email: .*not an email/, /store_domain: no store is known/],
  [/store_domain: .*not a domain/, /first_name: .*formula/, /role: unknown value/, /phone: "call me" is not a phone/],
]

const inThread = readInThread(threadProgram('reading-thread'), { leastBytes: 1, leastProcessors: 1 })

test.each([
  ['an import', { dryRun: false }, {}],
  ['a dry run', { dryRun: true }, {}],
  ['an import that is read in a thread', { dryRun: true }, { startReading: inThread }],
])('%s tells all faults of a contact at once', async (_title, options, extra) => {
  const file = await catalogue.write('people.csv', [header, ...rows].join('\n'))
  const result = await importContacts({ ...catalogue.context, ...extra }, { file, extendTaxonomy: false, ...options })
  expect(result).toMatchObject({ read: rows.length, rejected: rows.length - 1 })
  const rejects = await catalogue.rejectsOf(result)
  for (const [index, faults] of faultsOfRows.entries()) {
    const { line, reason } = rejects[index]!
    expect(line).toBe(index + 2)
    for (const fault of faults) expect(reason).toMatch(fault)
    expect(reason.split('; ').length, reason).toBeGreaterThanOrEqual(faults.length)
  }
  const count = (name: string, why: string) =>
    result.problems.find(({ field, reason }) => field === name && reason.startsWith(why))?.count
  expect(count('store_domain', 'no store is known')).toBe(3)
  expect(count('phones.phone', 'has no country code')).toBe(2)
})

test('a file that is mended as its rejects say is taken: nothing new is found', async () => {
  const file = await catalogue.write('mended.csv', [header, ...rows].join('\n'))
  const first = await importContacts(catalogue.context, { file, extendTaxonomy: false, dryRun: true })
  expect(first.rejected).toBeGreaterThan(0)
  const good = rows.map((_, index) => `german.example,Ada,mended-${index}@german.example,,030 123456${index}`)
  const mended = await catalogue.write('again.csv', [header, ...good].join('\n'))
  const again = await importContacts(catalogue.context, { file: mended, extendTaxonomy: false })
  expect(again).toMatchObject({ rejected: 0, inserted: rows.length })
})

test('a check of stores with their contacts looks at phones with the countries that the file gives', async () => {
  const text = [
    'domain,country,contact.first_name,contact.phone',
    'new-german.example,DE,Ada,030 1234567',
    'new-nowhere.example,,Ada,030 1234567',
    // In the database it has no country; the file gives it one.
    'nowhere.example,DE,Ada,030 1234567',
    'new-broken.example,Atlantis,Ada,030 1234567',
  ].join('\n')
  const file = await catalogue.write('both.csv', text)
  const check = await importStoresAndContacts(catalogue.context, { file, extendTaxonomy: false, dryRun: true })
  const checked = await catalogue.rejectsOf(check.contacts)
  const real = await importStoresAndContacts(catalogue.context, { file, extendTaxonomy: false })
  expect(checked.map(({ line, reason }) => [line, reason])).toEqual([
    [3, expect.stringContaining('has no country code')],
    [5, expect.stringContaining('no store is known for new-broken.example')],
  ])
  expect(await catalogue.rejectsOf(real.contacts)).toEqual(checked)
  expect(check.contacts.problems).toEqual(real.contacts.problems)
})
