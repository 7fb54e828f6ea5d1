import { beforeAll, expect, test } from 'vitest'
import { columnsOfKind } from '../../../../src/product/exports/format/columns.ts'
import { createExportFormat } from '../../../../src/product/exports/format/export-format.ts'
import { aurora } from '../../../support/fixtures.ts'
import { openTestCatalogue, type TestCatalogue } from '../support/test-catalogue.ts'

let source: TestCatalogue
let copy: TestCatalogue
beforeAll(async () => {
  ;[source, copy] = await Promise.all([openTestCatalogue(), openTestCatalogue()])
  await source.importStores([aurora, { domain: 'bare.example' }])
})

test.each(['csv', 'ndjson'] as const)('stores of POST /exports as %s import as the same stores', async (format) => {
  await copy.db.query('truncate stores, store_domains')
  const file = createExportFormat({ kind: 'stores', format })
  const documents = (await source.rows()).map(({ document }) => document)
  const text = file.header() + file.rows(documents.map((document) => JSON.stringify(document)))
  expect(await copy.importStoresFile(`stores.${format}`, text)).toMatchObject({ inserted: 2, rejected: 0 })
  const withoutId = ({ id: _, ...document }: (typeof documents)[number]) => document
  expect((await copy.rows()).map(({ document }) => withoutId(document))).toEqual(documents.map(withoutId))
})

test.each(['contacts', 'previews'] as const)(
  '%s of POST /exports are refused, with what to take instead',
  async (kind) => {
    const header = columnsOfKind[kind].map(({ name }) => name).join()
    await expect(source.importContactsFile('people.csv', `${header}\n`)).rejects.toThrow(
      'This is a file for customers, of POST /exports: "storedex export contacts" writes what an import takes.',
    )
  },
)

test('nor is an id of this service one of the operator', async () => {
  const person = { store_domain: 'bare.example', full_name: 'Mara Vogt' }
  const given = await source.importContacts([{ ...person, external_id: 'ct_live_PqLmXzTbVnRwKdHc' }])
  expect(given).toMatchObject({
    rejected: 1,
    problems: [{ field: 'external_id', reason: 'is an id of this service, not one of yours' }],
  })
  expect(await source.importContacts([{ ...person, external_id: 'ct_live_1' }])).toMatchObject({ inserted: 1 })
})

test('columns of other files are not ignored for their names', async () => {
  await expect(source.importStoresFile('other.csv', 'domain,id\na.example,7\n')).rejects.toThrow('"id"')
})
