import { readFile } from 'node:fs/promises'
import { bookCell, buildBook, buildSheet, readPlainSheet, type TestSheet } from '@storedex/testkit/workbooks'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { importContacts } from '../../../../src/catalogue/imports/contacts/import-contacts.ts'
import type { ImportOptions } from '../../../../src/catalogue/imports/records/import-file.ts'
import { inspectFile } from '../../../../src/catalogue/imports/records/inspect-file.ts'
import { importStores, storeImportKind } from '../../../../src/catalogue/imports/stores/import-stores.ts'
import { loadTaxonomy } from '../../../../src/search/taxonomy/taxonomy.ts'
import { openTestCatalogue, type TestCatalogue } from '../support/test-catalogue.ts'

let catalogue: TestCatalogue
beforeAll(async () => {
  catalogue = await openTestCatalogue()
})
beforeEach(async () => {
  await catalogue.db.query('truncate stores, store_domains, contacts')
})

const importBook = async (content: Buffer, options: Partial<ImportOptions> = {}, name = 'shops.xlsx') =>
  importStores(catalogue.context, { file: await catalogue.write(name, content), extendTaxonomy: false, ...options })

const shops = (...hosts: string[]): TestSheet['rows'] => [
  ['domain', 'name'],
  ...hosts.map((host) => [host, `Shop ${host}`]),
]
const domains = async () => (await catalogue.rows()).map(({ document }) => document.domain).sort()

test('a workbook is known by its content, whatever its name says, and so is CSV under the name of a workbook', async () => {
  expect(await importBook(buildSheet(shops('a.example')), {}, 'shops.csv')).toMatchObject({
    format: 'xlsx',
    inserted: 1,
  })
  expect(await importBook(buildSheet(shops('b.example')), {}, 'download')).toMatchObject({
    format: 'xlsx',
    inserted: 1,
  })
  const csv = Buffer.from('domain,name\nc.example,C\n')
  expect(await importBook(csv, {}, 'shops.xlsx')).toMatchObject({ format: 'csv', inserted: 1, sheet: null })
  const macros = buildSheet(shops('d.example'), { hasMacros: true })
  expect(await importBook(macros, {}, 'shops.xlsm')).toMatchObject({ format: 'xlsx', inserted: 1, sheet: 'Sheet1' })
})

const several = buildBook({
  sheets: [
    { name: 'Notes', rows: [] },
    { name: 'Shops', rows: shops('a.example', 'b.example') },
    { name: 'Old shops', rows: shops('c.example'), state: 'hidden' },
  ],
})

test('the only sheet that is shown and has rows is read', async () => {
  expect(await importBook(several)).toMatchObject({ sheet: 'Shops', inserted: 2, encoding: null, delimiter: null })
})

test('a sheet is chosen by its name, in any case, or by its number, also a hidden one', async () => {
  expect(await importBook(several, { sheet: 'old SHOPS' })).toMatchObject({ sheet: 'Old shops', inserted: 1 })
  expect(await importBook(several, { sheet: '2' })).toMatchObject({ sheet: 'Shops', inserted: 2 })
  await expect(importBook(several, { sheet: 'Customers' })).rejects.toThrow(
    'it has no sheet "Customers". Its sheets are "Notes", "Shops", "Old shops".',
  )
})

test('of several sheets with rows none is guessed: the refusal lists them with their rows', async () => {
  const two = buildBook({
    sheets: [
      { name: 'Shops', rows: shops('a.example', 'b.example') },
      { name: 'People', rows: [['email'], ['mara@a.example']] },
    ],
  })
  await expect(importBook(two)).rejects.toThrow(
    'several of its sheets have rows: "Shops" (3 rows), "People" (2 rows). Say which to read: --sheet NAME or NUMBER.',
  )
  const hidden = buildBook({ sheets: [{ name: 'Shops', rows: shops('a.example'), state: 'veryHidden' }] })
  await expect(importBook(hidden)).rejects.toThrow('its rows are on a hidden sheet: "Shops" (2 rows, hidden)')
  expect(await domains()).toEqual([])
})

test('progress is that of the rows, from the beginning of the file to its end', async () => {
  const hosts = Array.from({ length: 9_000 }, (_, index) => `shop-${(index * 7_919) % 100_003}.example`)
  const told: { bytesRead: number; bytesTotal: number | null }[] = []
  await importBook(buildSheet(shops(...hosts)), { dryRun: true, onProgress: (progress) => told.push(progress) })
  const shares = told.map(({ bytesRead, bytesTotal }) => bytesRead / bytesTotal!)
  expect(shares.length).toBeGreaterThan(3)
  expect(shares[0]).toBeLessThan(shares.at(-1)!)
  expect(shares.at(-1)).toBeGreaterThan(0.9)
  expect(Math.max(...shares)).toBeLessThanOrEqual(1)
})

test('options of CSV are refused for a workbook, and a sheet for CSV', async () => {
  await expect(importBook(several, { delimiter: ';' })).rejects.toThrow('--delimiter and --encoding are for CSV')
  await expect(importBook(Buffer.from('domain\na.example\n'), { sheet: '1' }, 'shops.csv')).rejects.toThrow(
    '--sheet is for workbooks, and this is CSV',
  )
})

test('lines above the header: the sentence says which line looks like it, and --header-row takes it', async () => {
  const rows = [['Our shops, November'], [], ['domain', 'name', 'active_ads'], ['a.example', 'A', 3]]
  await expect(importBook(buildSheet(rows))).rejects.toThrow(
    'line 1 is no header, and line 3 looks like one: --header-row 3 takes it.',
  )
  expect(await importBook(buildSheet(rows), { headerRow: 3 })).toMatchObject({ read: 1, inserted: 1 })
})

