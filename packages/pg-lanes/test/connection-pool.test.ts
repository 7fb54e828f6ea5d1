import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase } from '../../../server/test/support/database.ts'
import { startRelay } from '../../../server/test/support/relay.ts'
import { ConnectionPool, type Queryable } from '../src/index.ts'

const openPool = (connectionString: string, max: number) =>
  new ConnectionPool({ connectionString, max, connectionTimeoutMillis: 5_000 })

let pool: ConnectionPool
let other: ConnectionPool
let url: string
beforeAll(async () => {
  url = (await createTestDatabase()).url
  pool = openPool(url, 2)
  other = openPool(url, 1)
  await pool.query('create table words (word text primary key)')
})
afterAll(() => Promise.all([pool.end(), other.end()]))

const pidOf = async (db: Queryable) => (await db.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]!.pid

describe('a connection', () => {
  test('that breaks without a listener does not end the process, and is replaced', async () => {
    const client = await pool.connect()
    const pid = await pidOf(client)
    // `events.once` would also listen to errors.
    const ended = new Promise((resolve) => client.once('end', resolve))
    await other.query('select pg_terminate_backend($1::integer)', [pid])
    await ended
    client.release()
    expect(await pidOf(pool)).not.toBe(pid)
  })

  test('that the server ends in the packet that says it is ready does not end the process, and is replaced', async () => {
    const ready = Buffer.from('5a0000000549', 'hex')
    const fields = 'SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0'
    const length = Buffer.alloc(4)
    length.writeInt32BE(4 + fields.length)
    const farewell = Buffer.concat([Buffer.from('E'), length, Buffer.from(fields)])
    let ended = 0
    const relay = await startRelay(url, (reply) => {
      if (ended > 0 || !reply.subarray(-ready.length).equals(ready)) return reply
      ended++
      return Buffer.concat([reply, farewell])
    })
    const ending = openPool(relay.url, 1)
    try {
      await expect(ending.query('select 1 as one')).rejects.toThrow(/not queryable/)
      expect(ended).toBe(1)
      expect((await ending.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    } finally {
      await ending.end()
    }
  })

  test('is kept when a statement fails on it', async () => {
    const client = await pool.connect()
    try {
      const pid = await pidOf(pool)
      await pool.query("insert into words values ('amber')")
      await expect(pool.query("insert into words values ('amber')")).rejects.toThrow(/duplicate key/)
      expect(await pidOf(pool)).toBe(pid)
    } finally {
      client.release()
    }
  })
})

describe('a holder', () => {
  test('with one statement is served before the queue of another', async () => {
    const greedy = pool.lane('greedy')
    const order: string[] = []
    // Each statement of the queue waits for a lock of its own.
    await other.query('select pg_advisory_lock(number) from generate_series(1, 12) as number')
    const queued = Array.from({ length: 12 }, (_, index) =>
      greedy.query('select pg_advisory_xact_lock($1::bigint)', [index + 1]).then(() => order.push('greedy')),
    )
    const modest = pool
      .lane('modest')
      .query('select 1')
      .then(() => order.push('modest'))
    await other.query('select pg_advisory_unlock(1)')
    await expect.poll(() => order).toEqual(['greedy', 'modest'])
    await other.query('select pg_advisory_unlock_all()')
    await Promise.all([...queued, modest])
  })
})

describe('an aborted lane', () => {
  const late = new Error('too late')

  test('fails its running, waiting and later statements, and frees its connections', async () => {
    const lane = pool.lane('impatient')
    const ends = Array.from({ length: 5 }, () => expect(lane.query('select pg_sleep(60)')).rejects.toBe(late))
    await expect.poll(() => pool.stats.waiting).toBe(3)
    lane.abort(late)
    await Promise.all(ends)
    await expect(lane.query('select 1')).rejects.toBe(late)
    expect((await Promise.all([pool.query('select 1 as one'), pool.query('select 1 as one')])).length).toBe(2)
    expect(pool.stats.waiting).toBe(0)
  })

  test('rolls its transaction back', async () => {
    const lane = pool.lane('impatient')
    const client = await lane.connect()
    await client.query('begin')
    await client.query("insert into words values ('basalt')")
    lane.abort(late)
    await expect(client.query("insert into words values ('cedar')")).rejects.toThrow()
    client.release()
    const { rows } = await pool.query("select word from words where word in ('basalt', 'cedar')")
    expect(rows).toEqual([])
  })

  test('releases a connection that arrives after the abort', async () => {
    for (let attempt = 0; attempt < 20; attempt++) {
      const lane = pool.lane('gone')
      const asked = lane.connect().then(
        (client) => client.release(),
        () => {},
      )
      lane.abort(late)
      await asked
    }
    const both = await Promise.all([pool.connect(), pool.connect()])
    for (const client of both) client.release()
  })
})
