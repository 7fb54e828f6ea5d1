import { createHash } from 'node:crypto'
import { createWriteStream, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { readPlainSheet } from '@storedex/testkit/workbooks'
import { beforeAll, expect, test } from 'vitest'
import { ConnectionError, type Export, type ExportRequest } from '../../../../client/src/index.ts'
import { scopes } from '../../../src/customers/auth/caller.ts'
import { generous } from '../../product/contacts/support/reveals.ts'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'
import { atEnd, removeFolder } from '../../support/cleanup.ts'
import { generateStores } from '../../support/records/store-records.ts'
import { chargedTo, connectClient, failureOf, ledgerDifferences, startFaultProxy } from './support/disturbed.ts'
import type { FaultProxyOptions } from './support/fault-proxy.ts'

let app: TestApp
let key: TestKey
/** A file of about half a megabyte. */
let ready: Export
/** The same, downloaded in one piece by plain HTTP. */
let file: Buffer
const body: ExportRequest = { kind: 'stores', filters: {}, format: 'ndjson', max_rows: 5_000 }
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  await app.importStores([...generateStores(900, 6)])
  key = await app.key({ scopes, limits: generous })
  const direct = connectClient(app.url, key)
  ready = await direct.exports.wait((await direct.exports.create(body)).id)
  const reply = await fetch(`${app.url}/api/v1/exports/${ready.id}/file`, {
    headers: { authorization: `Bearer ${key.secret}` },
  })
  file = Buffer.from(await reply.arrayBuffer())
})

async function connectThrough(options: Partial<FaultProxyOptions> = {}) {
  const proxy = await startFaultProxy(app, options)
  return { proxy, storedex: connectClient(proxy.origin, key, { maxRetries: 12 }) }
}

/** A destination that keeps what it gets; `hold` delays each write. */
function collect(hold: () => Promise<unknown> = async () => {}): { bytes(): Buffer; destination: Writable } {
  const chunks: Buffer[] = []
  const destination = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(Buffer.from(chunk))
      void hold().then(() => done())
    },
  })
  return { destination, bytes: () => Buffer.concat(chunks) }
}

test('an export through faults is made once, and its file arrives byte by byte as it is', async () => {
  const other = await app.key({ scopes, limits: generous })
  const proxy = await startFaultProxy(app)
  const storedex = connectClient(proxy.origin, other, { maxRetries: 12 })
  const created = await storedex.exports.create(body)
  const ended = await storedex.exports.wait(created.id)
  expect([ended.status, ended.stopped_by, ended.file?.rows]).toEqual(['ready', 'end', 900])
  const folder = mkdtempSync(join(tmpdir(), 'storedex-test-'))
  atEnd(() => removeFolder(folder))
  const path = join(folder, 'stores.ndjson')
  const { bytes, sha256 } = await storedex.exports.download(created.id, createWriteStream(path))
  const written = readFileSync(path)
  expect([bytes, sha256]).toEqual([written.length, createHash('sha256').update(written).digest('hex')])
  expect(sha256).toBe(ended.file?.sha256)
  // The order and the content are those of any export of the same stores.
  expect(written.equals(file)).toBe(true)
  expect(await storedex.exports.list().toArray({ maxRows: 10 })).toHaveLength(1)
  await proxy.settle()
  expect((await chargedTo(app, other)).store_exports).toBe(900)
  expect(await ledgerDifferences(app)).toEqual([])
})

test('a workbook arrives through faults as it is, under its name', async () => {
  const direct = connectClient(app.url, key)
  const { id, file: made } = await direct.exports.wait((await direct.exports.create({ ...body, format: 'xlsx' })).id)
  const { storedex } = await connectThrough()
  const { destination, bytes } = collect()
  const downloaded = await storedex.exports.download(id, destination)
  expect(downloaded).toMatchObject({
    ...{ bytes: made!.bytes, sha256: made!.sha256, filename: 'storedex-stores-2026-11-10.xlsx' },
    contentType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  })
  expect(readPlainSheet(bytes())).toHaveLength(901)
})

test.for(['node', 'web'])('a download goes on by Range after each cut, into a stream of kind %s', async (kind) => {
  const weights = { cut_midway: 5, cut_before: 1, unavailable: 1, pass: 1 }
  const { proxy, storedex } = await connectThrough({ weights })
  proxy.script.push('cut_midway', 'cut_midway', 'cut_before', 'cut_midway')
  const { destination, bytes } = collect()
  const target = kind === 'node' ? destination : (Writable.toWeb(destination) as WritableStream<Uint8Array>)
  const download = await storedex.exports.download(ready.id, target)
  expect(bytes().equals(file)).toBe(true)
  expect([download.bytes, download.sha256]).toEqual([file.length, ready.file?.sha256])
  const ranges = proxy.exchanges.map(({ headers }) => headers.range)
  const starts = ranges.map((range) => Number(/^bytes=(\d+)-$/.exec(range ?? 'bytes=0-')![1]))
  expect(starts).toEqual(starts.toSorted((a, b) => a - b))
  expect(starts.at(-1)).toBeGreaterThan(0)
})

test('a destination slower than timeoutMs gets every byte once', async () => {
  const { proxy, storedex } = await connectThrough({ weights: { pass: 1 } })
  let writes = 0
  const { destination, bytes } = collect(() => wait(writes++ < 2 ? 2_000 : 0))
  const { sha256 } = await storedex.exports.download(ready.id, destination, { timeoutMs: 1_500 })
  expect([bytes().equals(file), sha256]).toEqual([true, ready.file?.sha256])
  expect(proxy.exchanges).toHaveLength(1)
})

test('a download that never gets further fails, and destroys its destination', async () => {
  const { proxy, storedex } = await connectThrough({ weights: { cut_before: 1 } })
  const { destination } = collect()
  const failure = await failureOf(storedex.exports.download(ready.id, destination, { maxRetries: 3 }))
  expect(failure).toBeInstanceOf(ConnectionError)
  expect(destination.destroyed).toBe(true)
  expect(proxy.exchanges).toHaveLength(4)
})

test('a destination that fails ends the download with its own reason', async () => {
  const { proxy, storedex } = await connectThrough({ weights: { pass: 1 } })
  const full = new Writable({ write: (_chunk, _encoding, done) => done(new Error('the disk is full')) })
  const failure = await failureOf(storedex.exports.download(ready.id, full))
  expect([failure.code, (failure.cause as Error).message]).toEqual(['destination_failed', 'the disk is full'])
  await proxy.settle()
  expect(proxy.exchanges).toHaveLength(1)
})
