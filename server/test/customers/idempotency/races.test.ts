import { createHash } from 'node:crypto'
import pg from 'pg'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { eraseContacts } from '../../../src/catalogue/erasure/erase-contacts.ts'
import { addCrowd, generous, reveal, startSecondServer, storedUsage } from '../../product/contacts/support/reveals.ts'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'
import type { TestClient } from '../../support/client.ts'
import { countLockWaits } from '../../support/database.ts'

let app: TestApp
/** A client of the second server with the same key. */
let atSecondServer: (key: TestKey) => TestClient
let ids: string[]
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  atSecondServer = await startSecondServer(app)
  ids = await addCrowd(app, 20)
})

const newKey = () => app.key({ limits: generous })
const polling = { timeout: 20_000, interval: 10 }

/** Lets claims wait in the database for as long as the test holds them: two seconds are too short on a busy machine. */
function waitPatiently(): void {
  const { query } = pg.Client.prototype
  const patient = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
    this: pg.Client,
    ...[statement, ...rest]: unknown[]
  ) {
    const patiently =
      typeof statement === 'string'
        ? // The bound on a batch stays: it keeps one request from holding up others.
          statement.replace(/set local lock_timeout = \d{3,}/, 'set local lock_timeout = 60000')
        : statement
    return Reflect.apply(query, this, [patiently, ...rest])
  })
  onTestFinished(() => patient.mockRestore())
}

/** Claims an Idempotency-Key in a transaction that stays open until `rollback`. */
async function holdClaim(key: TestKey, name: string) {
  const client = await app.db.connect()
  await client.query('begin')
  await client.query(
    `insert into idempotency (account_id, mode, operation, key_hash, request_hash, claimed_at)
     values ($1, 'live', 'revealContacts', $2, '', $3)`,
    [app.accountNumber(key.account), createHash('sha256').update(name).digest(), app.clock.now()],
  )
  return {
    rollback: async () => {
      await client.query('rollback')
      client.release()
    },
  }
}

test('20 concurrent requests with one key to two servers run once and get the same reply', async () => {
  waitPatiently()
  const key = await newKey()
  const callers = [key, atSecondServer(key)]
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, request) => reveal(callers[request % 2]!, ids.slice(0, 10), 'at once')),
  )
  expect(replies.map(({ status }) => status)).toEqual(Array(20).fill(200))
  expect(new Set(replies.map(({ body }) => JSON.stringify(body))).size).toBe(1)
  expect(replies.filter(({ headers }) => headers.has('idempotent-replayed'))).toHaveLength(19)
  expect(new Set(replies.map(({ headers }) => headers.get('x-request-id'))).size).toBe(20)
  expect(await storedUsage(app, key)).toEqual({ reveals: 10, exports: 1, counted: 10, entered: 10 })
})

test('concurrent requests with one key and two bodies run for one body and conflict for the other', async () => {
  waitPatiently()
  const key = await newKey()
  const callers = [key, atSecondServer(key)]
  const replies = await Promise.all(
    Array.from({ length: 10 }, (_, request) => reveal(callers[request % 2]!, [ids[request % 2]], 'two bodies')),
  )
  expect(replies.map(({ status }) => status).sort()).toEqual([...Array(5).fill(200), ...Array(5).fill(409)])
  expect((await storedUsage(app, key)).reveals).toBe(1)
})

test('concurrent requests with one key that lack credits are all refused', async () => {
  const key = await app.key({ limits: { ...generous, contact_credits: 0 } })
  const callers = [key, atSecondServer(key)]
  const replies = await Promise.all(
    Array.from({ length: 10 }, (_, request) => reveal(callers[request % 2]!, [ids[0]], 'refused')),
  )
  expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(402))
})

test('a request whose key is in progress elsewhere gets 409 and spends nothing', async () => {
  const key = await newKey()
  const held = await holdClaim(key, 'at work')
  onTestFinished(held.rollback)
  const replies = await Promise.all([reveal(key, [ids[0]], 'at work'), reveal(key, [ids[0]], 'at work')])
  for (const reply of replies) {
    expect(reply.status).toBe(409)
    expect(reply.body.error).toMatchObject({ code: 'idempotency_in_progress', param: 'Idempotency-Key' })
    expect(reply.headers.get('retry-after')).toBe('1')
  }
  expect((await storedUsage(app, key)).reveals).toBe(0)
})

