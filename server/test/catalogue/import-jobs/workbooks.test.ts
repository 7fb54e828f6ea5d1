import { buildBook, buildSheet, hostileFiles, readPlainSheet } from '@storedex/testkit/workbooks'
import { beforeAll, describe, expect, test } from 'vitest'
import type { TestApp } from '../../support/app.ts'
import type { Json, TestReply } from '../../support/client.ts'
import type { TestUser } from '../../support/user.ts'
import { countStores, run, startImportApp, upload } from './support/imports.ts'
import { mendBook, shopsBook, shopsSheet } from './support/shops-book.ts'

let app: TestApp
let operator: TestUser
beforeAll(async () => {
  ;({ app, operator } = await startImportApp())
})

const uploadBook = (text: Buffer, name = 'shops.xlsx') => upload(app.url, operator, { name, text })
const previewReply = (id: number, options: object = {}): Promise<TestReply> =>
  operator.post(`/operator/imports/${id}/preview`, { options })
const preview = async (id: number, options: object = {}): Promise<Json> => (await previewReply(id, options)).body
const cellsOf = ({ rows }: Json) => rows.map(({ cells }: Json) => cells)

async function downloadRejects(id: number) {
  const response = await fetch(`${app.url}/console/api/operator/imports/${id}/rejects/stores`, {
    headers: { cookie: operator.cookie },
  })
  return { headers: response.headers, content: Buffer.from(await response.arrayBuffer()) }
}

const noNumber = { map: { 'Shop no': '' } }

describe('a workbook with several sheets', () => {
  test('is asked about, with the rows of each sheet', async () => {
    const body = await preview(await uploadBook(shopsBook()))
    expect(body).toMatchObject({ object: 'import_preview', format: 'xlsx', sheet: null, columns: [], rows: [] })
    expect(body.sheets).toEqual([
      { name: 'Shops', rows: 4, is_hidden: false },
      { name: 'Leads 2026', rows: 2, is_hidden: false },
      { name: 'Archive', rows: 2, is_hidden: true },
      { name: 'Empty', rows: 0, is_hidden: false },
    ])
    expect(body.problems).toEqual([expect.stringContaining('"Shops" (4 rows), "Leads 2026" (2 rows)')])
  })

  test.each([
    ['its name', 'Shops'],
    ['its name in other case', ' shops '],
    ['its number', '1'],
  ])('is read by the sheet that is chosen by %s, with the cells as a person sees them', async (_how, sheet) => {
    const body = await preview(await uploadBook(shopsBook()), { sheet, ...noNumber })
    expect(body).toMatchObject({ sheet: 'Shops', encoding: null, delimiter: null, problems: [] })
    expect(body.sheets).toHaveLength(4)
    expect(cellsOf(body)).toEqual([
      ['00042', 'oak-lamps.example', 'Shop 42', 'Germany', '71.5', '1204', '2019-03-31'],
      ['00043', 'elm-rugs.example', 'Shop 43', 'Atlantis', '50', '7', '2020-02-29'],
      ['00044', 'fir-mugs.example', 'Shop 44', 'AT', '100', '12', '2021-12-01'],
    ])
    expect(body.rows.map(({ faults }: Json) => faults.map(({ field }: Json) => field))).toEqual([[], ['country'], []])
    expect(body.notices).toEqual([
      { field: 'store_created_at.estimate', reason: 'its column is hidden in the workbook, and is read', hint: null },
    ])
  })

  test('can be read by a hidden sheet that is chosen', async () => {
    const body = await preview(await uploadBook(shopsBook()), { sheet: 'Archive' })
    expect(body).toMatchObject({ sheet: 'Archive', problems: [] })
    expect(cellsOf(body)).toEqual([['old-hats.example']])
  })

  test.each(['Shop', '5', '0', '__proto__'])(
    'has no sheet %s: a bad request that names those it has',
    async (sheet) => {
      const { status, body } = await previewReply(await uploadBook(shopsBook()), { sheet })
      expect(status).toBe(400)
      expect(body.error).toMatchObject({ code: 'invalid_request' })
      expect(body.error.message).toBe(
        `shops.xlsx: it has no sheet "${sheet}". Its sheets are "Shops", "Leads 2026", "Archive", "Empty".`,
      )
    },
  )

  test('has sheets that differ by blanks or by a number only, and each is found by its own name', async () => {
    const rows = (host: string) => [['Domain'], [host]]
    const id = await uploadBook(
      buildBook({
        sheets: [
          { name: 'Shops ', rows: rows('one.example') },
          { name: 'Shops', rows: rows('two.example') },
          { name: '1', rows: rows('three.example') },
        ],
      }),
    )
    for (const [sheet, host] of [
      ['Shops ', 'one.example'],
      ['Shops', 'two.example'],
      ['1', 'three.example'],
      ['3', 'three.example'],
    ])
      expect(cellsOf(await preview(id, { sheet })), sheet).toEqual([[host]])
  })
})

test('of many rows no more than 10,000 are counted', async () => {
  const rows = [['Domain'], ...Array.from({ length: 10_500 }, (_, index) => [`shop-${index}.example`])]
  const id = await uploadBook(buildBook({ sheets: [{ rows }, { rows: rows.slice(0, 300) }] }))
  expect((await preview(id)).sheets.map(({ rows }: Json) => rows)).toEqual([10_000, 300])
})

