import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Cleanup } from '@storedex/testkit'
import pg from 'pg'
import copyStreams from 'pg-copy-streams'
import { afterAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../server/test/support/database.ts'
import { type SentStatement, startRecorder } from '../statements/recorder.ts'
import { Replay, statementName } from '../statements/replay.ts'
import { Times } from '../statements/times.ts'

const { url } = await createTestDatabase()
const cleanup = new Cleanup()
afterAll(() => cleanup.run())
const recorder = await startRecorder(url, cleanup)
const client = new pg.Client({ connectionString: recorder.url })
await client.connect()
cleanup.add(() => client.end())

async function recordedOf(work: () => Promise<unknown>): Promise<readonly SentStatement[]> {
  await recorder.record('test', work)
  return recorder.steps.at(-1)!.statements
}

const sent = (statement: Partial<SentStatement>): SentStatement => ({
  connection: 1,
  name: null,
  text: 'select 1',
  values: null,
  copied: [],
  ...statement,
})

test('statements are recorded with their names and values, also when they were parsed before', async () => {
  const values = ['text', null, Buffer.from([0, 255]), [1, 2], 'x'.repeat(200_000)]
  const text = 'select $1::text, $2::text, $3::bytea, $4::integer[], $5::text'
  const run = () => client.query({ name: 'all_kinds', text, values })
  const wanted = ['text', null, Buffer.from([0, 255]), '{"1","2"}', 'x'.repeat(200_000)]
  expect(await recordedOf(run)).toMatchObject([{ name: 'all_kinds', text, values: wanted }])
  expect(await recordedOf(run)).toMatchObject([{ name: 'all_kinds', text, values: wanted }])
})

test('a text of several statements is recorded as it is', async () => {
  const recorded = await recordedOf(() => client.query('begin; select 1; commit'))
  expect(recorded).toMatchObject([{ name: null, text: 'begin; select 1; commit', values: null }])
})

test('what was recorded has the same effect when it is sent again', async () => {
  await client.query('create table kept (value text, bytes bytea)')
  const recorded = await recordedOf(() =>
    client.query({ name: 'keep', text: 'insert into kept values ($1, $2)', values: ['a', Buffer.from([1, 2])] }),
  )
  const timed = await new Replay(url, cleanup).send({ operation: 'test', statements: [...recorded] })
  expect(timed).toMatchObject([{ name: 'keep', ms: expect.any(Number) }])
  const { rows } = await client.query('select * from kept')
  expect(rows).toEqual([
    { value: 'a', bytes: Buffer.from([1, 2]) },
    { value: 'a', bytes: Buffer.from([1, 2]) },
  ])
})

test('rows that were copied are copied again, between the statements before and after them', async () => {
  await client.query('create table copied (value text)')
  const text = 'copy copied from stdin'
  const recorded = await recordedOf(async () => {
    await client.query('begin')
    const copying = client.query(copyStreams.from(text))
    await pipeline(Readable.from(['first\n', `${'x'.repeat(200_000)}\n`]), copying)
    await client.query("update copied set value = 'changed'")
    await client.query('commit')
  })
  expect(recorded.map((statement) => statement.text)).toEqual([
    'begin',
    text,
    expect.stringMatching(/^update/),
    'commit',
  ])
  const timed = await new Replay(url, cleanup).send({ operation: 'test', statements: [...recorded] })
  expect(timed.map(({ ms }) => ms)).toEqual(recorded.map(() => expect.any(Number)))
  const { rows } = await client.query('select value, count(*)::integer from copied group by value')
  expect(rows).toEqual([{ value: 'changed', count: 4 }])
})

test('a statement that fails has no time, and the others are sent nevertheless', async () => {
  const statements = [sent({ text: 'select from nowhere' }), sent({ text: 'select 2' })]
  const timed = await new Replay(url, cleanup).send({ operation: 'test', statements })
  expect(timed.map(({ ms }) => ms)).toEqual([null, expect.any(Number)])
})

test('texts without a name have one without their values', () => {
  const first = statementName(sent({ text: "insert into kept values (1, 'a'),\n(2, 'it''s')" }))
  expect(first).toBe(statementName(sent({ text: "insert into kept values (33, 'b')" })))
  expect(statementName(sent({ name: 'keep', text: 'any' }))).toBe('keep')
})

test('only statements with another text are compared, and operations by all of their statements', () => {
  const times = new Times()
  const timed = (name: string, text: string, ms: number | null) => ({ name, text, ms })
  const executions = 50
  for (let count = 0; count < executions; count++) {
    times.add('search', {
      old: [timed('admit', 'a', 1), timed('deliver', 'b', 3), timed('same', 'c', 1)],
      new: [timed('deliver', 'other', 2), timed('same', 'c', 1)],
    })
  }
  times.add('once', { old: [timed('first', 'a', 1)], new: [timed('first', 'b', 9)] })
  const { changed, unchanged, seldom, operations, onlyOld, onlyNew } = times.compare()
  expect(changed).toEqual([{ name: 'deliver', executions, oldMs: 3, newMs: 2, ratio: 2 / 3 }])
  expect(unchanged).toEqual([{ name: 'same', executions, oldMs: 1, newMs: 1, ratio: 1 }])
  expect(seldom).toEqual(['first'])
  expect(operations[0]).toMatchObject({ name: 'search', oldMs: 5, newMs: 3, oldStatements: 3, newStatements: 2 })
  expect([onlyOld, onlyNew]).toEqual([['admit'], []])
})

test('an operation is timed without the steps in which a statement failed, and the statement is named', () => {
  const times = new Times()
  const admit = (text: string, ms: number | null) => [{ name: 'admit', text, ms }]
  times.add('search', { old: admit('a', 1), new: admit('b', null) })
  times.add('search', { old: admit('a', 1), new: admit('b', 2) })
  expect(times.compare()).toMatchObject({ operations: [{ executions: 1, newMs: 2 }], failed: ['new: admit'] })
})

test('a command is compared by the medians of its statements, whichever of them other work delayed', () => {
  const times = new Times()
  const both = (ms: readonly number[]) => ms.map((each, index) => ({ name: `step ${index}`, text: 'a', ms: each }))
  times.add('import', { old: both([2, 90, 3]), new: both([1, 2]) })
  times.add('import', { old: both([50, 5, 3]), new: both([1, 70]) })
  times.add('import', { old: both([2, 5, 40]), new: both([80, 2]) })
  expect(times.compare().operations).toMatchObject([
    { name: 'import', executions: 3, oldMs: 10, newMs: 3, ratio: 0.3, oldStatements: 3, newStatements: 2 },
  ])
})

test('a request is compared with the same request of the other version, not with those of a slower moment', () => {
  const times = new Times()
  const admit = (ms: number) => [{ name: 'admit', text: 'a', ms }]
  for (let count = 0; count < 20; count++)
    for (const [old, current] of [
      [1, 2],
      [2, 4],
      [100, 3],
    ] as const)
      times.add('search', { old: admit(old), new: admit(current) })
  expect(times.compare().operations).toMatchObject([{ executions: 60, oldMs: 2, newMs: 3, ratio: 2 }])
})

test('a few requests that do not always send the same statements are compared by their sums', () => {
  const times = new Times()
  const all = (ms: readonly number[]) => ms.map((each) => ({ name: 'charge', text: 'a', ms: each }))
  times.add('reveal', { old: all([1, 1]), new: all([4]) })
  times.add('reveal', { old: all([2]), new: all([4]) })
  expect(times.compare().operations).toMatchObject([{ executions: 2, oldMs: 2, newMs: 4, ratio: 2 }])
})
