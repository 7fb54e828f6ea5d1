import { readFile, stat } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { importContacts } from '../../../../src/catalogue/imports/contacts/import-contacts.ts'
import { importFile } from '../../../../src/catalogue/imports/records/import-file.ts'
import { RejectsFile } from '../../../../src/catalogue/imports/records/rejects.ts'
import { csvRejects } from '../../../../src/catalogue/imports/records/rejects-formats.ts'
import { importStores, storeImportKind } from '../../../../src/catalogue/imports/stores/import-stores.ts'
import { importSuppressions } from '../../../../src/catalogue/imports/suppressions/import-suppressions.ts'
import { systemClock } from '../../../../src/foundation/kernel/time.ts'
import { openTestCatalogue, type TestCatalogue } from '../support/test-catalogue.ts'

let catalogue: TestCatalogue
beforeAll(async () => {
  catalogue = await openTestCatalogue()
})

const options = { extendTaxonomy: false }
const megabyte = 1_000_000

/** Files of which no record can be taken, and whose rejects could be many times as long. */
const hostile: [title: string, name: string, text: string][] = [
  ['short rows under the widest header', 'wide.csv', `domain${','.repeat(999)}\n${'x\n'.repeat(20_000)}`],
  ['rows of one letter', 'letters.csv', `domain,name\n${'x\n'.repeat(100_000)}`],
  ['rows with a quote that is never closed', 'quotes.csv', `domain,name\n${'"x\n'.repeat(50_000)}`],
  ['rows with far too many cells', 'long.csv', `domain,name\n${`x${','.repeat(500)}\n`.repeat(2_000)}`],
  ['lines that are no JSON', 'letters.ndjson', 'x\n'.repeat(100_000)],
  [
    'lists of unknown values',
    'lists.ndjson',
    `{"domain":"a.example","technologies":{"apps":[${Array(500).fill('"x"').join()}]}}\n`.repeat(300),
  ],
  ['characters that JSON writes as six', 'controls.ndjson', `${'\u0001'.repeat(10_000)}\n`.repeat(100)],
]

test.each(hostile)(
  'the rejects of %s take at most twice the file and 1 MB, and all are counted',
  async (_title, name, text) => {
    const file = await catalogue.write(name, text)
    const result = await importFile(catalogue.context, storeImportKind, { ...options, file, dryRun: true })
    expect(result.rejected).toBe(result.read)
    expect(result.read).toBeGreaterThan(99)
    const rejects = await readFile(result.rejects_file!, 'utf8')
    expect(Buffer.byteLength(rejects)).toBeLessThan(2 * text.length + megabyte + 1_000)
    const written = rejects.trimEnd().split('\n').length - (name.endsWith('.csv') ? 1 : 0)
    const rest = /([\d,]+) more rejected records are not in this file/.exec(rejects)?.[1]
    if (rest === undefined) expect(written).toBe(result.rejected)
    else expect(written - 1 + Number(rest.replaceAll(',', ''))).toBe(result.rejected)
  },
)

test('a row that is too short is written as it was found, behind its line and reason', async () => {
  const file = await catalogue.write(
    'short.csv',
    'domain,name,country,category\nshort.example,Short\nlong.example,a,DE,,,x\n',
  )
  const result = await importStores(catalogue.context, { ...options, file })
  const [header, short, long] = (await readFile(result.rejects_file!, 'utf8')).split('\r\n')
  expect(header).toBe('\ufeff_line,_reasons,domain,name,country,category')
  expect(short).toBe('2,the wrong number of cells: 2 under a header of 4,short.example,Short')
  // All of its cells but the key, which may stand in another column.
  expect(long).toMatch(/^3,"the wrong number of cells: 6 under .*",,a,DE,,,x$/)
  const again = await importStores(catalogue.context, { ...options, file: result.rejects_file! })
  expect(again).toMatchObject({ read: 2, rejected: 2 })
})

const bomb = gzipSync(`domain\n${'x\n'.repeat(megabyte)}`)
const jsonBomb = gzipSync('{}\n'.repeat(megabyte))
const context = () => ({ ...catalogue.context, seals: catalogue.context.seals })

test.each([
  ['stores', 'bomb.csv.gz', bomb, (file: string) => importStores(context(), { ...options, file })],
  ['contacts', 'bomb.ndjson.gz', jsonBomb, (file: string) => importContacts(context(), { ...options, file })],
  ['a check', 'check.csv.gz', bomb, (file: string) => importStores(context(), { ...options, file, dryRun: true })],
  ['suppressions', 'bomb.txt.gz', bomb, (file: string) => importSuppressions(context(), { file })],
])('a small file that holds two hundred times its size is refused: %s', async (_title, name, content, run) => {
  const file = await catalogue.write(name, content)
  await expect(run(file)).rejects.toThrow(
    `it holds more than 200 times its ${content.length.toLocaleString('en')} bytes`,
  )
  for (const ending of ['csv', 'ndjson']) {
    const rejects = await stat(`${file}.rejects.${ending}`).catch(() => null)
    expect(rejects?.size ?? 0).toBeLessThan(5 * megabyte)
  }
})

test('a compressed file holds at most what the setting allows', async () => {
  const rows = Array.from({ length: 40_000 }, (_, index) => `shop-${index}.example,Shop ${(index * 7919) % 100_003}`)
  const file = await catalogue.write('large.csv.gz', gzipSync(`domain,name\n${rows.join('\n')}`))
  const limited = { ...catalogue.context, config: { importMaxUnpackedMb: 1 } }
  await expect(importStores(limited, { ...options, file, dryRun: true })).rejects.toThrow(
    'it holds more than 1 MB, which IMPORT_MAX_UNPACKED_MB allows',
  )
  const { read } = await importStores(catalogue.context, { ...options, file, dryRun: true })
  expect(read).toBe(40_000)
})

test('rejects are not written onto a disk without room for them', async () => {
  const path = `${catalogue.folder}/full.rejects.csv`
  let free = 1_000
  const rejects = await RejectsFile.begin(path, csvRejects(['domain'], ','), systemClock, async () => free)
  await rejects.write([{ line: 2, reason: 'x', original: ['a'] }], 10)
  free = 3
  await expect(rejects.write([{ line: 3, reason: 'x', original: ['b'] }], 10)).rejects.toThrow(
    `${path}: the disk is full: rejected records need 7 bytes more, and 3 are free`,
  )
  await rejects.close()
  expect(await readFile(path, 'utf8')).toBe('\ufeff_line,_reasons,domain\r\n2,x,a\r\n')
})
