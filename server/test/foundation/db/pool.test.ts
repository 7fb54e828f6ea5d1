import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConnectionPool, createPool, transact } from '../../../src/foundation/db/pool.ts'
import { createTestDatabase } from '../../support/database.ts'

let pool: ConnectionPool
let other: ConnectionPool
beforeAll(async () => {
  const { url } = await createTestDatabase()
  pool = createPool({ url, applicationName: 'under test', maxConnections: 2 })
  other = createPool({ url, applicationName: 'another', maxConnections: 1 })
  await pool.query('create table words (word text primary key)')
})
afterAll(() => Promise.all([pool.end(), other.end()]))

test("a connection flushes its commits to disk, whatever the server's default", async () => {
  const server = await other.query("select boot_val, setting from pg_settings where name = 'synchronous_commit'")
  expect(server.rows).toEqual([{ boot_val: 'on', setting: 'on' }])
})

test('an aborted lane rolls its transaction back', async () => {
  const lane = pool.lane('impatient')
  const work = transact(lane, async (client) => {
    await client.query("insert into words values ('basalt')")
    lane.abort(new Error('too late'))
    await client.query("insert into words values ('cedar')")
  })
  await expect(work).rejects.toThrow()
  const { rows } = await pool.query("select word from words where word in ('basalt', 'cedar')")
  expect(rows).toEqual([])
})
