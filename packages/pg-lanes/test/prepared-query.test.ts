import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase } from '../../../server/test/support/database.ts'
import { ConnectionPool } from '../src/index.ts'

let pool: ConnectionPool
let driver: pg.Client
beforeAll(async () => {
  const { url } = await createTestDatabase()
  // One connection, so that the second run of a statement is one of a statement that the connection knows.
  pool = new ConnectionPool({
    connectionString: url,
    max: 1,
    connectionTimeoutMillis: 5_000,
    options: '-c TimeZone=UTC',
  })
  driver = new pg.Client({ connectionString: url, options: '-c TimeZone=UTC' })
  await driver.connect()
  await pool.query('create table words (id integer primary key, word text)')
})
afterAll(() => Promise.all([pool.end(), driver.end()]))

const plain = ({ rows, rowCount, command }: pg.QueryResult) => ({
  rows: rows.map((row) => ({ ...row })),
  rowCount,
  command,
})

const text = fc.string({ unit: 'binary' }).map((value) => value.replaceAll(/\0|[\uD800-\uDFFF]/g, ''))
const parameters = {
  text: fc.option(text),
  number: fc.option(fc.integer()),
  double: fc.oneof(fc.double(), fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, -0)),
  flag: fc.option(fc.boolean()),
  bytes: fc.option(fc.uint8Array().map((bytes) => Buffer.from(bytes))),
  moment: fc.option(fc.date({ noInvalidDate: true, min: new Date('0100-01-01'), max: new Date('9998-01-01') })),
  texts: fc.option(fc.array(fc.option(text))),
  numbers: fc.option(fc.array(fc.option(fc.integer()))),
  json: fc.option(fc.json({ noUnicodeString: false }).filter((value) => !/\\u0000|\\ud[89a-f]/i.test(value))),
}
const names = Object.keys(parameters)
const types = ['text', 'integer', 'float8', 'boolean', 'bytea', 'timestamptz', 'text[]', 'integer[]', 'json']

describe('a statement with a name', () => {
  test('takes and returns the values that the driver takes and returns', async () => {
    const columns = names.map((name, index) => `$${index + 1}::${types[index]} as ${name}`)
    const sql = `select ${columns.join(', ')} from generate_series(1, 2)`
    await fc.assert(
      fc.asyncProperty(fc.tuple(...Object.values(parameters)), async (values) => {
        const [ours, theirs] = await Promise.all([
          pool.query({ name: 'every_type', text: sql, values }),
          driver.query({ name: 'every_type', text: sql, values: [...values] }),
        ])
        expect(plain(ours)).toEqual(plain(theirs))
      }),
      { numRuns: 200 },
    )
  })

  test('takes texts and bytes of any length, in any script', async () => {
    const sql = { name: 'echo_texts', text: 'select $1::text as first, $2::text as second, $3::bytea as bytes' }
    for (const length of [0, 1, 47, 48, 49, 5_000, 21_845, 70_000])
      for (const letter of ['a', 'ł', '日', '🦊']) {
        const first = letter.repeat(length)
        const values = [first, `${first}${letter}`, Buffer.from(first)]
        const { rows } = await pool.query({ ...sql, values })
        expect(rows[0]).toEqual({ first, second: `${first}${letter}`, bytes: Buffer.from(first) })
      }
  })

  test('tells its command and its count, with and without rows', async () => {
    const insert = { name: 'insert_words', text: "insert into words select unnest($1::integer[]), 'x'" }
    const run = (values: unknown[]) => pool.query({ ...insert, values }).then(plain)
    expect(await run([[1, 2, 3]])).toEqual({ rows: [], rowCount: 3, command: 'INSERT' })
    expect(await run([[4]])).toEqual({ rows: [], rowCount: 1, command: 'INSERT' })
    expect(await run([[]])).toEqual({ rows: [], rowCount: 0, command: 'INSERT' })
    const erase = { name: 'delete_words', text: 'delete from words where id = $1 returning word' }
    expect(plain(await pool.query({ ...erase, values: [4] }))).toEqual({
      rows: [{ word: 'x' }],
      rowCount: 1,
      command: 'DELETE',
    })
    expect(plain(await pool.query({ ...erase, values: [4] }))).toEqual({ rows: [], rowCount: 0, command: 'DELETE' })
  })

  test('that fails leaves a connection that runs it again', async () => {
    const add = (id: unknown) =>
      pool.query({ name: 'add_word', text: 'insert into words values ($1, $2)', values: [id, 'y'] })
    await expect(add('no number')).rejects.toMatchObject({ code: '22P02' })
    await add(10)
    await expect(add(10)).rejects.toMatchObject({ code: '23505', constraint: 'words_pkey', table: 'words' })
    expect((await add(11)).rowCount).toBe(1)
  })

  test('that is not valid SQL fails, and again', async () => {
    for (let attempt = 0; attempt < 2; attempt++)
      await expect(pool.query({ name: 'nonsense', text: 'selekt 1', values: [] })).rejects.toMatchObject({
        code: '42601',
      })
    expect((await pool.query({ name: 'sense', text: 'select 1 as one', values: [] })).rows).toEqual([{ one: 1 }])
  })

  test('is refused when the name belongs to another text', async () => {
    await pool.query({ name: 'taken', text: 'select 1', values: [] })
    await expect(pool.query({ name: 'taken', text: 'select 2', values: [] })).rejects.toThrow(/must be unique/)
  })

  test('whose columns changed in the meantime fails and never mixes them up', async () => {
    const read = () => pool.query({ name: 'read_all', text: 'select * from words where id = $1', values: [11] })
    expect((await read()).rows).toEqual([{ id: 11, word: 'y' }])
    await pool.query('alter table words add column length integer')
    await expect(read()).rejects.toMatchObject({ code: '0A000' })
    await pool.query('alter table words drop column length')
    expect((await read()).rows).toEqual([{ id: 11, word: 'y' }])
  })

  test('runs in transactions beside statements without a name', async () => {
    const client = await pool.connect()
    await client.query('begin')
    await client.query({ name: 'add_word', text: 'insert into words values ($1, $2)', values: [20, 'z'] })
    const { rows } = await client.query('select word from words where id = 20')
    expect(rows).toEqual([{ word: 'z' }])
    await client.query('rollback')
    client.release()
    const { rowCount } = await pool.query({ name: 'find_word', text: 'select from words where id = $1', values: [20] })
    expect(rowCount).toBe(0)
  })

  test('takes what only the driver can convert', async () => {
    const { rows } = await pool.query({
      name: 'an_object',
      text: 'select $1::jsonb as object, $2::timestamptz as long_ago',
      values: [{ a: [1, { b: null }] }, new Date('-000044-03-15T12:00:00Z')],
    })
    expect(rows).toEqual([{ object: { a: [1, { b: null }] }, long_ago: new Date('-000044-03-15T12:00:00Z') }])
  })
})
