import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { parse } from 'csv-parse/sync'
import { beforeAll, describe, expect, test } from 'vitest'
import { type ReadCell, readSheet, unzip } from '../../../../packages/workbook/test/write/read-back.ts'
import type { Export } from '../../../src/product/exports/schema.ts'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'
import {
  atStep,
  createExport,
  download,
  endOf,
  exportScopes,
  findUnsound,
  newExportKey,
  run,
  startRunner,
  startRunnerInterrupted,
  type TestRunner,
} from './support.ts'

const count = 60
const formulas = ['=1+1', '+SUM(A1)', '-2+3', '@x', '=HYPERLINK("https://thief.example")']
let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  // Each test starts runners of its own.
  await app.exportRunner.close()
  await app.importStores(
    Array.from({ length: count }, (_, i) => ({
      domain: `shop-${i}.example`,
      name: formulas[i] ?? `Shop ${i} & <Daughters>`,
      lead_fit_score: i / 8,
      platform_plus: i % 2 === 0,
      first_discovered_at: '2021-06-11T08:09:10.000Z',
      store_created_at: { estimate: '2019-03-01T00:00:00.000Z', resolution: 'month', confidence: 'medium' },
      technologies: { apps: i % 3 === 0 ? ['klaviyo', 'yotpo'] : [] },
    })),
  )
  await app.importContacts(
    Array.from({ length: count }, (_, i) => ({
      store_domain: `shop-${i % 40}.example`,
      first_name: formulas.slice(0, 3)[i] ?? `Name ${i}`,
      emails: [{ email: `p${i}@shop-${i % 40}.example`, status: 'verified', is_primary: true }],
      phones: [{ phone: '+442079460123', type: 'office', is_primary: true }],
    })),
  )
})

const newKey = (limits = {}) => newExportKey(app, limits)
const stores = { kind: 'stores', filters: {}, format: 'xlsx', max_rows: 1000 }
const previews = { kind: 'previews', format: 'xlsx', max_rows: 1000 }
const contacts = { kind: 'contacts', format: 'xlsx', max_rows: 1000, max_credits: 1000 }

/** The cells of a finished file, which must be whole: as long as the reply says, with its checksum, and an archive that opens. */
async function open(key: TestKey, { id, file }: Export): Promise<(ReadCell | null)[][]> {
  const { bytes, headers } = await download(app, key, id)
  expect(bytes.length).toBe(file!.bytes)
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(file!.sha256)
  expect(headers.get('etag')).toBe(`"${file!.sha256}"`)
  const cells = readSheet(unzip(bytes).get('xl/worksheets/sheet1.xml')!)
  expect(cells).toHaveLength(file!.rows + 1)
  return cells
}

/** Rows as objects of texts, as those of a CSV file. */
function textsOf([header, ...rows]: (ReadCell | null)[][]): Record<string, string>[] {
  const textOf = (cell: ReadCell | null | undefined) => {
    if (!cell) return ''
    return cell.type === 'moment' ? new Date(cell.value).toISOString() : String(cell.value)
  }
  return rows.map((row) => Object.fromEntries(header!.map((name, index) => [textOf(name), textOf(row[index])])))
}

const withoutGuard = (text: string) => text.replace(/^'(?=[=+\-@])/, '')

describe('a workbook', () => {
  test.each([stores, previews, contacts])('of $kind has the cells of CSV, and costs the same', async (request) => {
    startRunner(app)
    const [csvKey, key] = [await newKey(), await newKey()]
    const csv = await run(csvKey, { ...request, format: 'csv' })
    const ended = await run(key, request)
    expect(ended).toMatchObject({ status: 'ready', stopped_by: 'end', cost: csv.cost, progress: csv.progress })
    const rows: Record<string, string>[] = parse((await download(app, csvKey, csv.id)).text, { columns: true })
    expect(rows).toHaveLength(csv.file!.rows)
    expect(textsOf(await open(key, ended))).toEqual(
      rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, text]) => [name, withoutGuard(text)]))),
    )
    expect((await key.get('/usage')).body.contact_credits).toEqual((await csvKey.get('/usage')).body.contact_credits)
    expect(await findUnsound(app)).toEqual([])
  })

  test('has numbers as numbers, moments as dates, and all else as text, whatever a formula it looks like', async () => {
    startRunner(app)
    const key = await newKey()
    const columns = ['name', 'lead_fit_score', 'platform_plus', 'first_discovered_at', 'store_created_at.estimate']
    const [, ...rows] = await open(key, await run(key, { ...stores, columns }))
    for (const [name, score, plus, discovered, created] of rows) {
      expect([name!.type, score!.type, plus!.type]).toEqual(['text', 'number', 'text'])
      expect(discovered).toEqual({ type: 'moment', value: Date.parse('2021-06-11T08:09:10.000Z') })
      expect(created).toEqual({ type: 'moment', value: Date.parse('2019-03-01T00:00:00.000Z') })
    }
    expect(rows.map(([name]) => name!.value)).toEqual(expect.arrayContaining(formulas))
    const revealed = textsOf(await open(key, await run(key, contacts)))
    expect(revealed.every(({ phone }) => phone === '+442079460123')).toBe(true)
    expect(revealed.map(({ revealed_at }) => revealed_at)).toEqual(
      expect.arrayContaining([app.clock.now().toISOString()]),
    )
  })

  test('is delivered with its type and name, in ranges, which are those of the whole', async () => {
    startRunner(app)
    const key = await newKey()
    const { id, file } = await run(key, stores)
    const whole = await download(app, key, id)
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      'content-type': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      'content-disposition': 'attachment; filename="storedex-stores-2026-11-10.xlsx"',
    })
    for (const [first, last] of [
      [0, 3],
      [50, file!.bytes - 1],
      [file!.bytes - 100, file!.bytes - 1],
    ] as const) {
      const part = await download(app, key, id, { range: `bytes=${first}-${last}` })
      expect(part.status).toBe(206)
      expect(part.bytes.equals(whole.bytes.subarray(first, last + 1))).toBe(true)
    }
  })

  test.each([
    ['hubspot', contacts, 'Email'],
    ['salesforce', contacts, 'LastName'],
    ['excel', contacts, 'id'],
    ['excel', stores, 'id'],
  ])('takes the preset %s', async (preset, request, firstColumn) => {
    startRunner(app)
    const key = await newKey()
    const [header] = await open(key, await run(key, { ...request, preset }))
    expect(header![0]).toEqual({ type: 'text', value: firstColumn })
  })

  test('is not compressed again: gzip is refused, also in a quote', async () => {
    const key = await newKey()
    const refused = { status: 400, body: { error: { code: 'invalid_request', param: 'gzip' } } }
    expect(await key.post('/exports', { ...stores, gzip: true })).toMatchObject(refused)
    expect(await key.post('/quotes', { for: 'export', ...stores, gzip: true })).toMatchObject(refused)
    expect(await key.post('/exports', { ...stores, gzip: false })).toMatchObject({ status: 201 })
  })
})

