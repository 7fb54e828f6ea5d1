import { setTimeout as wait } from 'node:timers/promises'
import { mapConcurrently } from '@storedex/testkit'
import { beforeAll, describe, expect, test } from 'vitest'
import { Random } from '../../../../catalogue/build/random.ts'
import { addCrowd, generous } from '../../product/contacts/support/reveals.ts'
import { startTestApp, type TestApp, type TestKey } from '../../support/app.ts'
import type { Json } from '../../support/client.ts'
import { chargedTo, ledgerDifferences, seed, startFaultProxy } from './support/disturbed.ts'
import type { Exchange, FaultProxy } from './support/fault-proxy.ts'
import type { Fault } from './support/faults.ts'

const crowd = 90
let app: TestApp
let ids: string[]
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  ids = await addCrowd(app, crowd)
})

/** A reveal as plain HTTP: the status and the text, or null when the connection was lost. */
async function tryReveal(origin: string, key: TestKey, contactIds: string[], idempotencyKey: string) {
  try {
    const reply = await fetch(`${origin}/api/v1/contacts/reveal`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key.secret}`,
        'content-type': 'application/json',
        'idempotency-key': idempotencyKey,
      },
      body: JSON.stringify({ contact_ids: contactIds }),
    })
    return { status: reply.status, text: await reply.text() }
  } catch {
    return null
  }
}

describe('the fault proxy', () => {
  let key: TestKey
  let proxy: FaultProxy
  beforeAll(async () => {
    key = await app.key({ limits: generous })
    proxy = await startFaultProxy(app, { weights: { pass: 1 } })
  })

  let calls = 0
  /** What the caller of one disturbed reveal got, and what the service answered. */
  async function revealThrough(fault: Fault) {
    proxy.script.push(fault)
    const got = await tryReveal(proxy.origin, key, [ids[calls]!], `call ${calls++}`)
    await proxy.settle()
    const { answers } = proxy.exchanges.at(-1) as Exchange
    return { got, answers: answers.map(({ status, body }) => ({ status, text: body.toString() })) }
  }

  test.for(['pass', 'delay'] as const)('delivers what the service answers: %s', async (fault) => {
    const { got, answers } = await revealThrough(fault)
    expect([got]).toEqual(answers)
    expect(got!.status).toBe(200)
  })

  test.for([
    ['cut_before', []],
    ['cut_during', [200]],
    ['cut_after', [200]],
    ['cut_midway', [200]],
  ] as const)('loses the answer, and the service has done what it did: %s', async ([fault, statuses]) => {
    const { got, answers } = await revealThrough(fault)
    expect(got).toBe(null)
    expect(answers.map(({ status }) => status)).toEqual(statuses)
  })

  test('leaves open what the service did when both connections are cut', async () => {
    const { got, answers } = await revealThrough('abandon')
    expect([got, answers.length <= 1]).toEqual([null, true])
  })

  test('asks twice at the same time, and delivers one of the answers', async () => {
    const { got, answers } = await revealThrough('repeat')
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(answers[0]!.text).toBe(answers[1]!.text)
    expect(answers).toContainEqual(got)
  })

  test('answers 503 by itself', async () => {
    const { got, answers } = await revealThrough('unavailable')
    expect([got!.status, answers]).toEqual([503, []])
  })
})

test(`reveals that are retried through faults with an Idempotency-Key are charged once each (seed ${seed})`, async () => {
  const key = await app.key({ limits: generous })
  const proxy = await startFaultProxy(app)
  const random = new Random(seed)
  const tasks = Array.from({ length: 120 }, (_, index) => ({
    idempotencyKey: `task ${index}`,
    wanted: [...new Set(Array.from({ length: 1 + random.below(4) }, () => random.pick(ids)))],
  }))
  const texts = await mapConcurrently(tasks, async ({ wanted, idempotencyKey }) => {
    for (let attempt = 0; attempt < 60; attempt++) {
      const got = await tryReveal(proxy.origin, key, wanted, idempotencyKey)
      if (got?.status === 200) return got.text
      if (got !== null && got.status !== 503 && got.status !== 409) throw new Error(got.text)
      await wait(5 * attempt)
    }
    throw new Error('no answer after 60 attempts')
  })
  await proxy.settle()
  expect(proxy.exchanges.filter(({ fault }) => fault !== 'pass').length).toBeGreaterThan(40)
  // Another attempt, undisturbed, is a replay.
  const replays = await mapConcurrently(tasks, (task) => tryReveal(app.url, key, task.wanted, task.idempotencyKey))
  expect(replays.map((replay) => replay?.text)).toEqual(texts)

  const charges = texts.flatMap((text) => JSON.parse(text).data).filter(({ charged }: Json) => charged)
  const people = new Set(tasks.flatMap(({ wanted }) => wanted)).size
  expect(new Set(charges.map(({ id }) => id)).size).toBe(charges.length)
  const charged = await chargedTo(app, key)
  expect([charges.length, charged.reveals, charged.credits, charged.ledger]).toEqual([people, people, people, people])
  expect(await ledgerDifferences(app)).toEqual([])
})
