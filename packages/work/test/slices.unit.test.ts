import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { workInSteps } from '../src/pace.ts'
import { SliceScheduler, sortInSteps } from '../src/slices.ts'

/** Pauses wherever work can pause, so that a turn of the event loop has one slice. */
const eagerly = { turnMs: 0, sliceMs: 0, unitsPerLook: 1 }

describe('the scheduler', () => {
  /** Work of so many slices, which writes its name for each. */
  const workOf = (name: string, count: number, log: string[]) =>
    workInSteps(function* () {
      for (let slice = 1; slice <= count; slice++) {
        log.push(name)
        if (slice < count) yield
      }
      return name
    })

  test('work that ends within its first slice has its result at once', () => {
    expect(new SliceScheduler(eagerly).run(workOf('short', 1, []))).toBe('short')
  })

  test('long works take turns, and each turn of the event loop does one slice of them', async () => {
    const slices = new SliceScheduler(eagerly)
    const log: string[] = []
    const running = ['a', 'b', 'c'].map((name) => slices.run(workOf(name, 3, log)))
    expect(log).toEqual(['a', 'b', 'c'])
    expect(slices.waiting).toBe(3)
    for (const expected of ['a', 'b', 'c', 'a', 'b', 'c']) {
      await nextTurn()
      expect(log.at(-1)).toBe(expected)
    }
    expect(log).toHaveLength(9)
    expect(await Promise.all(running)).toEqual(['a', 'b', 'c'])
    expect(slices.waiting).toBe(0)
  })

  test('work that begins beside long work does not wait for its end', async () => {
    const slices = new SliceScheduler(eagerly)
    const log: string[] = []
    const long = slices.run(workOf('long', 20, log))
    await nextTurn()
    expect(slices.run(workOf('short', 1, log))).toBe('short')
    expect(await slices.run(workOf('second', 3, log))).toBe('second')
    expect(log.filter((name) => name === 'long').length).toBeLessThan(20)
    expect(await long).toBe('long')
  })

  test('one that fails fails alone', async () => {
    const slices = new SliceScheduler(eagerly)
    const failing = slices.runSteps(function* () {
      yield
      throw new Error('broken')
    })
    const other = slices.run(workOf('other', 4, []))
    await expect(failing).rejects.toThrow('broken')
    expect(await other).toBe('other')
  })

  test('sorting in steps sorts, keeps the order of equals and pauses', async () => {
    const slices = new SliceScheduler(eagerly)
    const items = Array.from({ length: 2_000 }, (_, index) => ({ index, rank: (index * 7_919) % 501 }))
    const compare = (one: { rank: number }, other: { rank: number }) => one.rank - other.rank
    const sorting = slices.runSteps((pace) => sortInSteps(items, compare, pace))
    expect(slices.waiting).toBe(1)
    expect(await sorting).toEqual(items.toSorted(compare))
    expect(await slices.runSteps((pace) => sortInSteps([], compare, pace))).toEqual([])
  })
})
