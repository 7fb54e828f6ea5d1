import { expect, test, vi } from 'vitest'
import { withConcurrencyLimit } from '../../../src/customers/billing/concurrency-limit.ts'
import type { Pool } from '../../../src/foundation/db/pool.ts'
import { atEnd } from '../../support/cleanup.ts'

const poolOf = () => ({ connections: {} }) as Pool

/** Calls of a pool that end when they are told to, in the order in which they began. */
function openCalls(pool: Pool) {
  const begun: number[] = []
  const ends: (() => void)[] = []
  const call = (index: number) =>
    withConcurrencyLimit(pool, () => {
      begun.push(index)
      return new Promise<number>((resolve) => ends.push(() => resolve(index)))
    })
  return { begun, ends, call }
}

test('four calls of a pool wait for the provider at once, and others follow in the order in which they came', async () => {
  const { begun, ends, call } = openCalls(poolOf())
  const calls = [0, 1, 2, 3, 4, 5].map(call)
  expect(begun).toEqual([0, 1, 2, 3])
  for (const index of calls.keys()) {
    ends[index]!()
    await calls[index]
    await expect.poll(() => begun.length).toBe(Math.min(5 + index, calls.length))
  }
  expect(begun).toEqual([0, 1, 2, 3, 4, 5])
})

test('a call that waits for five seconds is refused; those of another pool do not wait for it', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  atEnd(() => vi.useRealTimers())
  const { ends, call } = openCalls(poolOf())
  const calls = [0, 1, 2, 3].map(call)
  const refused = call(4).catch((error: unknown) => error)
  vi.advanceTimersByTime(5_000)
  expect(await refused).toMatchObject({ code: 'billing_provider_unavailable', retryAfterSeconds: 5 })
  expect(await withConcurrencyLimit(poolOf(), async () => 'at once')).toBe('at once')
  for (const end of ends) end()
  expect(await Promise.all(calls)).toEqual([0, 1, 2, 3])
})
