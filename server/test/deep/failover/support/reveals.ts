import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import { sendRequestOrThrow } from '../../../promises/crash/support/requests.ts'
import { isReplay, type RevealReply, type RevealRequest, tryReveal } from '../../../promises/crash/support/reveal.ts'
import { startService, subscribe, waitUntilReady } from '../../../promises/crash/support/service.ts'
import { expectBalancedLedger, importUsers, usersSettings } from '../../../promises/crash/support/users.ts'

interface Acknowledged {
  wish: RevealRequest
  text: string
}

const stores = 40
const atOnce = 8

/**
 * Reveals with Idempotency-Keys while `failOver` runs, with a service that is not restarted. Each request is repeated
 * until it is answered. Expects that everything acknowledged is there afterwards, paid for once.
 */
export async function expectNothingLost(settings: Record<string, string>, failOver: () => Promise<void>) {
  const all = { ...settings, ...usersSettings }
  const service = await startService(all)
  const ids = await importUsers(all, stores)
  const { live } = await subscribe(all, { contact_credits: 100_000, store_exports: 100_000 })
  const acknowledged: Acknowledged[] = []
  const refused: number[] = []
  const left = ids.map((id, index): RevealRequest => ({ ids: [id], idempotencyKey: `reveal ${index}` }))
  let isFailing = false
  let sinceFailure = 0
  let beginFailing = () => {}
  const failing = new Promise<void>((resolve) => {
    beginFailing = resolve
  })

  const worker = async () => {
    for (let wish = left.pop(); wish; wish = left.pop()) {
      for (;;) {
        const answer = await tryReveal(service.api, live, wish)
        if (answer?.status === 200) {
          acknowledged.push({ wish, text: answer.text })
          if (isFailing) sinceFailure++
          break
        }
        if (answer) refused.push(answer.status)
        await delay(50)
      }
      // So that reveals last until after the failover.
      if (left.length < ids.length / 2) await failing
    }
  }
  const workers = Promise.all(Array.from({ length: atOnce }, worker))
  await expect.poll(() => acknowledged.length).toBeGreaterThan(20)
  isFailing = true
  beginFailing()
  await failOver()
  await workers

  // Requests in between are asked to come back, and nothing else.
  expect(refused.filter((status) => status !== 503 && status !== 409)).toEqual([])
  expect(sinceFailure).toBeGreaterThan(0)
  expect(acknowledged).toHaveLength(ids.length)
  for (const { wish, text } of acknowledged) {
    const again = await tryReveal(service.api, live, wish)
    expect(again?.text).toBe(text)
    expect(isReplay(again!)).toBe(true)
  }
  const spent = acknowledged.map(({ text }) => (JSON.parse(text) as RevealReply).credits.spent)
  expect(new Set(spent)).toEqual(new Set([1]))
  const { body } = await sendRequestOrThrow(service.api, live, '/usage')
  expect(body.contact_credits).toMatchObject({ used: ids.length })
  await expectBalancedLedger(all)
  await waitUntilReady(service)
  expect(service.log()).not.toContain('"status":500')
  return service
}