describe('a workbook whose export ends early is whole', () => {
  test('when it is canceled before it began, with a header', async () => {
    const key = await newKey()
    const { id } = await createExport(key, { ...stores, columns: ['domain', 'name'] })
    expect((await key.post(`/exports/${id}/cancel`, undefined)).body.status).toBe('canceled')
    expect(textsOf(await open(key, await endOf(key, id)))).toEqual([])
  })

  test.each([stores, contacts])('when it is canceled while it writes $kind', async (request) => {
    const key = await newKey()
    const { id } = await createExport(key, request)
    await startRunnerInterrupted(app, 5, () => key.post(`/exports/${id}/cancel`, undefined))
    const ended = await endOf(key, id)
    expect(ended.status).toBe('canceled')
    expect(ended.file!.rows).toBeGreaterThan(0)
    expect(ended.file!.rows).toBeLessThan(count)
    await open(key, ended)
  })

  test('when its key is revoked', async () => {
    const key = await newKey()
    const { id } = await createExport(key, stores)
    await startRunnerInterrupted(app, 3, () => app.revokeKey(key))
    const other = await app.keyOf(key.account, { scopes: exportScopes })
    const ended = await endOf(other, id)
    expect(ended).toMatchObject({ status: 'failed', error: { code: 'revoked_api_key' } })
    expect(ended.file!.rows).toBeGreaterThan(0)
    await open(other, ended)
  })

  test.each([
    ['rows', { max_rows: 7 }, {}, 'max_rows', 7],
    ['credits that it may spend', { max_credits: 5 }, {}, 'max_credits', 5],
    ['credits', {}, { contact_credits: 0 }, 'credits', 0],
  ])('at the end of its %s', async (_what, request, limits, stoppedBy, rows) => {
    startRunner(app)
    const key = await newKey(limits)
    const ended = await run(key, { ...contacts, ...request })
    expect(ended).toMatchObject({ status: 'ready', stopped_by: stoppedBy, file: { rows } })
    await open(key, ended)
  })

  test('and leaves nothing behind when it is deleted', async () => {
    const key = await newKey()
    const { id } = await createExport(key, stores)
    await startRunnerInterrupted(app, 5, () => key.delete(`/exports/${id}`))
    const ended = await endOf(key, id)
    expect(ended).toMatchObject({ status: 'expired', file: null })
    const pieces = await app.db.query('select from export_chunks where account_id = $1', [
      app.accountNumber(key.account),
    ])
    expect(pieces.rows).toEqual([])
  })
})

test('a workbook whose servers are killed at any moment has the bytes of an undisturbed one', async () => {
  const [undisturbed, key] = [await newKey(), await newKey()]
  const first = startRunner(app)
  const startedMs = performance.now()
  const reference = await run(undisturbed, stores)
  const longestLifeMs = Math.max(60, (performance.now() - startedMs) / 4)
  await first.runner.close()
  // The only time in the file.
  const { id } = await createExport(key, stores)
  await app.db.query(`update exports set created_at = $1 where account_id = $2`, [
    reference.created_at,
    app.accountNumber(key.account),
  ])
  for (let kill = 0; kill < 6; kill++) {
    // However fast or slow the machine is, some of them begin, and none of those ends it.
    await new Promise<void>((resolve) => {
      const end = () => {
        server.kill()
        resolve()
      }
      const server: TestRunner = startRunner(app, kill < 3 ? atStep(kill + 1, end) : {})
      if (kill >= 3) void delay(Math.random() * longestLifeMs).then(end)
    })
    // The leases of the dead end.
    app.clock.advance(1_001)
  }
  const last = startRunner(app)
  const letTimePass = setInterval(() => app.clock.advance(1_001), 250)
  const ended = await endOf(key, id)
  clearInterval(letTimePass)
  await last.runner.close()
  const { rows } = await app.db.query('select max(turn) as most from exports where account_id = $1', [
    app.accountNumber(key.account),
  ])
  expect(rows[0].most, 'servers that took over').toBeGreaterThan(2)
  expect(ended).toMatchObject({ status: 'ready', file: { sha256: reference.file!.sha256, rows: count } })
  await open(key, ended)
  expect(await findUnsound(app)).toEqual([])
})
