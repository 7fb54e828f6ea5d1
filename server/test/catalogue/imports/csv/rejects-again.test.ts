import { readFile } from 'node:fs/promises'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { importStores } from '../../../../src/catalogue/imports/stores/import-stores.ts'
import { openTestCatalogue, type TestCatalogue } from '../support/test-catalogue.ts'

let catalogue: TestCatalogue
beforeAll(async () => {
  catalogue = await openTestCatalogue()
})

const pieces = ['a.example', 'b.example', ',', ',', ',', '"', '""', ';', '|', '\t', ' ', 'x', '\n', '\n', '\r\n']
const values = ['Germany', 'Deutschlnd', 'n/a', 'null', '=A1', '<b>', 'Größe', '\udcff', '_line', 'domain', '2']

/** A lone surrogate stands for a byte that is no UTF-8. */
function encode(text: string): Buffer {
  return Buffer.concat(
    text.split('\udcff').flatMap((part, index) => [Buffer.of(...(index ? [0xff] : [])), Buffer.from(part)]),
  )
}

async function importText(name: string, content: Buffer) {
  const file = await catalogue.write(name, content)
  const result = await importStores(catalogue.context, { file, extendTaxonomy: false })
  const { read, inserted, updated, unchanged, rejected } = result
  expect(inserted + updated + unchanged + rejected).toBe(read)
  return result
}

test('whatever stands in the rows of a CSV, each is counted once, and rejects that nobody mended are rejected again', async () => {
  const content = fc.array(fc.constantFrom(...pieces, ...values), { maxLength: 60 }).map((parts) => parts.join(''))
  await fc.assert(
    fc.asyncProperty(content, async (text) => {
      await catalogue.db.query('truncate stores, store_domains')
      const first = await importText('any.csv', encode(`domain,name,country\n${text}`))
      const stored = (await catalogue.rows()).map(({ document }) => document)
      expect(first.rejects_file === null).toBe(first.rejected === 0)
      if (first.rejects_file === null) return

      const rejects = await readFile(first.rejects_file)
      const again = await importText('again.csv', rejects)
      expect(again, `${JSON.stringify(text)} gave the rejects ${rejects}`).toMatchObject({
        read: first.rejected,
        rejected: first.rejected,
      })
      expect((await catalogue.rows()).map(({ document }) => document)).toEqual(stored)
    }),
    { numRuns: 100 },
  )
})
