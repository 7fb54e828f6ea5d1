import fc from 'fast-check'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { type Slot, Slots } from '../src/slots.ts'

/** Longer than any test. */
const never = 3_600_000
const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Takes slots and collects them as they are given. */
function takeMany(slots: Slots, count: number): Slot[] {
  const given: Slot[] = []
  for (let index = 0; index < count; index++) void slots.take().then((slot) => given.push(slot))
  return given
}

describe('slots', () => {
  test('are given at once while there are some, and then in the order of the calls', async () => {
    const slots = new Slots({ least: 2, most: 2, overdueMs: never })
    const given = takeMany(slots, 4)
    await turn()
    expect(given.map(({ hasWaited }) => hasWaited)).toEqual([false, false])
    given[1]!.release()
    await turn()
    expect(given.map(({ hasWaited }) => hasWaited)).toEqual([false, false, true])
    given[0]!.release()
    // A slot is given back once.
    given[0]!.release()
    await turn()
    expect(given).toHaveLength(4)
  })

  test('become more while waiting is of no use, and fewer while it is, between their bounds', async () => {
    const slots = new Slots({ least: 3, most: 6, overdueMs: never })
    const judge = async (wasUseful: boolean) => {
      for (let count = 0; count < 100; count++) {
        const slot = await slots.take()
        slot.judgeWait(wasUseful)
        slot.release()
      }
    }
    await judge(false)
    expect(slots.size).toBe(6)
    await judge(true)
    expect(slots.size).toBe(3)
  })

  test('that are held for too long keep nobody waiting', async () => {
    const slots = new Slots({ least: 1, most: 1, overdueMs: 2 })
    const stuck = await slots.take()
    const next = await slots.take()
    next.release()
    stuck.release()
    const last = await slots.take()
    expect(last.hasWaited).toBe(false)
  })

  test('that no longer counted give no second slot when they are released', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const slots = new Slots({ least: 1, most: 1, overdueMs: 50 })
    const given = takeMany(slots, 3)
    await turn()
    expect(given).toHaveLength(1)
    vi.advanceTimersByTime(75)
    await turn()
    expect(given).toHaveLength(2)
    given[0]!.release()
    await turn()
    expect(given).toHaveLength(2)
    given[1]!.release()
    await turn()
    expect(given).toHaveLength(3)
  })
})

test('there are never more holders than slots, and everybody gets one', async () => {
  const arbitrary = fc.record({
    most: fc.integer({ min: 1, max: 8 }),
    work: fc.array(fc.record({ turns: fc.integer({ min: 0, max: 3 }), wasUseful: fc.boolean() }), { maxLength: 60 }),
  })
  await fc.assert(
    fc.asyncProperty(arbitrary, async ({ most, work }) => {
      const slots = new Slots({ least: 1, most, overdueMs: never })
      let holders = 0
      let done = 0
      const hold = async ({ turns, wasUseful }: (typeof work)[number]) => {
        const slot = await slots.take()
        expect(++holders).toBeLessThanOrEqual(most)
        if (slot.hasWaited) slot.judgeWait(wasUseful)
        for (let index = 0; index < turns; index++) await turn()
        holders--
        done++
        slot.release()
      }
      await Promise.all(work.map(hold))
      expect(done).toBe(work.length)
      expect(slots.size).toBeGreaterThanOrEqual(1)
      expect(slots.size).toBeLessThanOrEqual(most)
    }),
    { numRuns: 60 },
  )
})
