import { describe, expect, test } from 'vitest'
import { Cleanup, distributionOf, mapConcurrently, median, roundRobin, splitEvenly } from '../src/index.ts'

describe('clean-up', () => {
  test('runs the newest step first, and all of them although one fails', async () => {
    const steps: string[] = []
    const cleanup = new Cleanup()
    cleanup.add(() => steps.push('first'))
    cleanup.add(() => Promise.reject(new Error('broken on purpose')))
    cleanup.add(() => steps.push('last'))
    await cleanup.run()
    expect(steps).toEqual(['last', 'first'])
  })

  test('runs once, and a step that comes later at once', async () => {
    let runs = 0
    const cleanup = new Cleanup()
    cleanup.add(() => runs++)
    await Promise.all([cleanup.run(), cleanup.run()])
    expect(runs).toBe(1)
    cleanup.add(() => runs++)
    expect(runs).toBe(2)
  })
})

test('a median of an even number of values is between the two in the middle', () => {
  expect([median([3, 1, 2]), median([4, 1, 2, 3])]).toEqual([2, 2.5])
  expect(distributionOf([5, 5, 5])).toMatchObject({ p50: 5 })
})

test('items are split evenly, taken in turn, and mapped with a bounded number at once', async () => {
  expect(splitEvenly([1, 2, 3, 4, 5], 2)).toEqual([
    [1, 2],
    [3, 4, 5],
  ])
  const next = roundRobin(['a', 'b'])
  expect([next(), next(), next()]).toEqual(['a', 'b', 'a'])
  let [running, most] = [0, 0]
  const work = async (value: number) => {
    most = Math.max(most, ++running)
    await null
    running--
    return value * 2
  }
  expect(await mapConcurrently([1, 2, 3, 4], work, 2)).toEqual([2, 4, 6, 8])
  expect(most).toBe(2)
})
