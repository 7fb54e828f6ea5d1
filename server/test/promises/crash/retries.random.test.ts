import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { makesAllRuns, proofKills } from '../../../../bin/tests/proof-runs.ts'
import { serverPid, temporaryDirectory } from '../../../../packages/embedded-postgres/test/support.ts'
import { randomFrom } from './support/load.ts'
import { type ApiReply, sendRequestOrThrow } from './support/requests.ts'
import { isReplay, type RevealReply, type RevealRequest, revealWithRetries, tryReveal } from './support/reveal.ts'
import { killPostgres, type Service, startService, subscribe, waitUntilReady } from './support/service.ts'
import { expectBalancedLedger, importUsers, usersSettings } from './support/users.ts'

const kills = proofKills(12, 2)
const seed = Date.now() % 1_000_000
const clients = 8
const storesPerKill = 20

/** A requested reveal and its reply, if it arrived. */
interface Asked {
  wish: RevealRequest
  answer: ApiReply | null
}

/** Several concurrent clients, each revealing until the connection is lost. Resolves after this many replies. */
async function revealOn(
  api: string,
  key: string,
  nextWish: () => RevealRequest,
  replies: number,
  tell: () => Promise<void>,
): Promise<Asked[]> {
  const asked: Asked[] = []
  let told: Promise<void> | undefined
  const client = async () => {
    for (;;) {
      if (asked.length >= replies) told ??= tell()
      const wish = nextWish()
      const answer = await tryReveal(api, key, wish)
      asked.push({ wish, answer })
      if (answer?.status !== 200) return
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  await told
  return asked
}

test(`reveals interrupted by ${kills} kills and retried are charged once (seed ${seed})`, {
  timeout: 120_000 + kills * 15_000,
}, async () => {
  const random = randomFrom(seed)
  const dataDir = join(temporaryDirectory(), 'data')
  const settings = { DATA_DIR: dataDir, ...usersSettings }
  let service: Service = await startService(settings)
  const ids = await importUsers(settings, kills * storesPerKill)
  const { live } = await subscribe(settings, { contact_credits: 1_000_000, store_exports: 1_000_000 })
  const finals = new Map<string, RevealReply>()
  const figures = { kills: 0, ofPostgres: 0, answered: 0, inFlight: 0, paidUnanswered: 0 }
  let keysUsed = 0
  // Advances from kill to kill, so that there are always unrevealed contacts.
  const nextWish = (): RevealRequest => {
    const reach = (ids.length * (figures.kills + 1)) / kills
    const some = Array.from(
      { length: 1 + Math.floor(random() * 10) },
      () => ids[Math.floor(reach * random() ** (1 / (figures.kills + 1)))]!,
    )
    return { ids: [...new Set(some)], idempotencyKey: `reveal ${keysUsed++}` }
  }

  for (; figures.kills < kills; figures.kills++) {
    await waitUntilReady(service)
    const isPostgresKilled = figures.kills % 8 === 5
    if (isPostgresKilled) figures.ofPostgres++
    const asked = await revealOn(service.api, live, nextWish, random() * 40, async () => {
      await delay(random() * 15)
      await Promise.all([service.kill(), ...(isPostgresKilled ? [killPostgres(dataDir)] : [])])
    })
    service = await startService(settings)
    await waitUntilReady(service)

    const retryAll = () => Promise.all(asked.map(({ wish }) => revealWithRetries(service.api, live, wish)))
    const retried = await retryAll()
    const again = await retryAll()
    for (const [index, { wish, answer }] of asked.entries()) {
      const retry = retried[index]!
      expect(retry.status, retry.text).toBe(200)
      if (answer === null) {
        figures.inFlight++
        if (isReplay(retry)) figures.paidUnanswered++
      } else {
        figures.answered++
        expect({ isReplay: isReplay(retry), text: retry.text }).toEqual({ isReplay: true, text: answer.text })
      }
      expect(again[index]!.text).toBe(retry.text)
      finals.set(wish.idempotencyKey!, retry.body as unknown as RevealReply)
    }
  }
  console.log(figures)
  if (makesAllRuns) expect(figures.inFlight).toBeGreaterThan(kills)

  const contacts = [...finals.values()].flatMap(({ data }) => data)
  const charged = contacts.filter((contact) => contact.charged).map(({ id }) => id)
  expect(new Set(charged).size, 'contacts charged twice').toBe(charged.length)
  expect(new Set(charged), 'contacts delivered').toEqual(new Set(contacts.map(({ id }) => id)))
  const usage = (await sendRequestOrThrow(service.api, live, '/usage')).body
  expect(usage.contact_credits).toMatchObject({ used: charged.length })
  await expectBalancedLedger(settings)
  expect(await service.stop()).toBe(0)
  expect(serverPid(dataDir), 'PostgreSQL after its service').toBeUndefined()
})
