import { readdir } from 'node:fs/promises'
import { hostileFiles } from '@storedex/testkit/workbooks'
import { beforeAll, expect, test } from 'vitest'
import { OperatorError } from '../../../../src/foundation/kernel/errors.ts'
import { openTestCatalogue, type TestCatalogue } from '../support/test-catalogue.ts'

let catalogue: TestCatalogue
beforeAll(async () => {
  catalogue = await openTestCatalogue()
})

/** Odd, and read as what they show: nothing of them leads anywhere. */
const harmless = new Set([
  ...['an entry with a NUL in its name', 'an entry with a very long name', 'no relationships', 'missing styles'],
  ...['a merged range of everything', 'a merged range that is none', 'a style out of range', 'a number that is none'],
  ...['a date out of range', 'a very long number format', 'an empty file'],
])

const { archives, contents, otherFormats } = hostileFiles
const files = Object.entries({ ...archives, ...contents, ...otherFormats })

test.each(files)(
  '%s is refused in a sentence, or read as what it shows, and nothing else is written',
  async (title, build) => {
    const file = await catalogue.write('shops.xlsx', build())
    const before = await readdir(catalogue.folder)
    const outcome = await catalogue.importStoresFile('shops.xlsx', build()).catch((error: unknown) => error)
    if (harmless.has(title)) expect(outcome).toMatchObject({ format: expect.stringMatching(/xlsx|csv/) })
    else {
      expect(outcome).toBeInstanceOf(OperatorError)
      const { message } = outcome as Error
      expect(message.startsWith(file)).toBe(true)
      expect(message).toMatch(/\.$/)
      expect(message.length).toBeLessThan(1_000)
      expect((await catalogue.rows()).length).toBe(0)
      expect(await readdir(catalogue.folder)).toEqual(before)
    }
    await catalogue.db.query('truncate stores, store_domains')
  },
)

const sentences: [name: keyof typeof otherFormats | keyof typeof archives, sentence: string][] = [
  ['an encrypted workbook', 'it is an encrypted workbook. Open it, save it without a password'],
  ['an old .xls', 'it is an old Excel workbook (.xls). Open it, save it as .xlsx or as "CSV UTF-8"'],
  ['an old .xls without a container', 'it is an old Excel workbook (.xls). Open it, save it as .xlsx'],
  ['an .xlsb', 'it is a binary Excel workbook (.xlsb). Open it, save it as .xlsx'],
  ['an .ods', 'it is an OpenDocument file, such as .ods. Open it, save it as .xlsx'],
  ['a .numbers', 'it is a Numbers document. Open it, save it as .xlsx'],
  ['a page of HTML', 'it is a web page (HTML)'],
  ['a PDF', 'it is a PDF document'],
  ['an archive inside an archive', 'it is a ZIP archive with files in it. Unpack it'],
  ['an encrypted entry', 'it is encrypted. Open it, save it without a password'],
  ['a file cut in half', 'the workbook is damaged: it ends too early'],
]

test.each(sentences)('of %s the sentence says what it is and what to do', async (title, sentence) => {
  const build = { ...archives, ...otherFormats }[title]
  await expect(catalogue.importStoresFile('shops.xlsx', build())).rejects.toThrow(sentence)
})
