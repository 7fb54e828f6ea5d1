import { beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'
import type { Json, TestClient, TestReply } from '../../support/client.ts'
import { addCrowd, generous, reveal, startSecondServer, storedUsage, usageOf } from './support/reveals.ts'

let app: TestApp
/** A client of the second server with the same key. */
let atSecondServer: (key: TestKey) => TestClient
let ids: string[]
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  atSecondServer = await startSecondServer(app)
  ids = await addCrowd(app, 60)
})

interface Exchange {
  contactIds: string[]
  reply: TestReply
}

function overlappingRequests(count: number): string[][] {
  return Array.from({ length: count }, (_, request) => {
    const size = 1 + ((request * 7) % 10)
    const picked = Array.from({ length: size }, (_, place) => ids[(request * 11 + place * 17) % ids.length]!)
    return request % 2 ? picked : picked.reverse()
  })
}

test.each([
  ['without', () => undefined],
  ['with', (index: number) => (index % 3 === 0 ? undefined : `key-${Math.floor(index / 2)}`)],
])(
  'the replies of 100 overlapping reveals on two servers, %s idempotency keys and one credit short, fit one order',
  async (_how, idempotencyKeyOf) => {
    const idLists = overlappingRequests(100)
    const requests = idLists.map((people, index) => {
      const idempotencyKey = idempotencyKeyOf(index)
      // Two requests with one key have the same body; each server gets one.
      return { idempotencyKey, wanted: idempotencyKey === undefined ? people : idLists[index - (index % 2)]! }
    })
    const credits = new Set(requests.flatMap(({ wanted }) => wanted)).size - 1
    const key = await app.key({ limits: { ...generous, contact_credits: credits } })
    const callers = [key, atSecondServer(key)]
    const exchanges: Exchange[] = await Promise.all(
      requests.map(async ({ wanted, idempotencyKey }, index) => ({
        contactIds: wanted,
        reply: await reveal(callers[index % 2]!, wanted, idempotencyKey),
      })),
    )
    expect([...new Set(exchanges.map(({ reply }) => reply.status))].sort()).toEqual([200, 402])

    const paidFor = expectOneOrder(credits, exchanges)
    const { reveals, counted, entered } = await storedUsage(app, key)
    expect([reveals, counted, entered]).toEqual([paidFor, paidFor, paidFor])
    expect((await usageOf(key)).contact_credits.used).toBe(paidFor)
    expect(paidFor).toBeLessThanOrEqual(credits)
  },
)

/**
 * Expects that the replies are correct for some order of the requests, and returns how many contacts were paid for. The
 * credits left order the replies: those that spent credits follow each other without a gap, which determines the contacts
 * revealed before each.
 */
function expectOneOrder(credits: number, exchanges: readonly Exchange[]): number {
  const successes = exchanges.filter(({ reply }) => reply.status === 200)
  const bodies = [...new Map(successes.map(({ reply }) => [reply.body.request_id, reply.body])).values()]
  const spending = bodies.filter((body) => body.credits.spent > 0)
  spending.sort((a, b) => b.credits.remaining - a.credits.remaining)

  /** The contacts revealed so far, by credits left. */
  const revealedAt = new Map([[credits, new Set<string>()]])
  let left = credits
  for (const body of spending) {
    const before = revealedAt.get(left)!
    expect(body.credits.remaining).toBe(left - body.credits.spent)
    expect(newIn(body)).toHaveLength(body.credits.spent)
    expectStatuses(body, before)
    left = body.credits.remaining
    revealedAt.set(left, new Set([...before, ...newIn(body)]))
  }
  for (const body of bodies.filter(({ credits: { spent } }) => spent === 0))
    expectStatuses(body, revealedAt.get(body.credits.remaining)!)
  for (const { contactIds, reply } of exchanges.filter(({ reply: { status } }) => status === 402)) {
    const [, needed, leftThen] = /^(\d+) .* needed, but (\d+) of/.exec(reply.body.error.message)!.map(Number)
    const unrevealed = new Set(contactIds.filter((id) => !revealedAt.get(leftThen!)!.has(id)))
    expect(needed).toBe(unrevealed.size)
    expect(needed).toBeGreaterThan(leftThen!)
  }
  return credits - left
}

const newIn = (body: Json): string[] =>
  body.data.filter((contact: Json) => contact.charged).map((contact: Json) => contact.id)

function expectStatuses(body: Json, before: ReadonlySet<string>): void {
  for (const { id, charged, reveal_status } of body.data)
    expect({ charged, reveal_status }).toEqual(
      before.has(id)
        ? { charged: false, reveal_status: 'already_revealed' }
        : { charged: true, reveal_status: 'newly_revealed' },
    )
}

test('40 concurrent reveals of the same ten people are paid for once', async () => {
  const key = await app.key({ limits: { ...generous, contact_credits: 10 } })
  const callers = [key, atSecondServer(key)]
  const replies = await Promise.all(
    Array.from({ length: 40 }, (_, request) => {
      const wanted = ids.slice(0, 10)
      return reveal(callers[request % 2]!, request % 4 < 2 ? wanted : wanted.reverse())
    }),
  )
  expect(replies.map(({ status }) => status)).toEqual(Array(40).fill(200))
  expect(replies.map(({ body }) => body.credits.spent).sort((a, b) => a - b)).toEqual([...Array(39).fill(0), 10])
  expect(replies.map(({ body }) => body.credits.remaining)).toEqual(Array(40).fill(0))
  expect(await storedUsage(app, key)).toEqual({ reveals: 10, exports: 1, counted: 10, entered: 10 })
})

test('concurrent reveals and lookups never exceed the export allowance', async () => {
  const key = await app.key({ limits: { ...generous, store_exports: 4 } })
  const callers = [key, atSecondServer(key)]
  const replies = await Promise.all(
    Array.from({ length: 60 }, (_, request) => {
      const caller = callers[request % 2]!
      const store = request % 6
      return request % 3 === 0
        ? caller.get(`/stores/crowd-${store}.example`)
        : reveal(caller, [ids[store * 10]!, ids[((store + 1) % 6) * 10]!])
    }),
  )
  expect([...new Set(replies.map(({ status }) => status))].sort()).toEqual([200, 429])
  for (const { body } of replies.filter(({ status }) => status === 429)) {
    const [, left] = /^(\d) of 4 store exports are left/.exec(body.error.message)!
    // Each reply holds at most two stores.
    expect(Number(left)).toBeLessThan(2)
  }
  const stored = await storedUsage(app, key)
  expect(stored.exports).toBeLessThanOrEqual(4)
  expect((await usageOf(key)).store_exports.used).toBe(stored.exports)
  expect([stored.counted, stored.entered]).toEqual([stored.reveals, stored.reveals])
})
