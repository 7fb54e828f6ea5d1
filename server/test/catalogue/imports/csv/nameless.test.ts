import { readFile } from 'node:fs/promises'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { importContacts } from '../../../../src/catalogue/imports/contacts/import-contacts.ts'
import { importStoresAndContacts } from '../../../../src/catalogue/imports/contacts/stores-and-contacts.ts'
import { importStores } from '../../../../src/catalogue/imports/stores/import-stores.ts'
import { readStoredPeople } from '../support/stored-people.ts'
import { openTestCatalogue, type TestCatalogue } from '../support/test-catalogue.ts'

let catalogue: TestCatalogue
beforeAll(async () => {
  catalogue = await openTestCatalogue()
})
beforeEach(async () => {
  await catalogue.db.query('truncate stores, store_domains, contacts')
  await catalogue.importStores([{ domain: 'a.example' }])
})

const options = { extendTaxonomy: false }
const fileOf = (lines: string[]) => catalogue.write('nameless.csv', lines.join('\n'))
const shifted = { field: 'record', reason: 'a value in a column without a name', count: 1 }

test('a row that an unquoted comma shifts into a column without a name is at fault, with --on-bad-value drop too', async () => {
  const file = await fileOf([
    'store_domain,external_id,full_name,title,,',
    'a.example,1,Ada Ember,Buyer,,',
    'a.example,2,Ben Moss, Jr.,Head of Sales,',
    'a.example,3,Cid Oak,CEO,,',
  ])
  for (const onBadValue of ['reject', 'drop'] as const) {
    const result = await importContacts(catalogue.context, { ...options, file, onBadValue })
    expect(result).toMatchObject({ read: 3, rejected: 1, problems: [shifted], notices: [] })
    expect(result.problems[0]!.hint).toContain('--map "#5=FIELD"')
  }
  const people = await readStoredPeople(catalogue)
  expect(people.map(({ facts }) => facts.title)).toEqual(['Buyer', 'CEO'])
})

test('the rejects keep the columns, so that a row is rejected until it is mended, and goes in then', async () => {
  const file = await fileOf([
    'domain,name,country,',
    'b.example,Bee,DE,',
    'c.example,Cee, Inc.,DE',
    'd.example,Dee,DE,',
  ])
  const first = await importStores(catalogue.context, { ...options, file })
  const again = await importStores(catalogue.context, { ...options, file: first.rejects_file! })
  expect(again).toMatchObject({ read: 1, rejected: 1, problems: [shifted] })
  const rejects = await readFile(first.rejects_file!, 'utf8')
  const mended = await catalogue.write('mended.csv', rejects.replace('Cee," Inc.",DE', '"Cee, Inc.",DE,'))
  expect(await importStores(catalogue.context, { ...options, file: mended })).toMatchObject({
    inserted: 1,
    rejected: 0,
  })
  expect((await catalogue.store('c.example'))!.document).toMatchObject({ name: 'Cee, Inc.', country: 'DE' })
})

test.each([
  ['a number of the row in front, as data frames write it', ',domain,name', (row: string, n: number) => `${n},${row}`],
  ['the same, read and written again', 'Unnamed: 0,domain,name', (row: string, n: number) => `${n},${row}`],
  ['a column that somebody forgot to name', 'domain,name,', (row: string, n: number) => `${row},note ${n}`],
  ['a heading of blanks that are not seen', 'domain,name,\u00a0\u200b', (row: string, n: number) => `${row},${n}`],
])('%s is ignored, and told of once', async (_title, header, rowOf) => {
  const rows = ['b.example,Bee', 'c.example,Cee', 'not a host,Dee'].map(rowOf)
  const file = await fileOf([header, ...rows])
  const result = await importStores(catalogue.context, { ...options, file })
  const number = header.startsWith('domain') ? 3 : 1
  expect(result).toMatchObject({ read: 3, inserted: 2, rejected: 1 })
  expect(result.notices).toMatchObject([
    { field: `column ${number}`, reason: 'has values and no name', count: 1, line: 1 },
  ])
  const quiet = await importStores(catalogue.context, { ...options, file, map: { [`#${number}`]: '' } })
  expect(quiet).toMatchObject({ unchanged: 2, notices: [] })
  // Its rejects, mended, go in with the column as it was.
  const rejects = (await readFile(result.rejects_file!, 'utf8')).replaceAll('not a host', 'd.example')
  const mended = await importStores(catalogue.context, {
    ...options,
    file: await catalogue.write('again.csv', rejects),
  })
  expect(mended).toMatchObject({ read: 1, inserted: 1 })
})

test('a column without a name is named by its position, in the rejects file too', async () => {
  const file = await fileOf(['domain,,name', 'b.example,DE,Bee', 'c.example,Nowhere,Cee'])
  const map = { '#2': 'country' }
  const result = await importStores(catalogue.context, { ...options, file, map })
  expect(result).toMatchObject({ inserted: 1, rejected: 1, notices: [] })
  expect((await catalogue.store('b.example'))!.document.country).toBe('DE')
  const rejects = (await readFile(result.rejects_file!, 'utf8')).replaceAll('Nowhere', 'FR')
  const mended = { ...options, file: await catalogue.write('again.csv', rejects), map }
  expect(await importStores(catalogue.context, mended)).toMatchObject({ inserted: 1, rejected: 0 })
  expect((await catalogue.store('c.example'))!.document.country).toBe('FR')
})

test('empty columns without a name are ignored in silence, and rows with a value are at fault in both kinds at once', async () => {
  const file = await fileOf([
    'Domain,Company,First name,Title,,',
    'b.example,Bee,Bea,Buyer,,',
    'c.example,Cee,Cid, Jr.,CEO,',
    'd.example,Dee,Dot,CTO,,',
    ',,,,,',
  ])
  const { stores, contacts } = await importStoresAndContacts(catalogue.context, { ...options, file })
  expect(stores).toMatchObject({ read: 3, inserted: 2, rejected: 1, problems: [shifted], notices: [] })
  expect(contacts).toMatchObject({ read: 2, inserted: 2, rejected: 0 })
})
