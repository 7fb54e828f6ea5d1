import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Cleanup } from '@storedex/testkit'
import pg from 'pg'
import { afterAll, describe, expect, test } from 'vitest'
import { createTestDatabase } from '../../server/test/support/database.ts'
import { MessageReader, startCountingProxy, TrafficCounter } from '../api/counting-proxy.ts'

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

test('statements are counted, and their results arrive', async () => {
  const named = () => client.query({ name: 'add', text: 'select $1::integer + 1 as sum', values: [41] })
  expect(await trafficOf(named)).toMatchObject({ statements: 1, parsed: 1, roundTrips: 1 })
  expect(await trafficOf(named)).toMatchObject({ statements: 1, parsed: 0, roundTrips: 1 })
  expect((await named()).rows).toEqual([{ sum: 42 }])
})

test('a connection that ends before its answer does not hide later round trips', async () => {
  const other = new pg.Client({ connectionString: proxy.url })
  other.on('error', () => {})
  await other.connect()
  const { rows } = await other.query<{ pid: number }>('select pg_backend_pid() as pid')
  const lost = expect(other.query('select pg_sleep(600)')).rejects.toThrow()
  const ended = new Promise((resolve) => other.once('end', resolve))
  await client.query('select pg_terminate_backend($1)', [rows[0]!.pid])
  await lost
  await ended
  expect(await trafficOf(() => client.query('select 1'))).toMatchObject({ statements: 1, roundTrips: 1 })
})

test('long results are counted completely', async () => {
  const length = 300_000
  const { bytesReceived } = await trafficOf(async () => {
    const { rows } = await client.query('select repeat($1, $2::integer) as text', ['x', length])
    expect(rows[0].text).toHaveLength(length)
  })
  expect(bytesReceived).toBeGreaterThan(length)
  expect(bytesReceived).toBeLessThan(length + 1_000)
})

test('a failed statement is one round trip, and the next one is counted as usual', async () => {
  expect(await trafficOf(() => client.query('select 1 / 0').catch(() => {}))).toMatchObject({ roundTrips: 1 })
  expect(await trafficOf(() => client.query('select 1'))).toMatchObject({ statements: 1, roundTrips: 1 })
})

test('traffic over a Unix socket is counted too', async () => {
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

function message(letter: string, bodyBytes: number): Buffer {
  const bytes = Buffer.alloc(letter.length + 4 + bodyBytes, 'S')
  bytes.write(letter)
  bytes.writeUInt32BE(4 + bodyBytes, letter.length)
  return bytes
}

describe('reading messages', () => {
  const conversation = Buffer.concat([
    message('', 70),
    message('p', 54),
    message('P', 300),
    message('B', 20),
    message('E', 5),
    message('S', 0),
  ])
  const letters = ['startup', 'p', 'P', 'B', 'E', 'S']

  test('reads all messages of a client, the first without a letter', () => {
    expect(new MessageReader('client').read(conversation)).toEqual(letters)
  })

  test('reads messages split at any position', () => {
    for (const size of [1, 2, 3, 7, 64, 301]) {
      const reader = new MessageReader('client')
      const found: string[] = []
      for (let at = 0; at < conversation.length; at += size)
        found.push(...reader.read(conversation.subarray(at, at + size)))
      expect(found, `in pieces of ${size}`).toEqual(letters)
    }
  })

  test('all messages of a server have a letter', () => {
    expect(new MessageReader('server').read(Buffer.concat([message('R', 8), message('Z', 1)]))).toEqual(['R', 'Z'])
  })
})

describe('counting traffic', () => {
  function count(talk: string) {
    const counter = new TrafficCounter()
    for (const letter of talk) {
      if (letter === 'Z') counter.countReply(letter)
      else counter.countRequest(letter)
    }
    const { statements, parsed, roundTrips } = counter.traffic
    return { statements, parsed, roundTrips }
  }

  test('a prepared statement is parsed once and a round trip each time', () => {
    expect(count('PBDESZ' + 'BDESZ')).toEqual({ statements: 2, parsed: 1, roundTrips: 2 })
  })

  test('a simple query is parsed, executed and one round trip', () => {
    expect(count('QZ')).toEqual({ statements: 1, parsed: 1, roundTrips: 1 })
  })

  test('pipelined statements share a round trip', () => {
    expect(count('BDESBDESZZ')).toEqual({ statements: 2, parsed: 0, roundTrips: 1 })
    expect(count('BDEBDESZ')).toEqual({ statements: 2, parsed: 0, roundTrips: 1 })
  })
})
