import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { Lane } from '@storedex/pg-lanes'
import fc from 'fast-check'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { proofRuns } from '../../../../bin/tests/proof-runs.ts'
import { eraseContacts } from '../../../src/catalogue/erasure/erase-contacts.ts'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'
import type { Json, TestClient, TestReply } from '../../support/client.ts'
import { countLockWaits } from '../../support/database.ts'
import {
  addCrowd,
  generous,
  idsByFirstName,
  reveal,
  startSecondServer,
  storedUsage,
  unknownId,
  usageOf,
} from './support/reveals.ts'

let app: TestApp
/** A client of the second server with the same key. */
let atSecondServer: (key: TestKey) => TestClient
let ids: string[]
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  atSecondServer = await startSecondServer(app)
  ids = await addCrowd(app, 60)
})

/** A request is admitted with its charge only once its server knows the key. */
async function knownToBoth(key: TestKey): Promise<TestClient[]> {
  const callers = [key, atSecondServer(key)]
  for (const caller of callers) expect((await reveal(caller, [ids[59]])).status).toBe(200)
  return callers
}

/** Holds up the charges of an account until the returned function is called. */
async function holdCharges({ account }: TestKey): Promise<() => Promise<void>> {
  const client = await app.db.connect()
  await client.query('begin')
  await client.query('select from usage_counters where account_id = $1 for update', [app.accountNumber(account)])
  return async () => {
    await client.query('rollback')
    client.release()
  }
}

const statuses = (replies: readonly TestReply[]) => replies.map(({ status }) => status)
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)

/** Sends one request per list of contacts, all at once and by turns to the callers. */
function burst(
  callers: readonly TestClient[],
  lists: readonly (readonly string[])[],
  keyOf: (index: number) => string | undefined = () => undefined,
): Promise<TestReply[]> {
  return Promise.all(lists.map((list, index) => reveal(callers[index % callers.length]!, list, keyOf(index))))
}

const how: [string, (index: number) => string | undefined][] = [
  ['without Idempotency-Keys', () => undefined],
  ['with Idempotency-Keys', (index) => `burst-${index}`],
]

