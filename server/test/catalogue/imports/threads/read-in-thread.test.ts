import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { importContacts } from '../../../../src/catalogue/imports/contacts/import-contacts.ts'
import type { StartReading } from '../../../../src/catalogue/imports/records/chunk-reader.ts'
import { importStores } from '../../../../src/catalogue/imports/stores/import-stores.ts'
import { readInThread } from '../../../../src/catalogue/imports/threads/read-in-thread.ts'
import { threadProgram } from '../../../../src/program/serving/programs.ts'
import { generateContacts } from '../../../support/records/contact-records.ts'
import { generateStores } from '../../../support/records/store-records.ts'
import { comparableContent, openTestCatalogue, type TestCatalogue } from '../support/test-catalogue.ts'

const inThread = readInThread(threadProgram('reading-thread'), { leastBytes: 1, leastProcessors: 1 })

const stores = [...generateStores(5_000)]
const lines = (records: Iterable<object>) => [...records].map((record) => JSON.stringify(record))

/** Enough for three chunks. The second has records that the stored rows alone show to be at fault. */
const storeLines = lines(stores)
storeLines[2_500] = '{"domain":"fault.example","country":"Atlantis"}'
storeLines[2_600] = JSON.stringify({ domain: 'thief.example', aliases: [stores[0]!.domain] })
storeLines[2_700] = 'no record'

async function importBoth(catalogue: TestCatalogue, startReading: StartReading | null) {
  const context = { ...catalogue.context, ...(startReading && { startReading }) }
  const file = await catalogue.write('stores.ndjson', storeLines.join('\n'))
  const storesResult = await importStores(context, { file, extendTaxonomy: false })
  const contactLines = lines(generateContacts(stores, 1))
  contactLines[2_100] = '{"store_domain":"nobody.example","external_id":"x"}'
  const contactsFile = await catalogue.write('contacts.ndjson', contactLines.join('\n'))
  const contactsResult = await importContacts(context, { file: contactsFile, extendTaxonomy: false })
  const results = [storesResult, contactsResult]
  return {
    results: results.map(({ seconds: _, rejects_file: __, ...counts }) => counts),
    rejects: await Promise.all(results.map(({ rejects_file }) => readFile(rejects_file!, 'utf8'))),
    content: await comparableContent(catalogue.db),
  }
}

test('files read in a thread give the same catalogue, the same counts and the same rejects', async () => {
  const here = await importBoth(await openTestCatalogue(), null)
  let threads = 0
  const there = await importBoth(await openTestCatalogue(), (kind, request) => {
    threads++
    return inThread(kind, request)
  })
  expect(threads).toBe(2)
  expect(there).toEqual(here)
  expect(here.results[0]).toMatchObject({ read: 5_000, rejected: 3 })
})

test('a spreadsheet read in a thread keeps its cells in the rejects file', async () => {
  const catalogue = await openTestCatalogue()
  const rows = ['Website,Company,Aliases', 'one.example,One,', 'two.example,Two,one.example', 'three,Three,']
  const file = await catalogue.write('stores.csv', rows.join('\n'))
  const result = await importStores({ ...catalogue.context, startReading: inThread }, { file, extendTaxonomy: false })
  expect(result).toMatchObject({ read: 3, inserted: 1, rejected: 2, delimiter: ',' })
  expect((await catalogue.rejectsOf(result)).map(({ record }) => record)).toEqual([
    { Website: 'two.example', Company: 'Two', Aliases: 'one.example' },
    { Website: 'three', Company: 'Three', Aliases: '' },
  ])
})

test('a value that a chunk adds to the taxonomy is known to the chunks read after it', async () => {
  const catalogue = await openTestCatalogue()
  const records = stores.map(({ domain }, index) => ({
    domain,
    technologies: { apps: [index % 2 === 0 ? 'Brand_New' : 'brand_new'] },
  }))
  const file = await catalogue.write('apps.ndjson', lines(records).join('\n'))
  const result = await importStores({ ...catalogue.context, startReading: inThread }, { file, extendTaxonomy: true })
  expect(result).toMatchObject({ inserted: 5_000, rejected: 0 })
  const apps = new Set((await catalogue.rows()).flatMap(({ document }) => document.technologies.apps))
  expect(apps.size).toBe(1)
})

test('an import whose thread dies says so, and leaves whole records only', async () => {
  const catalogue = await openTestCatalogue()
  const dying = await catalogue.write('dying.mjs', 'process.exit(1)')
  const startReading = readInThread({ file: dying, execArgv: [] }, { leastBytes: 1, leastProcessors: 1 })
  const file = await catalogue.write('stores.ndjson', storeLines.join('\n'))
  await expect(importStores({ ...catalogue.context, startReading }, { file, extendTaxonomy: false })).rejects.toThrow(
    `${file}: the thread that reads the file ended unexpectedly.`,
  )
  expect(await catalogue.rows()).toEqual([])
})

test('a stopped import ends its thread after the current chunk', async () => {
  const catalogue = await openTestCatalogue()
  const stop = new AbortController()
  const file = await catalogue.write('stores.ndjson', storeLines.join('\n'))
  const result = await importStores(
    { ...catalogue.context, startReading: inThread },
    { file, extendTaxonomy: false, signal: stop.signal, onProgress: () => stop.abort() },
  )
  expect(result).toMatchObject({ stopped: true, read: 2_000, inserted: 2_000 })
})

test('small files and standard input are read in the calling thread', () => {
  const start = readInThread({ file: '/nowhere.mjs', execArgv: [] })
  const source = {
    name: 'x',
    blocks: (async function* () {})(),
    bytesRead: () => 0,
    close() {},
    format: 'json' as const,
    maxUnpackedMb: 1,
  }
  const request = { source: { ...source, file: 'x.ndjson', bytesTotal: 100 } } as unknown as Parameters<StartReading>[1]
  expect(start('stores', request)).toBe(null)
  expect(start('stores', { ...request, source: { ...source, file: null, bytesTotal: null } })).toBe(null)
})
