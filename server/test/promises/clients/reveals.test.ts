import { mapConcurrently, shuffle } from '@storedex/testkit'
import { beforeAll, expect, test } from 'vitest'
import { Random } from '../../../../catalogue/build/random.ts'
import {
  type Contact,
  type ContactRevealResult,
  CostLimitError,
  InsufficientCreditsError,
  NotFoundError,
  type Storedex,
  StoredexError,
} from '../../../../client/src/index.ts'
import { addCrowd, generous, unknownId } from '../../product/contacts/support/reveals.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { chargedTo, connectClient, failureOf, ledgerDifferences, seed, startFaultProxy } from './support/disturbed.ts'

const crowd = 240
let app: TestApp
let ids: string[]
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  ids = await addCrowd(app, crowd)
})

/** Calls again under the same key when all retries of a call have failed, as a program would. */
async function revealToTheEnd(storedex: Storedex, contact_ids: string[], idempotencyKey: string) {
  for (let call = 0; ; call++) {
    try {
      return await storedex.contacts.reveal({ contact_ids }, { idempotencyKey })
    } catch (error) {
      if (call === 8 || !(error instanceof StoredexError && error.retryable)) throw error
    }
  }
}

/** What does not depend on who was charged. */
const personOf = ({ charged: _, reveal_status: __, ...person }: Contact) => person

test(`through faults every person is charged once, and every reply is the undisturbed one (seed ${seed})`, async () => {
  const key = await app.key({ limits: generous })
  const proxy = await startFaultProxy(app)
  const disturbed = connectClient(proxy.origin, key, { maxRetries: 6 })
  const random = new Random(seed)
  const some = (least: number, more: number) => shuffle(ids, random).slice(0, least + random.below(more))
  const calls = Array.from({ length: 200 }, (_, index) => ({
    idempotencyKey: `call ${index}`,
    // Some in several parts.
    wanted: index % 20 === 0 ? some(15, 30) : some(1, 4),
  }))
  const replies: ContactRevealResult[] = await mapConcurrently(
    calls,
    ({ wanted, idempotencyKey }) => revealToTheEnd(disturbed, wanted, idempotencyKey),
    40,
  )
  await proxy.settle()
  expect(proxy.exchanges.filter(({ fault }) => fault !== 'pass').length).toBeGreaterThan(100)

  // The same call again, undisturbed, is answered with what the service keeps.
  const direct = connectClient(app.url, key)
  const again = await mapConcurrently(calls, ({ wanted: contact_ids, idempotencyKey }) =>
    direct.contacts.reveal({ contact_ids }, { idempotencyKey }),
  )
  expect(again).toEqual(replies)
  // Another account gets the same people without any fault.
  const other = connectClient(app.url, await app.key({ limits: generous }))
  const known = new Map((await other.contacts.reveal({ contact_ids: ids })).data.map((person) => [person.id, person]))
  for (const [index, { wanted }] of calls.entries())
    expect(replies[index]!.data.map(personOf)).toEqual(wanted.map((id) => personOf(known.get(id)!)))

  const people = new Set(calls.flatMap(({ wanted }) => wanted)).size
  const charges = replies.flatMap(({ data }) => data.filter(({ charged }) => charged).map(({ id }) => id))
  const spent = replies.reduce((sum, { credits }) => sum + credits.spent, 0)
  const { reveals, credits, ledger } = await chargedTo(app, key)
  const figures = [charges.length, new Set(charges).size, spent, reveals, credits, ledger]
  expect(figures).toEqual(figures.map(() => people))
  expect(await ledgerDifferences(app)).toEqual([])
})

test('thirty calls at once for the same people through faults charge them once', async () => {
  const key = await app.key({ limits: generous })
  const proxy = await startFaultProxy(app)
  const storedex = connectClient(proxy.origin, key, { maxRetries: 12 })
  const wanted = ids.slice(0, 12)
  const replies = await Promise.all(Array.from({ length: 30 }, () => storedex.contacts.reveal({ contact_ids: wanted })))
  for (const { data } of replies) expect(data.map(({ id }) => id)).toEqual(wanted)
  await proxy.settle()
  const { reveals, credits, ledger } = await chargedTo(app, key)
  expect([reveals, credits, ledger]).toEqual([12, 12, 12])
})

test('a refusal through faults is the error of the refusal', async () => {
  const key = await app.key({ limits: generous })
  const proxy = await startFaultProxy(app)
  const storedex = connectClient(proxy.origin, key, { maxRetries: 12 })
  const refused = await Promise.allSettled(
    Array.from({ length: 6 }, () => storedex.contacts.reveal({ contact_ids: [unknownId(app)] })),
  )
  for (const { reason } of refused as PromiseRejectedResult[]) {
    expect(reason).toBeInstanceOf(NotFoundError)
    expect(reason.code).toBe('no_revealable_contacts')
  }
  expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 'rejected'))
})

test('maxCredits refuses through faults before anything is spent, and lets pass what it covers', async () => {
  const key = await app.key({ limits: generous })
  const proxy = await startFaultProxy(app)
  const storedex = connectClient(proxy.origin, key, { maxRetries: 12 })
  const contact_ids = ids.slice(0, 25)
  const refused = await failureOf(storedex.contacts.reveal({ contact_ids }, { maxCredits: 24 }))
  expect(refused).toBeInstanceOf(CostLimitError)
  await proxy.settle()
  expect(proxy.exchanges.filter(({ path }) => path.endsWith('/reveal'))).toEqual([])
  const { credits } = await storedex.contacts.reveal({ contact_ids }, { maxCredits: 25 })
  expect(credits.spent).toBe(25)
  expect((await chargedTo(app, key)).credits).toBe(25)
})

test('a reveal that credits end midway tells what was done, and the same call continues it', async () => {
  const key = await app.key({ limits: { ...generous, contact_credits: 25 } })
  const proxy = await startFaultProxy(app)
  const storedex = connectClient(proxy.origin, key, { maxRetries: 12 })
  const contact_ids = ids.slice(0, 34)
  const call = () => storedex.contacts.reveal({ contact_ids }, { idempotencyKey: 'continued' })
  const refused = await failureOf(call())
  expect(refused).toBeInstanceOf(InsufficientCreditsError)
  expect(refused.progress).toEqual({ done: 20, of: 34 })
  expect((refused.partial as ContactRevealResult).data.map(({ id }) => id)).toEqual(contact_ids.slice(0, 20))
  await app.setAccount(key.account, { limits: { contact_credits: 100 } })
  const { data, credits } = await call()
  expect(data.map(({ id }) => id)).toEqual(contact_ids)
  expect(credits.spent).toBe(34)
  await proxy.settle()
  expect((await chargedTo(app, key)).credits).toBe(34)
  expect(await ledgerDifferences(app)).toEqual([])
})
