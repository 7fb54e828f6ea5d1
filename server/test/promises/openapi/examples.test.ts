import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { beforeAll, describe, expect, test } from 'vitest'
import { prepareCatalogueAndKeys } from '../../../src/program/serving/demo-keys.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { createTestProvider } from '../../support/billing-provider.ts'
import { atEnd, removeFolder } from '../../support/cleanup.ts'
import type { Json } from '../../support/client.ts'
import { type ExampleRequest, readExamples } from '../../support/records/examples.ts'

/** The paths in replies that differ from one service or day to the other; `*` stands for any item of a list. */
const volatilePaths: readonly string[] = [
  '*.request_id',
  '*_at',
  '*.period_start',
  '*.period_end',
  '*.next_cursor',
  'getUsage.*.used',
  'getUsage.*.remaining',
  'getUsage.key.id',
  'getBillingStatus.contact_credits.*',
  '*Link.url',
  'getTaxonomy.version',
  'getStoreHistory.data.*.at',
  'revealContacts.credits.remaining',
  'createList.id',
  'listLists.data.0.id',
  'createExport.id',
  'listExports.data.0.id',
  'listExports.data.*.cost.store_exports',
  'count*.engine_ms',
  'countStores.new_exports',
  'createQuote.new_exports',
  'createQuote.*_remaining',
  'createQuote.*_after',
  'createQuote.quote',
]
const isVolatile = (path: string) =>
  volatilePaths.some((pattern) => new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '.*')}$`).test(path))

/** Replaces what is volatile by its type. */
function withoutVolatile(value: Json, path: string): Json {
  if (isVolatile(path)) return value === null ? null : typeof value
  if (Array.isArray(value)) return value.map((item, index) => withoutVolatile(item, `${path}.${index}`))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, withoutVolatile(member, `${path}.${name}`)]),
  )
}

let app: TestApp
let document: Json
let key: string
let examples: ExampleRequest[]
const openDocument = async () => (await app.anon.get('/openapi.json')).body
beforeAll(async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'storedex-examples-'))
  atEnd(() => removeFolder(dataDir))
  app = await startTestApp({
    now: '2026-11-10T12:00:00.000Z',
    engine: 'memory',
    billing: createTestProvider(),
    environment: { DEMO: '1', DATA_DIR: dataDir },
  })
  key = (await prepareCatalogueAndKeys({ ...app.operator, billing: app.deps.billing }))!.live
  await app.searchFollows()
  app.exportRunner.wake()
  // Lists show the newest first.
  app.clock.advance(300_000)
  document = await openDocument()
  examples = readExamples(document)
})

const send = (example: ExampleRequest) => example.send(app.url, key)
const findExample = (operationId: string) => examples.find((example) => example.operationId === operationId)!

/** Waits until the file of an export is written. */
const untilReady = (id: string) => {
  const example = findExample('getExport')
  const read = async () => JSON.parse(await (await example.send(app.url, key, { id })).text()).status
  return expect.poll(read).toBe('ready')
}

describe('the examples of the API', () => {
  test('are of every operation', () => {
    const operations = Object.values<object>(document.paths).flatMap((path) => Object.values(path))
    expect(examples.map(({ operationId }) => operationId)).toEqual(operations.map(({ operationId }) => operationId))
    expect(examples.length).toBe(28)
  })

  test('fit the schemas that the document publishes', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, discriminator: false })
    ajv.addSchema(document, 'document')
    const inDocument = (schema: Json) => JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/'))
    for (const { operationId, values } of examples)
      for (const { where, schema, value } of values) {
        const isValid = ajv.compile(inDocument(schema))
        isValid(value)
        expect(isValid.errors ?? [], `${operationId} ${where}`).toEqual([])
      }
  })

  test('can be sent in the order of the document, and get the replies that they show', async () => {
    await untilReady(findExample('getExport').params.id!)
    for (const example of examples) {
      const response = await send(example)
      const text = await response.text()
      expect(response.status, `${example.operationId}: ${text}`).toBe(example.status)
      const reply = example.contentType === 'text/csv' ? text : JSON.parse(text)
      const actual = example.isExcerpt ? cutTo(reply, example.reply) : reply
      expect(withoutVolatile(actual, example.operationId), example.operationId).toEqual(
        withoutVolatile(example.reply, example.operationId),
      )
      if (example.operationId === 'createExport') await untilReady(reply.id)
    }
  })

  test('show ids that work again after the next start', async () => {
    const before = findExample('deleteList').params.id
    await prepareCatalogueAndKeys({ ...app.operator, billing: app.deps.billing })
    const stored = await app.db.query("select value from installation where name = 'demonstration_examples'")
    const ids = JSON.parse(stored.rows[0].value.toString())
    expect(ids.deletedList).not.toBe(before)
    expect(ids.list).toBe(findExample('getList').params.id)
    expect(ids.export).toBe(findExample('getExport').params.id)
    const reply = await findExample('deleteList').send(app.url, key, { id: ids.deletedList })
    expect(reply.status).toBe(200)
  })
})

/** The beginnings of a reply's lists, as long as those of its excerpt. */
function cutTo(reply: Json, excerpt: Json): Json {
  return Object.fromEntries(
    Object.entries<Json>(reply).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.slice(0, excerpt[name].length) : value,
    ]),
  )
}
