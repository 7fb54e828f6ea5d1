import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { inspectInThread } from '../../../src/catalogue/imports/threads/inspect-in-thread.ts'
import { createLogger } from '../../../src/foundation/runtime/logger.ts'
import { threadProgram } from '../../../src/program/serving/programs.ts'
import { temporaryFolder } from '../../deep/start/support/service.ts'
import type { TestApp } from '../../support/app.ts'
import type { Json } from '../../support/client.ts'
import type { ConsoleClient, TestUser } from '../../support/user.ts'
import { startImportApp, storesCsv, upload } from './support/imports.ts'

let app: TestApp
let operator: TestUser
beforeAll(async () => {
  ;({ app, operator } = await startImportApp())
})

const preview = async (person: ConsoleClient, id: number, options: object = {}): Promise<Json> =>
  (await person.post(`/operator/imports/${id}/preview`, { options })).body

test.each([
  ['stores', 'stores.csv', storesCsv(3), 3],
  ['contacts', 'people.csv', 'store_domain,email\nshop-1.example,a@shop-1.example\n', 1],
  ['stores+contacts', 'both.csv', 'domain,contact.first_name\nshop-1.example,Ada\n', 1],
  ['stores', 'stores.ndjson', '{"domain":"shop-1.example"}\n', 1],
])('a file of %s is previewed in a thread: %s', async (kind, name, text, rows) => {
  const inspectImport = inspectInThread(threadProgram('reading-thread'))
  const { app, operator } = await startImportApp({ inspectImport })
  const body = await preview(operator, await upload(app.url, operator, { kind, name, text }))
  expect(body).toMatchObject({ object: 'import_preview', problems: [] })
  expect(body.rows).toHaveLength(rows)
  expect(body.rows.flatMap(({ faults }: Json) => faults)).toEqual([])
})

const blanks = ' '.repeat(80_000)
test.each([
  ['a heading of blanks', `domain,a${blanks}b\nshop-1.example,x\n`, 'heading 2 has 80,002 characters'],
  ['nothing but commas', `domain${','.repeat(200_000)}\n`, 'the header has 200,001 columns'],
  ['one long heading', `${'x_1'.repeat(40_000)}\n`, 'heading 1 has 120,000 characters'],
])('%s is refused with its figure', async (_title, text, sentence) => {
  const body = await preview(operator, await upload(app.url, operator, { text }))
  expect(body.error).toMatchObject({ code: 'invalid_request', message: expect.stringContaining(sentence) })
  expect(body.error.message).toMatch(/^stores\.csv, line 1: /)
})

test.each(['nonexistent', '__proto__', 'constructor', 'Jane Doe lives here', 'aliases.x'])(
  'a column that is mapped to the field %s, which there is not, is a problem of the preview',
  async (field) => {
    const id = await upload(app.url, operator, { text: 'domain,Notes\nshop-1.example,x\n' })
    const body = await preview(operator, id, { map: JSON.parse(`{"Notes":${JSON.stringify(field)}}`) })
    expect(body.problems).toEqual([expect.stringContaining(`--map names the field "${field}"`)])
    expect(body.rows).toMatchObject([{ line: 2, cells: ['shop-1.example', 'x'], record: null }])
  },
)

test('a heading in another line is suggested, and taken with the option; so is a file without one', async () => {
  const text = 'Shops\nWebsite,Firma\nshop-1.example,One\nshop-2.example\n'
  const id = await upload(app.url, operator, { text })
  const first = await preview(operator, id)
  expect(first).toMatchObject({ suggestion: { header_row: 2, no_header: null } })
  expect(first.problems).toHaveLength(1)
  const taken = await preview(operator, id, { header_row: 2, short_rows: 'fill' })
  expect(taken).toMatchObject({ problems: [], suggestion: null, rows: [{ line: 3 }, { line: 4, faults: [] }] })

  const bare = await upload(app.url, operator, { name: 'bare.txt', text: 'shop-1.example;One\nshop-2.example;Two\n' })
  const { suggestion } = await preview(operator, bare)
  expect(suggestion).toEqual({ header_row: null, no_header: 'domain,' })
  const named = await preview(operator, bare, { no_header: '', map: { '#1': 'domain' } })
  expect(named).toMatchObject({ problems: [], notices: [{ field: 'column 2', reason: 'has values and no name' }] })
  expect(named.columns).toMatchObject([
    { reference: '#1', field: 'domain' },
    { reference: '#2', field: null },
  ])
  expect(named.rows).toMatchObject([{ line: 1, faults: [] }, { line: 2 }])
})

test('columns with the same heading can be told apart', async () => {
  const id = await upload(app.url, operator, { text: 'domain,name,name\nshop-1.example,One,Uno\n' })
  const body = await preview(operator, id)
  expect(body.columns.map(({ reference }: Json) => reference)).toEqual(['domain', '#2', '#3'])
  expect((await preview(operator, id, { map: { '#2': '' } })).problems).toEqual([])
})

test('a preview that does not end is ended at its deadline, and the service answers meanwhile', async () => {
  const endless = join(temporaryFolder(), 'endless.mjs')
  writeFileSync(
    endless,
    'import { parentPort } from "node:worker_threads"; parentPort.postMessage({ kind: "inspecting" }); for (;;);',
  )
  const lines: string[] = []
  const log = createLogger({ level: 'debug', destination: { write: (line: string) => lines.push(line) } })
  const inspectImport = inspectInThread({ file: endless, execArgv: [] }, { deadlineMs: 300 })
  const { app: slow, operator: person } = await startImportApp({ inspectImport, log })
  const id = await upload(slow.url, person, { text: storesCsv(1) })
  const running = preview(person, id)
  expect((await fetch(`${slow.url}/healthz`)).status).toBe(200)
  const { error } = await running
  expect(error).toMatchObject({
    code: 'invalid_request',
    message: expect.stringMatching(/^stores\.csv: .*took longer/),
  })
  expect(lines.join('')).not.toContain('shop-0')
})

test('a thread that dies is told of as such', async () => {
  const dying = join(temporaryFolder(), 'dying.mjs')
  writeFileSync(dying, 'process.exit(3)')
  const { app: other, operator: person } = await startImportApp({
    inspectImport: inspectInThread({ file: dying, execArgv: [] }),
  })
  const { error } = await preview(person, await upload(other.url, person, { text: storesCsv(1) }))
  expect(error).toMatchObject({ message: 'stores.csv: the thread that reads its first rows ended unexpectedly.' })
})

test('previews of one person are read one after the other, and all are answered', async () => {
  const id = await upload(app.url, operator, { text: storesCsv(5) })
  const bodies = await Promise.all(Array.from({ length: 6 }, () => preview(operator, id)))
  expect(bodies.map(({ rows }) => rows?.length)).toEqual([5, 5, 5, 5, 5, 5])
})