test('a workbook whose only other sheets are empty or hidden is read without a question', async () => {
  const sheets = [
    { rows: [] },
    { ...shopsSheet(), name: 'Data' },
    { name: 'Old', state: 'hidden' as const, rows: [['a']] },
  ]
  expect(await preview(await uploadBook(buildBook({ sheets })), noNumber)).toMatchObject({
    sheet: 'Data',
    problems: [],
  })
  const alone = await preview(await uploadBook(buildBook({ sheets: [shopsSheet()] })), noNumber)
  expect(alone).toMatchObject({ sheet: 'Shops', sheets: [], problems: [] })
})

test('a heading in another line is suggested, and taken with the option', async () => {
  const id = await uploadBook(
    buildSheet([['Shops of 2026'], [], ['Domain', 'Shop name'], ['oak-lamps.example', 'Oak']]),
  )
  expect(await preview(id)).toMatchObject({ suggestion: { header_row: 3, no_header: null } })
  const taken = await preview(id, { header_row: 3 })
  expect(taken).toMatchObject({ problems: [], suggestion: null, rows: [{ line: 4, faults: [] }] })
  const beyond = await previewReply(id, { header_row: 9 })
  expect([beyond.status, beyond.body.error.message]).toEqual([400, 'shops.xlsx: there is no line 9 for a header.'])
})

test('a value in a column without a name is at fault, with a hint that fits a workbook', async () => {
  const rows = Array.from({ length: 9 }, (_, index) => [`shop-${index}.example`, index === 4 ? 'lost' : null])
  const body = await preview(await uploadBook(buildSheet([['Domain'], ...rows])))
  const faults = body.rows.flatMap(({ faults }: Json) => faults)
  expect(faults).toMatchObject([
    { reason: 'a value in a column without a name', hint: 'name the column: --map "#2=FIELD"; "#2=" ignores it' },
  ])
})

test('options that only text has are refused for a workbook', async () => {
  const { status, body } = await previewReply(await uploadBook(shopsBook()), { sheet: 'Shops', delimiter: ';' })
  expect(status).toBe(400)
  expect(body.error.message).toContain('this is a workbook')
})

test.each([
  ['an old .xls', 'shops.xls', /^shops\.xls: it is an old Excel workbook \(\.xls\)\. Open it, save it as \.xlsx/],
  ['an .ods', 'shops.ods', /^shops\.ods: it is an OpenDocument file, such as \.ods\. Open it, save it as \.xlsx/],
  ['an encrypted workbook', 'shops.xlsx', /^shops\.xlsx: /],
] as const)('%s is refused in a sentence with its name', async (kind, name, sentence) => {
  const { status, body } = await previewReply(await uploadBook(hostileFiles.otherFormats[kind](), name))
  expect(status).toBe(400)
  expect(body.error.message).toMatch(sentence)
})

test('is imported; its rejects are a workbook, which is mended and imported again', async () => {
  const before = await countStores(app)
  const id = await uploadBook(shopsBook())
  const done = await run(operator, id, 'import', { sheet: 'Shops', ...noNumber })
  expect(done).toMatchObject({ state: 'done', rejects: ['stores'], rejects_format: 'xlsx' })
  expect(done.report.parts[0]).toMatchObject({ read: 3, inserted: 2, rejected: 1 })
  expect(done.report.parts[0].notices).toMatchObject([
    { field: 'store_created_at.estimate' },
    { field: 'record', line: 4, count: 1 },
  ])
  expect(await countStores(app)).toBe(before + 2)
  expect((await operator.get(`/operator/imports/${id}`)).body.options).toEqual({ sheet: 'Shops', ...noNumber })

  const { headers, content } = await downloadRejects(id)
  expect(headers.get('content-type')).toBe('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet')
  expect(headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''shops.xlsx.rejects.xlsx")
  const [heading, row, ...others] = readPlainSheet(content)
  expect(heading!.slice(0, 5)).toEqual(['_line', '_reasons', 'Shop no', 'Domain', 'Shop name'])
  expect(row!.slice(0, 1).concat(row!.slice(2, 8))).toEqual([
    '3',
    '00043',
    'elm-rugs.example',
    'Shop 43',
    'Atlantis',
    '50',
    '7',
  ])
  expect(others).toEqual([])

  const again = await uploadBook(mendBook(content, 'Atlantis', 'France'), 'shops.xlsx.rejects.xlsx')
  expect(await preview(again, noNumber)).toMatchObject({ problems: [], rows: [{ faults: [] }] })
  expect((await run(operator, again, 'import', noNumber)).report.parts[0]).toMatchObject({ read: 1, inserted: 1 })
  const { rows } = await app.db.query(
    "select document::json from stores where document::json->>'domain' = 'elm-rugs.example'",
  )
  expect(rows[0].document).toMatchObject({
    ...{ country: 'FR', lead_fit_score: 50 },
    store_created_at: { estimate: '2020-02-29T00:00:00.000Z' },
  })
})

test('a run without the sheet that it needs fails with the question', async () => {
  const failed = await run(operator, await uploadBook(shopsBook()), 'import')
  expect(failed).toMatchObject({ state: 'failed', error: expect.stringContaining('several of its sheets have rows') })
})

test.each(['shops.tsv', 'shops.txt', 'shops.csv'])('rejects of %s are named after it', async (name) => {
  const id = await upload(app.url, operator, { name, text: 'domain,country\noak-lamps.example,Atlantis\n' })
  await run(operator, id, 'import')
  const { headers } = await downloadRejects(id)
  expect(headers.get('content-disposition')).toBe(`attachment; filename*=UTF-8''${name}.rejects.csv`)
})