test('when the request that holds the key fails, the one that waits runs', async () => {
  waitPatiently()
  const key = await newKey()
  const held = await holdClaim(key, 'in vain')
  const waiting = reveal(key, [ids[0]], 'in vain')
  await vi.waitUntil(async () => (await countLockWaits(app.db)) === 1, polling)
  await held.rollback()
  const reply = await waiting
  expect([reply.status, reply.body.credits?.spent]).toEqual([200, 1])
})

test('requests that wait for one key use one connection and do not block others', async () => {
  waitPatiently()
  const key = await newKey()
  const held = await holdClaim(key, 'crowded')
  const waiting = Promise.all(Array.from({ length: 50 }, () => reveal(key, [ids[0]], 'crowded')))
  await vi.waitUntil(async () => (await countLockWaits(app.db)) === 1, polling)
  const others = await Promise.all(
    Array.from({ length: 20 }, (_, request) => reveal(key, [ids[1]], `other ${request}`)),
  )
  expect(others.map(({ status }) => status)).toEqual(Array(20).fill(200))
  expect(await countLockWaits(app.db)).toBeLessThanOrEqual(1)
  await held.rollback()
  const replies = await waiting
  // On a slow machine, requests that waited two seconds get 409; nothing else may happen.
  for (const { status, body } of replies) expect([200, 409], body.error?.code).toContain(status)
  expect((await storedUsage(app, key)).reveals).toBeLessThanOrEqual(2)
})

test('a contact erased during its reveal is delivered at most once, and its reply is not kept', async () => {
  const key = await newKey()
  const account = app.accountNumber(key.account)
  await reveal(key, [ids[1]])
  // The reveal waits in its charge.
  const client = await app.db.connect()
  await client.query('begin')
  await client.query('select from usage_counters where account_id = $1 for update', [account])
  const revealing = reveal(key, [ids[15]], 'erased')
  await vi.waitUntil(async () => (await countLockWaits(app.db)) === 1, polling)
  const erasing = eraseContacts(app.operator, { id: ids[15]! })
  await vi.waitUntil(async () => (await countLockWaits(app.db)) === 2, polling)
  await client.query('rollback')
  client.release()

  expect((await revealing).status).toBe(200)
  expect(await erasing).toEqual({ erased: 1 })
  const { rows } = await app.db.query('select from idempotency where account_id = $1', [account])
  expect(rows).toEqual([])
  expect((await reveal(key, [ids[15]], 'erased')).status).toBe(404)
  expect((await storedUsage(app, key)).reveals).toBe(2)
})

test('a deadlock is retried from the claim on, unseen by the caller', async () => {
  const key = await newKey()
  const account = app.accountNumber(key.account)
  await reveal(key, [ids[1]])
  const contact = app.deps.ids.open(ids[2]!)!.value
  const client = await app.db.connect()
  await client.query('begin')
  await client.query('select from usage_counters where account_id = $1 for update', [account])
  const revealing = reveal(key, [ids[2]], 'deadlock')
  await vi.waitUntil(async () => (await countLockWaits(app.db)) === 1, polling)
  // The reveal has locked the contact's row and waits for the counter; this transaction does the opposite.
  const crossing = client.query("insert into reveals values ($1, 'live', $2, $3)", [account, contact, app.clock.now()])
  await crossing.catch(() => {})
  await client.query('rollback')
  client.release()

  const reply = await revealing
  expect([reply.status, reply.body.credits?.spent]).toEqual([200, 1])
  const again = await reveal(key, [ids[2]], 'deadlock')
  expect(JSON.stringify(again.body)).toBe(JSON.stringify(reply.body))
  expect(await storedUsage(app, key)).toMatchObject({ reveals: 2, counted: 2, entered: 2 })
})
