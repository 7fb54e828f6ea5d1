import { expect, test } from 'vitest'
import { createTestDatabase } from '../../support/database.ts'
import { randomFrom } from './support/load.ts'
import { type ApiReply, sendRequestOrThrow } from './support/requests.ts'
import { isReplay, type RevealReply, type RevealRequest, revealWithRetries } from './support/reveal.ts'
import { startService, subscribe } from './support/service.ts'
import { expectBalancedLedger, importUsers, usersSettings } from './support/users.ts'

const { url } = await createTestDatabase()
const settings = { DATABASE_URL: url, ...usersSettings }
const exportsAllowance = 1_000

interface Outcome {
  wish: RevealRequest
  answer: ApiReply
  reply: RevealReply
}

test('a hundred concurrent reveals on two servers, with one credit too few', { timeout: 120_000 }, async () => {
  const services = await Promise.all([startService(settings), startService(settings)])
  const ids = await importUsers(settings, 8)
  for (const seed of [11, Date.now() % 1_000_000]) {
    const wishes = drawWishes(ids, randomFrom(seed))
    const credits = new Set(wishes.flatMap((wish) => wish.ids)).size - 1
    const { live } = await subscribe(settings, { contact_credits: credits, store_exports: exportsAllowance })

    const outcomes = await Promise.all(
      wishes.map(async (wish, i): Promise<Outcome> => {
        const answer = await revealWithRetries(services[i % 2]!.api, live, wish)
        return { wish, answer, reply: answer.body as unknown as RevealReply }
      }),
    )
    const seen = `seed ${seed}`
    expect(new Set(outcomes.map(({ answer }) => answer.status)), seen).toEqual(new Set([200, 402]))
    const firsts = outcomes.filter(({ answer }) => !isReplay(answer))
    expectSerialOrder(firsts, credits, seen)
    expectTruthfulReplays(outcomes, seen)

    const spent = firsts.reduce((sum, { reply }) => sum + (reply.credits?.spent ?? 0), 0)
    for (const { api } of services)
      expect((await sendRequestOrThrow(api, live, '/usage')).body.contact_credits, seen).toMatchObject({
        total: credits,
        used: spent,
        remaining: credits - spent,
      })
    await expectBalancedLedger(settings)
  }
  for (const service of services) expect(service.log()).not.toContain('"status":500')
})

/** Requests of one to ten ids; some have a key, and some keys occur twice. */
function drawWishes(ids: string[], random: () => number): RevealRequest[] {
  const draw = (idempotencyKey: string | null): RevealRequest => {
    const some = Array.from({ length: 1 + Math.floor(random() * 10) }, () => ids[Math.floor(random() * ids.length)]!)
    return { ids: [...new Set(some)], idempotencyKey }
  }
  const plain = Array.from({ length: 50 }, () => draw(null))
  const keyed = Array.from({ length: 40 }, (_, i) => draw(`once ${i}`))
  const inTurn = [...plain, ...keyed, ...keyed.slice(0, 10)].map((wish) => ({ wish, turn: random() }))
  return inTurn.sort((a, b) => a.turn - b.turn).map(({ wish }) => wish)
}

/** The revealed ids and remaining credits after each charged reveal. The remaining credits give the order. */
interface CachedKeyVersions {
  remaining: number
  exportsLeft: number
  revealed: ReadonlySet<string>
}

/** Every reply is the one that its request gets in some serial order of all requests. */
function expectSerialOrder(outcomes: Outcome[], credits: number, seen: string): void {
  const successes = outcomes.filter(({ answer }) => answer.status === 200)
  const moments = new Map<string, string>()
  const storeOf = new Map<string, string>()
  for (const { wish, reply } of successes) {
    expect(
      reply.data.map(({ id }) => id),
      seen,
    ).toEqual(wish.ids)
    for (const { id, revealed_at, store } of reply.data) {
      storeOf.set(id, store.id)
      if (!moments.has(id)) moments.set(id, revealed_at)
      expect(revealed_at, seen).toBe(moments.get(id))
    }
  }

  const standings: CachedKeyVersions[] = [{ remaining: credits, exportsLeft: exportsAllowance, revealed: new Set() }]
  const spending = successes.filter(({ reply }) => reply.credits.spent > 0)
  for (const { answer, reply } of spending.sort((a, b) => b.reply.credits.remaining - a.reply.credits.remaining)) {
    const before = standings.at(-1)!
    const fresh = reply.data.filter(({ id }) => !before.revealed.has(id)).map(({ id }) => id)
    const charged = reply.data.filter((contact) => contact.charged).map(({ id }) => id)
    const newly = reply.data.filter(({ reveal_status }) => reveal_status === 'newly_revealed').map(({ id }) => id)
    expect({ charged, newly, credits: reply.credits }, seen).toEqual({
      charged: fresh,
      newly: fresh,
      credits: { spent: fresh.length, remaining: before.remaining - fresh.length },
    })
    const revealed = new Set([...before.revealed, ...fresh])
    const exportsLeft = exportsAllowance - new Set([...revealed].map((id) => storeOf.get(id))).size
    // A reveal without a new export may report an earlier state in this header, never a later one.
    if (exportsLeft < before.exportsLeft) expect(exportsLeftOf(answer), seen).toBe(exportsLeft)
    else
      expect(
        standings.map((standing) => standing.exportsLeft),
        seen,
      ).toContain(exportsLeftOf(answer))
    standings.push({ remaining: before.remaining - fresh.length, exportsLeft, revealed })
  }

  for (const { answer, reply } of successes.filter(({ reply }) => reply.credits.spent === 0)) {
    expect(reply.data.some(({ charged, reveal_status }) => charged || reveal_status !== 'already_revealed')).toBe(false)
    const fits = ({ remaining, exportsLeft, revealed }: CachedKeyVersions) =>
      remaining === reply.credits.remaining &&
      exportsLeft === exportsLeftOf(answer) &&
      reply.data.every(({ id }) => revealed.has(id))
    expect(standings.some(fits), `${seen}: ${answer.text}`).toBe(true)
  }
  for (const { wish, answer } of outcomes.filter(({ answer }) => answer.status === 402)) {
    expect(answer.body.error, seen).toMatchObject({ code: 'insufficient_contact_credits', param: 'contact_ids' })
    const lacks = ({ remaining, revealed }: CachedKeyVersions) =>
      wish.ids.filter((id) => !revealed.has(id)).length > remaining
    expect(standings.some(lacks), `${seen}: ${answer.text}`).toBe(true)
  }
}

const exportsLeftOf = ({ headers }: ApiReply) => Number(headers.get('x-store-exports-remaining'))

/** Of two successes with one key, one is a replay of the other. */
function expectTruthfulReplays(outcomes: Outcome[], seen: string): void {
  for (const { wish, answer } of outcomes.filter(isKeyedSuccess)) {
    const same = outcomes.filter((other) => isKeyedSuccess(other) && other.wish === wish)
    expect(new Set(same.map((other) => other.answer.text)), seen).toEqual(new Set([answer.text]))
    expect(
      same.filter((other) => isReplay(other.answer)),
      seen,
    ).toHaveLength(same.length - 1)
  }
}

const isKeyedSuccess = ({ wish, answer }: Outcome) => wish.idempotencyKey !== null && answer.status === 200
