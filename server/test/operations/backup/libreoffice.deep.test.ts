import { readFile } from 'node:fs/promises'
import { Writable } from 'node:stream'
import { beforeAll, expect } from 'vitest'
import { convertWorkbook, testWithLibreOffice } from '../../../../packages/workbook/test/support/libreoffice.ts'
import { importContacts } from '../../../src/catalogue/imports/contacts/import-contacts.ts'
import { importStores } from '../../../src/catalogue/imports/stores/import-stores.ts'
import { exportRecords } from '../../../src/operations/backup/records/export-records.ts'
import { readStoredPeople } from '../../catalogue/imports/support/stored-people.ts'
import {
  comparableContent,
  openTestCatalogue,
  type TestCatalogue,
} from '../../catalogue/imports/support/test-catalogue.ts'
import { generateContacts } from '../../support/records/contact-records.ts'
import { generateStores } from '../../support/records/store-records.ts'

let catalogue: TestCatalogue
beforeAll(async () => {
  catalogue = await openTestCatalogue()
})

const stdout = new Writable({ write: (_chunk, _encoding, done) => done() })

testWithLibreOffice(
  'what is exported as a workbook and saved again by LibreOffice is imported to the same records',
  async () => {
    const { db, context } = catalogue
    await catalogue.importStores([...generateStores(400, 7)])
    await catalogue.importContacts([...generateContacts(generateStores(400, 7), 1.5)])
    const contentOf = async () => ({
      stores: await comparableContent(db),
      people: (await readStoredPeople(catalogue)).map(({ domain, facts }) => ({ domain, facts })),
    })
    const before = await contentOf()
    const files: Record<string, string> = {}
    for (const kind of ['stores', 'contacts'] as const) {
      const file = `${catalogue.folder}/${kind}.xlsx`
      await exportRecords({ db, seals: context.seals, clock: context.clock }, { kind, file, format: 'xlsx', stdout })
      const saved = await convertWorkbook(await readFile(file), 'xlsx')
      files[kind] = await catalogue.write(`${kind}-saved.xlsx`, saved.get('book.xlsx')!)
    }
    const again = await importStores(context, { file: files.stores!, extendTaxonomy: false })
    expect(again).toMatchObject({ read: 400, unchanged: 400 })
    await db.query('truncate stores, store_domains, contacts')
    await importStores(context, { file: files.stores!, extendTaxonomy: false })
    await importContacts(context, { file: files.contacts!, extendTaxonomy: false })
    const after = await contentOf()
    expect(after.stores.length).toBe(400)
    expect(after).toEqual(before)
  },
)
