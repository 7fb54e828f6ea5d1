import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../server/test/support/database.ts'
import { startCountingProxy } from '../api/counting-proxy.ts'
import { Cleanup } from '../support/cleanup.ts'

const { url } = await createTestDatabase()
const cleanup = new Cleanup()
afterAll(() => cleanup.run())
const proxy = await startCountingProxy(url, cleanup)
const client = new pg.Client({ connectionString: proxy.url })
await client.connect()
cleanup.add(() => client.end())

async function trafficOf(work: () => Promise<unknown>) {
  const before = proxy.traffic
  await work()
  const after = proxy.traffic
  return {
    statements: after.statements - before.statements,
    parsed: after.parsed - before.parsed,
    roundTrips: after.roundTrips - before.roundTrips,
    bytesReceived: after.bytesReceived - before.bytesReceived,
  }
}

test('what the driver does is counted, and what the database says arrives', async () => {
  const named = () => client.query({ name: 'add', text: 'select $1::integer + 1 as sum', values: [41] })
  expect(await trafficOf(named)).toMatchObject({ statements: 1, parsed: 1, roundTrips: 1 })
  expect(await trafficOf(named)).toMatchObject({ statements: 1, parsed: 0, roundTrips: 1 })
  expect((await named()).rows).toEqual([{ sum: 42 }])
})

test('long answers are counted whole', async () => {
  const length = 300_000
  const { bytesReceived } = await trafficOf(async () => {
    const { rows } = await client.query('select repeat($1, $2::integer) as text', ['x', length])
    expect(rows[0].text).toHaveLength(length)
  })
  expect(bytesReceived).toBeGreaterThan(length)
  expect(bytesReceived).toBeLessThan(length + 1_000)
})

test('a failed statement costs one round trip, and the next is counted as ever', async () => {
  expect(await trafficOf(() => client.query('select 1 / 0').catch(() => {}))).toMatchObject({ roundTrips: 1 })
  expect(await trafficOf(() => client.query('select 1'))).toMatchObject({ statements: 1, roundTrips: 1 })
})

test('what goes to a database by its Unix socket is counted as well', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'storedex-proxy-'))
  cleanup.add(() => rmSync(folder, { recursive: true, force: true }))
  const { hostname, port } = new URL(proxy.url)
  const server = createServer((asking) => {
    const answering = connect(Number(port), hostname)
    asking.pipe(answering).pipe(asking)
  })
  server.listen(join(folder, `.s.PGSQL.${port}`))
  await once(server, 'listening')
  cleanup.add(() => void server.close())
  const bySocket = await startCountingProxy(`${proxy.url}?host=${encodeURIComponent(folder)}`, cleanup)
  const counted = new pg.Client({ connectionString: bySocket.url })
  await counted.connect()
  const { statements } = bySocket.traffic
  await counted.query('select 1')
  expect(bySocket.traffic.statements).toBe(statements + 1)
  await counted.end()
})