describe.each(how)('reveals at once %s', (_how, keyOf) => {
  test('pay once for contacts that many ask for, and the replies add up to the ledger', async () => {
    const key = await app.key({ limits: generous })
    const callers = await knownToBoth(key)
    const lists = Array.from({ length: 60 }, (_, index) => [ids[index % 20]!, ids[(index * 7) % 20]!, ids[20]!])
    const replies = await burst(callers, lists, keyOf)
    expect(new Set(statuses(replies))).toEqual(new Set([200]))
    // 21 contacts, and the one by which the servers know the key.
    expect(sum(replies.map(({ body }) => body.credits.spent))).toBe(21)
    expect(await storedUsage(app, key)).toMatchObject({ reveals: 22, counted: 22, entered: 22 })
    for (const { body } of replies)
      expect(body.data.filter((contact: Json) => contact.charged)).toHaveLength(body.credits.spent)
    const charged = replies.flatMap(({ body }) => body.data.filter((contact: Json) => contact.charged))
    expect(new Set(charged.map((contact: Json) => contact.id)).size).toBe(21)
    const { rows } = await app.db.query(
      "select request_id, amount from ledger where account_id = $1 and meter = 'contact_credits'",
      [app.accountNumber(key.account)],
    )
    const entered = new Map(rows.map((row) => [row.request_id, row.amount]))
    for (const { body } of replies) expect(entered.get(body.request_id) ?? 0).toBe(body.credits.spent)
  })

  test('share transactions', async () => {
    const key = await app.key({ limits: generous })
    await knownToBoth(key)
    const arrived = vi.spyOn(Lane.prototype, 'untilAborted')
    onTestFinished(() => arrived.mockRestore())
    // The first one waits until all have arrived, however slowly they come.
    const release = await holdCharges(key)
    const replies = burst(
      [key],
      ids.slice(0, 50).map((id) => [id]),
      keyOf,
    )
    // Without a key the people are read in a step of their own.
    const steps = keyOf(0) === undefined ? 100 : 50
    await expect.poll(() => arrived.mock.calls.length).toBe(steps)
    await release()
    await replies
    const { rows } = await app.db.query(
      'select count(*) as reveals, count(distinct xmin::text) as transactions from reveals where account_id = $1',
      [app.accountNumber(key.account)],
    )
    expect(rows[0].reveals).toBe(51)
    expect(rows[0].transactions).toBeLessThan(25)
  })

  test('that lost their connection are all answered with 503, and paid for once when they are repeated', async () => {
    const key = await app.key({ limits: generous })
    await knownToBoth(key)
    const lists = ids.slice(0, 12).map((id) => [id])
    const release = await holdCharges(key)
    let isAnswered = false
    const lost = burst([key], lists, keyOf).finally(() => {
      isAnswered = true
    })
    while (!isAnswered) {
      await app.db.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`,
      )
      await yieldToEventLoop()
    }
    expect(new Set(statuses(await lost))).toEqual(new Set([503]))
    await release()
    expect(await storedUsage(app, key)).toMatchObject({ reveals: 1, counted: 1, entered: 1 })
    const repeated = await burst([key], lists, keyOf)
    expect(repeated.map(({ body }) => body.credits?.spent)).toEqual(lists.map(() => 1))
    expect(await storedUsage(app, key)).toMatchObject({ reveals: 13, counted: 13, entered: 13 })
    const again = await burst([key], lists, keyOf)
    expect(sum(again.map(({ body }) => (keyOf(0) === undefined ? body.credits.spent : 0)))).toBe(0)
    if (keyOf(0) !== undefined) expect(again.map(({ body }) => body)).toEqual(repeated.map(({ body }) => body))
  })

  test('succeed exactly as far as the credits of the account reach, and refuse as a lone request does', async () => {
    const key = await app.key({ limits: { ...generous, contact_credits: 12 } })
    const callers = await knownToBoth(key)
    const replies = await burst(
      callers,
      Array.from({ length: 40 }, (_, index) => [ids[index]!]),
      keyOf,
    )
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(11)
    const refused = replies.filter(({ status }) => status !== 200)
    const alone = await reveal(key, [ids[58]])
    expect(alone.status).toBe(402)
    for (const { status, body } of refused)
      expect({ status, error: { ...body.error, request_id: null } }).toEqual({
        status: 402,
        error: { ...alone.body.error, request_id: null },
      })
    expect(await storedUsage(app, key)).toMatchObject({ reveals: 12, counted: 12, entered: 12 })
    // The refused ones are requests too.
    expect((await usageOf(key)).api_requests.used).toBe(2 + 40 + 1 + 1)
  })

  test('succeed exactly as far as the budget of the key reaches, beside a key without a budget', async () => {
    const key = await app.key({ limits: generous, budget: { contact_credits: 6 } })
    const other = await app.keyOf(key.account, {})
    await knownToBoth(key)
    expect((await reveal(other, [ids[59]])).status).toBe(200)
    const replies = await burst(
      [key, other],
      Array.from({ length: 40 }, (_, index) => [ids[index]!]),
      keyOf,
    )
    const ofKey = replies.filter((_, index) => index % 2 === 0)
    const ofOther = replies.filter((_, index) => index % 2 === 1)
    expect(new Set(statuses(ofOther))).toEqual(new Set([200]))
    expect(ofKey.filter(({ status }) => status === 200)).toHaveLength(5)
    for (const { body } of ofKey.filter(({ status }) => status !== 200))
      expect(body.error).toMatchObject({ code: 'insufficient_contact_credits', param: 'key_budget.contact_credits' })
    expect(await storedUsage(app, key)).toMatchObject({ reveals: 26, counted: 26, entered: 26 })
    const left = ofKey.flatMap(({ status, body }) => (status === 200 ? [body.credits.remaining] : []))
    expect(left.sort()).toEqual([0, 1, 2, 3, 4])
  })

  test('are admitted exactly as far as the minute reaches', async () => {
    const key = await app.key({ limits: { requests_per_minute: 25, requests_per_day: 1_000 } })
    const callers = await knownToBoth(key)
    const replies = await burst(
      callers,
      Array.from({ length: 40 }, (_, index) => [ids[index]!]),
      keyOf,
    )
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(23)
    expect(
      replies.filter(({ status, body }) => status === 429 && body.error.param === 'requests_per_minute'),
    ).toHaveLength(17)
    const left = replies
      .filter(({ status }) => status === 200)
      .map(({ headers }) => headers.get('x-ratelimit-remaining'))
    expect(left.map(Number).sort((a, b) => a - b)).toEqual(Array.from({ length: 23 }, (_, index) => index))
    expect(await storedUsage(app, key)).toMatchObject({ reveals: 24, counted: 24, entered: 24 })
  })

  test('fail alone for contacts that are unknown, and the others are unaffected', async () => {
    const key = await app.key({ limits: generous })
    const callers = await knownToBoth(key)
    const lists = Array.from({ length: 30 }, (_, index) => [index % 3 === 0 ? unknownId(app) : ids[index]!])
    const replies = await burst(callers, lists, keyOf)
    expect(statuses(replies)).toEqual(lists.map((_, index) => (index % 3 === 0 ? 404 : 200)))
    expect(await storedUsage(app, key)).toMatchObject({ reveals: 21, counted: 21, entered: 21 })
    // Nothing is kept for them.
    if (keyOf(0) !== undefined) expect((await reveal(key, [ids[0]], keyOf(0))).status).toBe(200)
  })

  test('of a key that was revoked meanwhile are all refused', async () => {
    const key = await app.key({ limits: generous })
    const callers = await knownToBoth(key)
    await app.revokeKey(key)
    const replies = await burst(
      callers,
      Array.from({ length: 20 }, (_, index) => [ids[index]!]),
      keyOf,
    )
    for (const { status, body } of replies) expect([status, body.error.code]).toEqual([401, 'revoked_api_key'])
    expect(await storedUsage(app, key)).toMatchObject({ reveals: 1, counted: 1, entered: 1 })
  })
})

test('a burst of reveals with Idempotency-Keys is replayed byte by byte on another server, and pays nothing', async () => {
  const key = await app.key({ limits: generous })
  const callers = await knownToBoth(key)
  const lists = Array.from({ length: 40 }, (_, index) => ids.slice(index % 30, (index % 30) + 10))
  const first = await burst(callers, lists, (index) => `again-${index}`)
  expect(new Set(statuses(first))).toEqual(new Set([200]))
  const before = await storedUsage(app, key)
  const second = await burst([...callers].reverse(), lists, (index) => `again-${index}`)
  expect(second.map(({ body }) => JSON.stringify(body))).toEqual(first.map(({ body }) => JSON.stringify(body)))
  expect(second.every(({ headers }) => headers.get('idempotent-replayed') === 'true')).toBe(true)
  expect(await storedUsage(app, key)).toEqual(before)
  expect((await usageOf(key)).api_requests.used).toBe(2 + 40 + 40 + 1)
})

test('no reply of a burst is kept that holds somebody who was erased meanwhile', async () => {
  const key = await app.key({ limits: generous })
  const callers = await knownToBoth(key)
  const names = Array.from({ length: 10 }, (_, index) => `leaving-${index}`)
  await app.importStores([{ domain: 'leaving.example', name: 'Leaving' }])
  await app.importContacts(
    names.map((name) => ({
      ...{ store_domain: 'leaving.example', external_id: name, first_name: name },
      emails: [{ email: `${name}@leaving.example`, status: 'verified' }],
    })),
  )
  const idOf = await idsByFirstName(key)
  const leaving = names.map((name) => idOf[name]!)
  // One in four has only people who stay.
  const lists = Array.from({ length: 60 }, (_, index) => [
    ids[index % 50]!,
    index % 4 === 0 ? leaving[9]! : leaving[index % 10]!,
  ])
  // The first ones wait in their charge until the erasures have begun.
  const release = await holdCharges(key)
  const revealing = burst(callers, lists, (index) => `leaving-${index}`)
  await expect.poll(() => countLockWaits(app.db)).toBeGreaterThan(0)
  const erasing = Promise.all(leaving.slice(0, 8).map((id) => eraseContacts(app.operator, { id })))
  await release()
  const [replies] = await Promise.all([revealing, erasing])
  expect(new Set(statuses(replies))).toEqual(new Set([200]))
  const erased = leaving.slice(0, 8).map((id) => app.deps.ids.open(id)!.value)
  const { rows } = await app.db.query(
    'select contact_ids && $2::bigint[] as has_erased from idempotency where account_id = $1',
    [app.accountNumber(key.account), erased],
  )
  expect(rows.filter((row) => row.has_erased)).toEqual([])
  // A reply without any of them stays kept.
  expect(rows.length).toBeGreaterThan(0)
  const again = await burst(callers, lists, (index) => `leaving-${index}`)
  const delivered = again.flatMap(({ body }) => body.data.map((contact: Json) => contact.id))
  expect(delivered.filter((id) => leaving.slice(0, 8).includes(id))).toEqual([])
})

const lists = fc.array(fc.array(fc.nat(19), { minLength: 1, maxLength: 5 }), { minLength: 2, maxLength: 24 })

test('whatever is revealed at once costs what it costs one after the other', async () => {
  await fc.assert(
    fc.asyncProperty(lists, fc.boolean(), async (requests, isKept) => {
      const wanted = requests.map((request) => request.map((index) => ids[index]!))
      const key = await app.key({ limits: generous })
      const replies = await burst(await knownToBoth(key), wanted, (index) => (isKept ? `p-${index}` : undefined))
      const distinct = new Set(wanted.flat()).size
      const stores = new Set([59, ...requests.flat()].map((index) => Math.floor(index / 10))).size
      expect(sum(replies.map(({ body }) => body.credits.spent))).toBe(distinct)
      expect(await storedUsage(app, key)).toEqual({
        reveals: distinct + 1,
        exports: stores,
        counted: distinct + 1,
        entered: distinct + 1,
      })
      expect(Math.min(...replies.map(({ body }) => body.credits.remaining))).toBe(1_000 - distinct - 1)
    }),
    { numRuns: proofRuns(15) },
  )
})