test('hidden rows and columns are read, and the report says how many', async () => {
  const rows = [
    { cells: ['domain', 'name', 'active_ads'] },
    { cells: ['a.example', 'A', 1] },
    { cells: ['b.example', 'B', 2], isHidden: true },
    { cells: ['c.example', 'C', 3], isHidden: true },
  ]
  const content = buildBook({ sheets: [{ rows, hiddenColumns: [3], filter: 'A1:C4' }] })
  const { inserted, notices } = await importBook(content)
  expect(inserted).toBe(3)
  expect(notices).toMatchObject([
    { field: 'record', reason: 'its row is hidden or filtered out in the workbook, and is read', count: 2, line: 3 },
    { field: 'active_ads', reason: 'its column is hidden in the workbook, and is read', count: 1 },
  ])
})

test('a merged cell counts once, and what lies under it is not read', async () => {
  const rows = [
    ['domain', 'name', 'active_ads'],
    ['a.example', 'A', 1],
    ['b.example', 'under', 2],
    ['c.example', 'C', 99],
  ]
  const { inserted } = await importBook(buildBook({ sheets: [{ rows, merges: ['B2:B3', 'B4:C4'] }] }))
  expect(inserted).toBe(3)
  const named = (await catalogue.rows()).map(({ document: { domain, name }, active_ads }) => [domain, name, active_ads])
  expect(named.sort()).toEqual([
    ['a.example', 'A', 1],
    ['b.example', 'b.example', 2],
    ['c.example', 'C', null],
  ])
})

test('a formula that was never calculated and a number of more than 15 digits are faults, with what helps', async () => {
  await catalogue.importStores([{ domain: 'a.example', country: 'DE' }])
  const rows = [
    ['store_domain', 'external_id', 'full_name'],
    ['a.example', bookCell.number('1234567890123456'), 'Mara'],
    ['a.example', bookCell.number('123456789012345'), 'Jonas'],
    ['a.example', '3', bookCell.formula('A1&B1')],
  ]
  const file = await catalogue.write('people.xlsx', buildSheet(rows))
  const { inserted, problems } = await importContacts(catalogue.context, { file, extendTaxonomy: false })
  expect(inserted).toBe(1)
  expect(problems).toMatchObject([
    { field: 'external_id', reason: 'has more than 15 digits, and a workbook keeps only 15 of a number', line: 2 },
    { field: 'full_name', reason: 'is a formula whose value is not in the workbook', line: 4 },
  ])
  expect(problems[1]!.hint).toBe('open the workbook, save it, and import it again')
})

test('rejects of a workbook are one, with its columns, and go in again once they are mended', async () => {
  const rows = [
    ['domain', 'name', 'lead_fit_score', 'first_discovered_at'],
    ['a.example', 'A', 71.5, bookCell.date('2021-03-12')],
    ['no host', '=1+1', 1.234, bookCell.date('2020-02-29')],
  ]
  const first = await importBook(buildSheet(rows))
  expect(first).toMatchObject({ inserted: 1, rejected: 1 })
  expect(first.rejects_file).toMatch(/shops\.xlsx\.rejects\.xlsx$/)
  const rejects = await readFile(first.rejects_file!)
  const [header, row] = readPlainSheet(rejects)
  expect(header).toEqual(['_line', '_reasons', 'domain', 'name', 'lead_fit_score', 'first_discovered_at'])
  expect(row!.slice(0, 5)).toEqual(['3', expect.stringContaining('domain: '), 'no host', '=1+1', '1.234'])
  expect(await importBook(rejects, {}, 'again.xlsx')).toMatchObject({ read: 1, rejected: 1 })

  const mended = [header!, ['3', row![1]!, 'b.example', 'B', 1.234, bookCell.date('2020-02-29')]]
  expect(await importBook(buildSheet(mended), {}, 'mended.xlsx')).toMatchObject({ read: 1, inserted: 1 })
  const { document, first_discovered_at } = (await catalogue.store('b.example'))!
  expect([document.lead_fit_score, first_discovered_at]).toEqual([1.234, new Date('2020-02-29T00:00:00Z')])
})

test('a preview asks which sheet, and shows the cells of the one that is named as a person sees them', async () => {
  const file = await catalogue.write(
    'two.xlsx',
    buildBook({
      sheets: [
        {
          name: 'Shops',
          rows: [
            ['domain', 'lead_fit_score'],
            ['a.example', bookCell.number('0.715', '0.0%')],
          ],
        },
        { name: 'More', rows: shops('b.example') },
      ],
    }),
  )
  const context = { vocabulary: (await loadTaxonomy(catalogue.db)).vocabulary, seals: catalogue.context.seals }
  const asked = await inspectFile(context, storeImportKind, file, {})
  expect(asked).toMatchObject({ format: 'xlsx', sheet: null, columns: [], rows: [] })
  expect(asked.sheets).toEqual([
    { name: 'Shops', rows: 2, is_hidden: false },
    { name: 'More', rows: 2, is_hidden: false },
  ])
  const shown = await inspectFile(context, storeImportKind, file, { sheet: 'Shops' })
  expect(shown).toMatchObject({ format: 'xlsx', sheet: 'Shops', problems: [] })
  expect(shown.rows[0]).toMatchObject({ line: 2, cells: ['a.example', '71.5'], faults: [] })
})
