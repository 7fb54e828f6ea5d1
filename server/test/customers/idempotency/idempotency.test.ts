import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { expireReplies } from '../../../src/customers/idempotency/idempotency.ts'
import {
  addCrowd,
  generous,
  reveal,
  startSecondServer,
  storedUsage,
  usageOf,
} from '../../product/contacts/support/reveals.ts'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'
import type { Json, TestReply } from '../../support/client.ts'

const start = '2026-11-10T12:00:00.000Z'
const dayMs = 24 * 3_600_000

let app: TestApp
let ids: string[]
beforeAll(async () => {
  app = await startTestApp({ now: start })
  ids = await addCrowd(app, 20)
})

const newKey = (credits = 100) => app.key({ limits: { ...generous, contact_credits: credits } })
const textOf = ({ body }: TestReply) => JSON.stringify(body)
const isReplay = ({ headers }: TestReply) => headers.get('idempotent-replayed') === 'true'

async function keptReplies(key: TestKey): Promise<number> {
  const { rows } = await app.db.query('select count(*) as kept from idempotency where account_id = $1', [
    app.accountNumber(key.account),
  ])
  return rows[0].kept
}

describe('a repeated request with the same key', () => {
  test('a retry after DELIVER_EMAILS changed gets a new reply and pays nothing', async () => {
    const key = await newKey()
    await app.importContacts([
      {
        store_domain: 'crowd-0.example',
        external_id: 'two emails',
        seniority: 'executive',
        emails: [
          { email: 'unverified@crowd.example', status: 'unverified' },
          { email: 'sound@crowd.example', status: 'verified' },
        ],
      },
    ])
    const id = (await key.post('/contacts/search', { person: { seniority_any: ['executive'] } })).body.data[0].id
    const emailsIn = ({ body }: TestReply) => body.data[0].emails.map((each: Json) => each.email)
    expect(emailsIn(await reveal(key, [id], 'before'))).toHaveLength(2)
    const restarted = await startSecondServer(app, { deliverEmails: 'verified' })
    const retried = await reveal(restarted(key), [id], 'before')
    expect(emailsIn(retried)).toEqual(['sound@crowd.example'])
    expect(retried.body.credits.spent).toBe(0)
    expect(isReplay(retried)).toBe(false)
    expect(isReplay(await reveal(restarted(key), [id], 'before'))).toBe(true)
  })

  test('a retry gets the first reply byte for byte, under its own request id, and pays nothing', async () => {
    const key = await newKey()
    const raw = (headers: Record<string, string> = {}) =>
      fetch(`${app.url}/api/v1/contacts/reveal`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key.secret}`,
          'content-type': 'application/json',
          'idempotency-key': 'a key',
          ...headers,
        },
        body: JSON.stringify({ contact_ids: ids.slice(0, 3) }),
      })
    const first = await raw()
    const firstBody = Buffer.from(await first.arrayBuffer())
    // After this change a new reply would differ.
    await app.importContacts([{ store_domain: 'crowd-0.example', external_id: 'person-0', title: 'Changed' }])
    const second = await raw({ 'content-type': 'application/json; charset=utf-8' })
    expect(Buffer.from(await second.arrayBuffer()).equals(firstBody)).toBe(true)
    expect([first.status, second.status]).toEqual([200, 200])
    expect(first.headers.has('idempotent-replayed')).toBe(false)
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    expect(JSON.parse(firstBody.toString()).request_id).toBe(first.headers.get('x-request-id'))
    expect(second.headers.get('x-request-id')).toMatch(/^req_[A-Za-z0-9]{20,}$/)
    expect(second.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'))
    for (const name of ['cache-control', 'content-type']) expect(second.headers.get(name)).toBe(first.headers.get(name))
    // A replay has no balance headers: the body has the balance of that time.
    expect(second.headers.has('x-contact-credits-remaining')).toBe(false)
    expect(await storedUsage(app, key)).toEqual({ reveals: 3, exports: 1, counted: 3, entered: 3 })
    expect((await usageOf(key)).api_requests.used).toBe(3)
  })

  test('a retry may use another API key of the account', async () => {
    const key = await newKey()
    const first = await reveal(key, [ids[5]], 'shared')
    const rotated = await reveal(await app.keyOf(key.account, {}), [ids[5]], 'shared')
    expect(isReplay(rotated)).toBe(true)
    expect(textOf(rotated)).toBe(textOf(first))
  })

  test('a retry is still checked for scope, access and limits', async () => {
    const key = await newKey()
    await reveal(key, [ids[0]], 'door')
    const blind = await app.keyOf(key.account, { scopes: ['usage:read'] })
    expect((await reveal(blind, [ids[0]], 'door')).status).toBe(403)
    await app.setAccount(key.account, { limits: { requests_per_minute: 1 } })
    expect((await reveal(key, [ids[0]], 'door')).status).toBe(429)
    await app.setAccount(key.account, { status: 'past_due', limits: { requests_per_minute: 1_000 } })
    expect((await reveal(key, [ids[0]], 'door')).status).toBe(403)
  })

  test('another body with the same key is a conflict and changes nothing', async () => {
    const key = await newKey()
    const first = await reveal(key, [ids[0], ids[1]], 'conflict')
    for (const others of [[ids[1], ids[0]], [ids[0]], [ids[0], ids[1], ids[1]], ['ct_live_AAAAAAAAAAAAAAAA']]) {
      const reply = await reveal(key, others, 'conflict')
      expect(reply.status).toBe(409)
      expect(reply.body.error).toMatchObject({
        type: 'invalid_request_error',
        code: 'idempotency_conflict',
        param: 'Idempotency-Key',
      })
    }
    expect(textOf(await reveal(key, [ids[0], ids[1]], 'conflict'))).toBe(textOf(first))
    expect((await storedUsage(app, key)).reveals).toBe(2)
  })

  test('a reply is replayed for 24 hours; after that the request runs again', async () => {
    const key = await newKey()
    await reveal(key, [ids[0]], 'day')
    app.clock.set(new Date(Date.parse(start) + dayMs - 1))
    const lastReplay = await reveal(key, [ids[0]], 'day')
    app.clock.advance(1)
    const anew = await reveal(key, [ids[0]], 'day')
    const replayOfNew = await reveal(key, [ids[0]], 'day')
    app.clock.set(start)
    expect([lastReplay, anew, replayOfNew].map(isReplay)).toEqual([true, false, true])
    expect(lastReplay.body.data[0].charged).toBe(true)
    expect(anew.body.data[0]).toMatchObject({ charged: false, reveal_status: 'already_revealed', revealed_at: start })
    expect(textOf(replayOfNew)).toBe(textOf(anew))
    expect(await storedUsage(app, key)).toMatchObject({ reveals: 1, counted: 1 })
  })
})

test('after 24 hours a key is free for another request', async () => {
  const key = await newKey()
  await reveal(key, [ids[0]], 'reused')
  app.clock.set(new Date(Date.parse(start) + dayMs))
  const other = await reveal(key, [ids[1]], 'reused')
  app.clock.set(start)
  expect([other.status, isReplay(other), other.body.credits.spent]).toEqual([200, false, 1])
})

test('kept replies are deleted when they expire, and no earlier', async () => {
  const key = await newKey()
  await reveal(key, [ids[0]], 'old')
  app.clock.advance(1_000)
  await reveal(key, [ids[0]], 'young')
  app.clock.set(start)
  await expireReplies(app.db, new Date(Date.parse(start) + dayMs - 1))
  expect(await keptReplies(key)).toBe(2)
  await expireReplies(app.db, new Date(Date.parse(start) + dayMs))
  expect(await keptReplies(key)).toBe(1)
  expect(isReplay(await reveal(key, [ids[0]], 'young'))).toBe(true)
})

test('one sweep deletes any number of expired replies', async () => {
  const key = await newKey()
  await reveal(key, [ids[0]], 'young')
  await app.db.query(
    `insert into idempotency (account_id, mode, operation, key_hash, request_hash, claimed_at)
     select $1, 'live', 'revealContacts', int4send(n), '', $2::timestamptz - n * interval '1 second'
     from generate_series(1, 2500) as n`,
    [app.accountNumber(key.account), new Date(Date.parse(start) - dayMs)],
  )
  await expireReplies(app.db, new Date(start))
  expect(await keptReplies(key)).toBe(1)
})

test.each([1, 31, 3653])(
  'a reply kept by a clock %i days ahead is kept for a day once the clock is right',
  async (days) => {
    const key = await newKey()
    app.clock.set(new Date(Date.parse(start) + days * dayMs))
    const first = await reveal(key, [ids[0]], 'of the future')
    app.clock.set(start)
    await expireReplies(app.db, app.clock.now())
    const retried = await reveal(key, [ids[0]], 'of the future')
    expect([textOf(retried), isReplay(retried)]).toEqual([textOf(first), true])
    app.clock.set(new Date(Date.parse(start) + dayMs))
    const later = await reveal(key, [ids[1]], 'of the future')
    expect([later.status, isReplay(later)]).toEqual([200, false])
    app.clock.set(new Date(Date.parse(start) + 2 * dayMs))
    await expireReplies(app.db, app.clock.now())
    expect(await keptReplies(key)).toBe(0)
    app.clock.set(start)
  },
)

test('a starting server deletes expired replies', async () => {
  const key = await newKey()
  await reveal(key, [ids[0]], 'left behind')
  app.clock.set(new Date(Date.parse(start) + dayMs))
  await startSecondServer(app)
  await vi.waitUntil(async () => (await keptReplies(key)) === 0, { timeout: 20_000 })
  app.clock.set(start)
})

describe('only successful replies are kept', () => {
  test('a request refused for lack of credits runs again after a top-up', async () => {
    const key = await newKey(1)
    expect((await reveal(key, ids.slice(0, 2), 'top-up')).status).toBe(402)
    expect((await reveal(key, ids.slice(0, 2), 'top-up')).status).toBe(402)
    await app.setAccount(key.account, { limits: { contact_credits: 2 } })
    const reply = await reveal(key, ids.slice(0, 2), 'top-up')
    expect([reply.status, isReplay(reply), reply.body.credits.spent]).toEqual([200, false, 2])
  })

  test('after a refusal the key is free for another body', async () => {
    const key = await newKey(1)
    expect((await reveal(key, ['ct_live_AAAAAAAAAAAAAAAA'], 'free')).status).toBe(404)
    expect((await reveal(key, ids.slice(0, 2), 'free')).status).toBe(402)
    await app.setAccount(key.account, { limits: { store_exports: 0 } })
    expect((await reveal(key, [ids[0]], 'free')).status).toBe(429)
    await app.setAccount(key.account, { limits: { store_exports: 1 } })
    expect((await reveal(key, [ids[0]], 'free')).status).toBe(200)
    expect(await keptReplies(key)).toBe(1)
  })
})

describe('a key', () => {
  test('the same key of two accounts or modes is two keys', async () => {
    const [one, other] = [await newKey(), await newKey()]
    const replies = [await reveal(one, [ids[0]], 'common'), await reveal(other, [ids[1]], 'common')]
    expect(replies.map(({ status }) => status)).toEqual([200, 200])
    expect(replies.map(isReplay)).toEqual([false, false])
    const sandbox = await app.keyOf(one.account, { mode: 'test' })
    expect((await reveal(sandbox, [ids[0]], 'common')).status).toBe(404)
  })

  test('keys that differ in a letter, its case or a space are different', async () => {
    const key = await newKey()
    const names = ['name', 'Name', 'name2', 'na me', '"name"', '~'.repeat(255), '~'.repeat(254), '!']
    const replies = await Promise.all(names.map((name, index) => reveal(key, [ids[index]], name)))
    expect(replies.map(isReplay)).toEqual(names.map(() => false))
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
  })

  test('a key is stored as a hash, and its reply sealed', async () => {
    const key = await newKey()
    await reveal(key, [ids[0]], 'my own name')
    const { rows } = await app.db.query(
      'select i::text as whole, key_hash, contact_ids, reply from idempotency i where account_id = $1',
      [app.accountNumber(key.account)],
    )
    expect(rows[0].key_hash).toEqual(createHash('sha256').update('my own name').digest())
    expect(rows[0].contact_ids.map(Number)).toEqual([app.deps.ids.open(ids[0]!)?.value])
    expect(rows[0].whole).not.toContain('my own name')
    expect(rows[0].reply.includes('person-0')).toBe(false)
  })

  test.each([
    ['empty', ''],
    ['of white space', '   '],
    ['of 256 characters', 'x'.repeat(256)],
    ['with a letter that is not ASCII', 'caf\u00e9'],
    ['with a tab', 'a\tb'],
  ])('a key that is %s is refused', async (_what, name) => {
    const key = await newKey()
    const reply = await reveal(key, [ids[0]], name)
    expect(reply.status).toBe(400)
    expect(reply.body.error).toMatchObject({ code: 'invalid_idempotency_key', param: 'Idempotency-Key' })
    expect((await storedUsage(app, key)).reveals).toBe(0)
  })

  test('the body is validated before the key', async () => {
    const reply = await reveal(await newKey(), [], '')
    expect(reply.body.error.code).toBe('invalid_request')
  })
})
