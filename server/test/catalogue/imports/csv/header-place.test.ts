import { readFile } from 'node:fs/promises'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { importStoresAndContacts } from '../../../../src/catalogue/imports/contacts/stores-and-contacts.ts'
import type { ImportInput } from '../../../../src/catalogue/imports/records/import-file.ts'
import { importStores } from '../../../../src/catalogue/imports/stores/import-stores.ts'
import { readInThread } from '../../../../src/catalogue/imports/threads/read-in-thread.ts'
import { threadProgram } from '../../../../src/program/serving/programs.ts'
import { openTestCatalogue, type TestCatalogue } from '../support/test-catalogue.ts'

let catalogue: TestCatalogue
beforeAll(async () => {
  catalogue = await openTestCatalogue()
})
beforeEach(async () => {
  await catalogue.db.query('truncate stores, store_domains, contacts')
})

const importText = async (text: string, options: Partial<ImportInput> = {}) =>
  importStores(catalogue.context, { file: await catalogue.write('place.csv', text), extendTaxonomy: false, ...options })
const documentOf = async (domain: string) => (await catalogue.store(domain))?.document

test('lines above the header are not read, whatever they have, and lines are counted from the first', async () => {
  const text = '"Shops of\r\n\r\ncount;2\r\n"Web\r\nsite";Company;Country\r\na.example;Aye;DE\r\nno host;Bee;DE\r\n'
  const result = await importText(text, { headerRow: 4, map: { 'Web site': 'domain' } })
  expect(result).toMatchObject({
    delimiter: ';',
    read: 2,
    inserted: 1,
    rejected: 1,
    problems: [{ line: 7 }],
  })
  // The rejects begin with their header: the same options serve for them.
  const rejects = (await readFile(result.rejects_file!, 'utf8')).replaceAll('no host', 'b.example')
  expect(await importText(rejects, { headerRow: 4, map: { 'Web site': 'domain' } })).toMatchObject({ inserted: 1 })
  expect(await documentOf('b.example')).toMatchObject({ name: 'Bee', country: 'DE' })
})

test('a line that cannot be the header is refused with its number', async () => {
  const text = 'x\n\ndomain,name\na.example,A\n'
  await expect(importText(text, { headerRow: 2 })).rejects.toThrow('line 2 is no header: it is blank')
  await expect(importText(text, { headerRow: 9 })).rejects.toThrow('there is no line 9 for a header')
  await expect(importText(text, { headerRow: 4 })).rejects.toThrow('lacks "domain"')
})

test('a file without a header is read from its first row, by the fields that are given', async () => {
  const text = 'sep=;\na.example;x;Aye\nno host;y;Bee\n'
  const result = await importText(text, { noHeader: ['domain', '', 'name'] })
  expect(result).toMatchObject({ read: 2, inserted: 1, rejected: 1, notices: [], problems: [{ line: 3 }] })
  expect((await documentOf('a.example'))!.name).toBe('Aye')
  const rejects = (await readFile(result.rejects_file!, 'utf8')).replaceAll('no host', 'b.example')
  expect(rejects.split('\r\n')[0]).toBe('\ufeff_line;_reasons;domain;_nameless;name')
  for (const noHeader of [['domain', '', 'name'], undefined])
    expect(await importText(rejects, noHeader ? { noHeader } : {})).toMatchObject({ read: 1, rejected: 0 })
  expect((await documentOf('b.example'))!.name).toBe('Bee')
})

test('columns behind those that are given are named by --map, or told of', async () => {
  const text = 'a.example,Aye,DE\nb.example,Bee,FR\n'
  expect(await importText(text, { noHeader: ['domain'] })).toMatchObject({
    inserted: 2,
    notices: [{ field: 'column 2' }, { field: 'column 3' }],
  })
  expect(await importText(text, { noHeader: ['domain'], map: { '#2': 'name', '#3': '' } })).toMatchObject({
    updated: 2,
    notices: [],
  })
  await expect(importText(text, { noHeader: ['domain', 'nmae'] })).rejects.toThrow('--no-header names "nmae"')
  await expect(importText(text, { noHeader: ['domain', '', '', 'name'] })).rejects.toThrow(
    'names 4 columns, and the rows have 3',
  )
  await expect(importText(text, { noHeader: ['name', ''] })).rejects.toThrow('lacks "domain"')
  await expect(importText(text, { noHeader: ['domain', 'domain'] })).rejects.toThrow('has "domain" twice')
})

test('short rows are at fault, or filled with empty cells; long ones stay at fault', async () => {
  const text = 'domain,name,country\na.example\nb.example,Bee\nc.example,Cee,DE,more\nd.example,Dee,FR\n'
  const refused = await importText(text)
  expect(refused).toMatchObject({ inserted: 1, rejected: 3 })
  expect(refused.problems[0]!.hint).toContain('--short-rows fill')
  const filled = await importText(text, { shortRows: 'fill' })
  expect(filled).toMatchObject({ inserted: 2, unchanged: 1, rejected: 1 })
  expect(filled.problems[0]!.line).toBe(4)
  expect(await documentOf('b.example')).toMatchObject({ name: 'Bee', country: null })
})

test('a row with nothing below the header, and something behind it, is not taken for a blank one', async () => {
  const result = await importText('domain,name\na.example,A\n,,x\n,,\n,\n')
  expect(result).toMatchObject({ read: 2, inserted: 1, rejected: 1, problems: [{ line: 3 }] })
})

test('the same holds for stores with contacts, and for a thread that reads', async () => {
  const text = 'export\nDomain,Company,First name,Title\na.example,Aye\nb.example,Bee,Bea\n'
  const file = await catalogue.write('both.csv', text)
  const options = { file, extendTaxonomy: false, headerRow: 2, shortRows: 'fill' } as const
  const { stores, contacts } = await importStoresAndContacts(catalogue.context, options)
  expect(stores).toMatchObject({ inserted: 2, rejected: 0 })
  expect(contacts).toMatchObject({ read: 1, inserted: 1 })

  await catalogue.db.query('truncate stores, store_domains, contacts')
  const startReading = readInThread(threadProgram('reading-thread'), { leastBytes: 0, leastProcessors: 1 })
  const rows = 'c.example,Cée\nd.example\n'
  const threaded = await importStores(
    { ...catalogue.context, startReading },
    {
      file: await catalogue.write('thread.csv', rows),
      extendTaxonomy: false,
      noHeader: ['domain', 'name'],
      shortRows: 'fill',
      dryRun: true,
    },
  )
  expect(threaded).toMatchObject({ read: 2, inserted: 2, decoded: { line: 1, value: 'Cée' } })
})

test.each([
  ['empty', '', 'the file is empty'],
  ['blank', '\n  \n\n', 'the file is empty'],
  ['a header', 'domain,name\n', 'the file has a header and no rows'],
  ['a header and blank rows', 'domain,name\n,\n,\n\n', 'the file has a header and no rows'],
])('a file of no records says so: %s', async (_title, text, hint) => {
  const notice = { field: 'record', reason: 'no records were found', hint }
  expect(await importText(text)).toMatchObject({ read: 0, rejected: 0, notices: [notice] })
  for (const json of text.includes('domain') ? [] : [text, '[]'])
    expect(
      await importStores(catalogue.context, { file: await catalogue.write('none.json', json), extendTaxonomy: false }),
    ).toMatchObject({ read: 0, notices: [{ ...notice, hint: 'the file is empty' }] })
})
