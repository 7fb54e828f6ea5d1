import { mkdir, readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { importStores } from '../../../../src/catalogue/imports/stores/import-stores.ts'
import { OperatorError } from '../../../../src/foundation/kernel/errors.ts'
import { aurora } from '../../../support/fixtures.ts'
import { comparableContent, openTestCatalogue, type TestCatalogue } from '../support/test-catalogue.ts'

let catalogue: TestCatalogue
beforeAll(async () => {
  catalogue = await openTestCatalogue()
})
beforeEach(async () => {
  await catalogue.db.query('truncate stores, store_domains')
})

const csvHeader = [
  'domain',
  'name',
  'aliases',
  'category',
  'country',
  'traffic_tier',
  'revenue_tier',
  'platform_plus',
  'lead_fit_score',
  'store_created_at.estimate',
  'store_created_at.resolution',
  'store_created_at.source',
  'store_created_at.confidence',
  'first_discovered_at',
  'active_ads',
  'technologies.apps',
  'technologies.pixels',
  'technologies.theme.name',
  'technologies.theme.type',
].join(',')

const domains = async () => (await catalogue.rows()).map((row) => row.document.domain).sort()

async function refusal(file: string): Promise<string> {
  const error = await importStores(catalogue.context, { file, extendTaxonomy: false }).catch((error: Error) => error)
  expect(error).toBeInstanceOf(OperatorError)
  return (error as Error).message
}

test('the same stores as NDJSON and as CSV, compressed or not, give the same catalogue', async () => {
  const other = {
    domain: 'second.example',
    name: 'Comma, "quote" and line',
    aliases: ['a.second.example', 'b.second.example'],
    platform_plus: true,
    technologies: { apps: ['klaviyo', 'loox'] },
  }
  const ndjson = `${JSON.stringify(aurora)}\n${JSON.stringify(other)}\n`
  const csv = [
    csvHeader,
    'aurora-candles.example,Aurora Candles,aurora-candles.myshopify.com,home_garden,DE,10k_50k,50k_100k,false,71.5,' +
      '2019-03-01T00:00:00Z,month,first_product,medium,2021-06-11T08:00:00Z,12,klaviyo,meta_pixel,Dawn,free',
    'second.example,"Comma, ""quote""\r\nand line",a.second.example|b.second.example,,,,,true,,,,,,,,klaviyo|loox,,,',
  ].join('\r\n')
  const contents: object[][] = []
  for (const [name, content] of [
    ['a.ndjson', ndjson],
    ['a.jsonl', ndjson],
    ['a.JSON', ndjson],
    ['a.ndjson.gz', ndjson],
    ['a.csv', csv],
    ['a.CSV.gz', gzipSync(csv)],
  ] as const) {
    await catalogue.db.query('truncate stores, store_domains')
    expect(await catalogue.importStoresFile(name, content)).toMatchObject({ read: 2, inserted: 2, rejected: 0 })
    contents.push(await comparableContent(catalogue.db))
  }
  for (const content of contents) expect(content).toEqual(contents[0])
})

test('an empty cell is missing, null is null, and a cell of the wrong type is rejected', async () => {
  await catalogue.importStores([{ ...aurora, aliases: ['x.example'] }])
  const header = 'domain,name,lead_fit_score,platform_plus,technologies.apps,store_created_at,active_ads'
  await catalogue.importStoresFile('patch.csv', `${header}\naurora-candles.example,,null,,null,null,7\n`)
  const row = (await catalogue.store('aurora-candles.example'))!
  expect(row).toMatchObject({ active_ads: 7, aliases: ['x.example'] })
  expect(row.document).toMatchObject({
    name: 'Aurora Candles',
    lead_fit_score: null,
    store_created_at: null,
    technologies: { apps: [], pixels: ['meta_pixel'] },
  })
  const rows = ['01', '0x10', 'NaN', '1_000', '1e3'].map((score) => `a.example,,${score},,,,`)
  const result = await catalogue.importStoresFile(
    'types.csv',
    [header, ...rows, 'a.example,,,perhaps,,,', 'a.example,,,,,2019,'].join('\n'),
  )
  expect((await catalogue.rejectsOf(result)).map(({ line, reason }) => `${line} ${reason}`)).toEqual([
    '2 lead_fit_score: "01" is not a number',
    '3 lead_fit_score: "0x10" is not a number',
    '4 lead_fit_score: "NaN" is not a number',
    '5 lead_fit_score: "1_000" is not a number',
    '7 platform_plus: "perhaps" is neither yes nor no',
    '8 store_created_at: must be an object or null',
  ])
  expect((await catalogue.store('a.example'))!.document.lead_fit_score).toBe(1000)
})

test('a malformed CSV row is rejected with the line it starts on, and the other rows are imported', async () => {
  const csv = [
    'domain,name',
    'one.example,One',
    'two.example,"never closed',
    'three.example,"Three"',
    'four.example,"closed" badly',
    'five.example, "blank before"',
    'six.example',
    'seven.example,Seven,more',
    '',
    'eight.example,"several',
    '',
    'lines"',
    'nine.example,Nine',
    'ten.example,"left open at the end',
    'eleven.example,Eleven',
  ]
  const result = await catalogue.importStoresFile('rows.csv', csv.join('\n'))
  expect(result).toMatchObject({ read: 11, inserted: 5, rejected: 6 })
  const rejects = await catalogue.rejectsOf(result)
  expect(rejects.map(({ line, reason }) => `${line} ${reason}`)).toEqual([
    '3 malformed: text after a closing quote: two.example,"never closed',
    '5 malformed: text after a closing quote: four.example,"closed" badly',
    '6 malformed: a blank before an opening quote: five.example, "blank before"',
    '7 the wrong number of cells: 1 under a header of 2',
    '8 the wrong number of cells: 3 under a header of 2: seven.example,Seven,more',
    '14 malformed: a quote is never closed: ten.example,"left open at the end',
  ])
  // The reason does not repeat a row that stands beside it as it was found.
  expect(rejects.find(({ line }) => line === 7)!.record).toEqual({ domain: 'six.example' })
  // Until they are mended, they are rejected again: a shifted or shortened row must not go in.
  const again = await importStores(catalogue.context, { file: result.rejects_file!, extendTaxonomy: false })
  const cause = { field: 'record', reason: 'the wrong number of cells' }
  expect(again).toMatchObject({ read: 6, rejected: 6, problems: [cause] })
  expect(await domains()).toEqual(['eight.example', 'eleven.example', 'nine.example', 'one.example', 'three.example'])
  expect((await catalogue.store('eight.example'))!.document.name).toBe('several lines')
})

test('an invalid CSV header fails the import before anything is written', async () => {
  const headers = {
    'name,country': 'lacks "domain"',
    'domain,colour': 'One column is no field of a store: "colour"',
    'domain,name,name': 'has "name" twice',
    'domain,technologies.theme.size': '"technologies.theme.size" (nearest: technologies.theme',
    'domain,aliases.0': '"aliases.0" (nearest: aliases',
    'domain,__proto__': '"__proto__"',
    'domain,"name': 'a quote is never closed',
  }
  for (const [header, reason] of Object.entries(headers)) {
    const file = await catalogue.write('header.csv', `${header}\nx.example,y,z\n`)
    expect(await refusal(file)).toContain(reason)
  }
  expect(await domains()).toEqual([])
})

test('an empty file imports nothing', async () => {
  for (const name of ['empty.ndjson', 'empty.csv'])
    expect(await catalogue.importStoresFile(name, '')).toMatchObject({
      read: 0,
      inserted: 0,
      rejected: 0,
      rejects_file: null,
    })
})

test('a byte order mark, CRLF, blank lines and a missing last line break are accepted', async () => {
  const result = await catalogue.importStoresFile(
    'lines.ndjson',
    '\ufeff{"domain":"a.example"}\r\n\r\n  \t\n{"domain":"b.example"}\r\n\n{"domain":"c.example"',
  )
  expect(result).toMatchObject({ read: 3, inserted: 2, rejected: 1 })
  expect((await catalogue.rejectsOf(result))[0]).toMatchObject({ line: 6, reason: 'not valid JSON' })
  expect(await catalogue.importStoresFile('bom.csv', '\ufeffdomain,name\r\na.example,A\r\n')).toMatchObject({
    updated: 1,
  })
})

test('lines over 1 MB and invalid UTF-8 are rejected, and the import continues', async () => {
  for (const [name, reason, line] of [
    ['long.ndjson', 'not valid UTF-8', (text: string) => `{"domain":"x.example","name":"${text}"}`],
    ['long.csv', 'name: not valid UTF-8', (text: string) => `x.example,${text}`],
  ] as const) {
    await catalogue.db.query('truncate stores, store_domains')
    const long = Buffer.from(line('x'.repeat(3_000_000)))
    const broken = Buffer.from(line('ÿÿ'), 'latin1')
    const lines = [long, broken, line('Gööd').replace('x.example', 'good.example')]
    const content = Buffer.concat(lines.flatMap((part) => [Buffer.from(part), Buffer.from('\n')]))
    const header = name.endsWith('csv') ? 'domain,name\n' : ''
    const result = await catalogue.importStoresFile(name, Buffer.concat([Buffer.from(header), content]))
    expect(result).toMatchObject({ read: 3, inserted: 1, rejected: 2 })
    const rejects = await catalogue.rejectsOf(result)
    expect(rejects.map((reject) => reject.reason.slice(0, 60))).toEqual([
      expect.stringMatching(/^longer than 1 MB/),
      reason,
    ])
    expect(JSON.stringify(rejects[0]!.record).length).toBeLessThan(3_000)
    expect(await domains()).toEqual(['good.example'])
  }
})

test('a file that cannot be read fails the import with one sentence', async () => {
  await mkdir(`${catalogue.folder}/folder.ndjson`)
  expect(await refusal(`${catalogue.folder}/missing.ndjson`)).toMatch(/missing\.ndjson: no such file\.$/)
  expect(await refusal(`${catalogue.folder}/folder.ndjson`)).toMatch(/is a folder/)
  expect(await refusal(await catalogue.write('stores.pdf', 'domain\n'))).toMatch(
    /\.xlsx, \.csv .*\.ndjson, \.jsonl or \.json/,
  )
  expect(await refusal('-')).toMatch(/no standard input/)
  const plain = await catalogue.write('plain.ndjson.gz', Buffer.from('{"domain":"a.example"}\n'))
  expect(await refusal(plain)).toMatch(/not a valid gzip file/)
})

test('a truncated gzip file imports the complete records and reports their number', async () => {
  const lines = Array.from(
    { length: 9_000 },
    (_, number) => `{"domain":"gz-${number}.example","name":"${Math.sin(number)}"}`,
  )
  const whole = gzipSync(lines.join('\n'))
  const file = await catalogue.write('cut.ndjson.gz', whole.subarray(0, whole.length * 0.9))
  const message = await refusal(file)
  const stored = (await catalogue.rows()).length
  expect(stored).toBeGreaterThan(0)
  expect(message).toMatch(
    /cut\.ndjson\.gz: the gzip file ends too early\. The \d+ records before that have been imported\.$/,
  )
  expect(message).toContain(` ${stored} records`)
  expect(await catalogue.importStoresFile('whole.ndjson.gz', whole)).toMatchObject({
    unchanged: stored,
    inserted: 9_000 - stored,
  })
})

test('standard input is read as NDJSON in blocks of any size, with the rejects file in the current folder', async () => {
  const bytes = Buffer.from(`{"domain":"ü.example","name":"Ümläut 🕯️"}\n{}\n{"domain":"b.example"}`)
  const pieces = Array.from({ length: Math.ceil(bytes.length / 3) }, (_, i) => bytes.subarray(i * 3, i * 3 + 3))
  const before = process.cwd()
  process.chdir(catalogue.folder)
  try {
    const result = await importStores(catalogue.context, {
      file: '-',
      stdin: Readable.from(pieces),
      extendTaxonomy: false,
    })
    expect(result).toMatchObject({ read: 3, inserted: 2, rejected: 1 })
    expect(result.rejects_file).toMatch(/\/storedex-rejects-20261101T120000Z\.ndjson$/)
    expect(JSON.parse(await readFile(result.rejects_file!, 'utf8'))).toMatchObject({ line: 2 })
  } finally {
    process.chdir(before)
  }
  expect(await domains()).toEqual(['b.example', 'xn--tda.example'])
  expect((await catalogue.store('xn--tda.example'))!.document.name).toBe('Ümläut 🕯️')
})

test('progress reports records and bytes up to the end of the file', async () => {
  const content = Array.from({ length: 6_000 }, (_, number) => `{"domain":"p-${number}.example"}\n`).join('')
  const file = await catalogue.write('progress.ndjson', `${content}{}\n`)
  const seen: { read: number; bytesRead: number }[] = []
  await importStores(catalogue.context, {
    file,
    extendTaxonomy: false,
    onProgress: (progress) => seen.push({ ...progress }),
  })
  expect(seen.length).toBeGreaterThan(1)
  expect(seen.map((progress) => progress.read)).toEqual(seen.map((progress) => progress.read).sort((a, b) => a - b))
  const size = content.length + 3
  expect(seen.at(-1)).toEqual({ read: 6_001, rejected: 1, bytesRead: size, bytesTotal: size })
})
