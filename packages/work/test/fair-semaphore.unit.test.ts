import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FairSemaphore } from '../src/fair-semaphore.ts'

const seed = Date.now() % 2 ** 31

function takeAll(places: FairSemaphore, holder: string): number {
  let taken = 0
  while (places.tryAcquire(holder)) taken++
  return taken
}

describe('permits are shared', () => {
  test.each([
    ['one', ['a'], [50]],
    ['two', ['a', 'b'], [50, 25]],
    ['four', ['a', 'b', 'c', 'd'], [50, 25, 13, 6]],
  ])('%s after the other: later holders get permits too', (_, holders, expected) => {
    const places = new FairSemaphore(100)
    expect(holders.map((holder) => takeAll(places, holder))).toEqual(expected)
  })

  test('evenly among holders that alternate', () => {
    const places = new FairSemaphore(100)
    const held = { a: 0, b: 0, c: 0 }
    for (let turn = 0; turn < 100; turn++)
      for (const holder of ['a', 'b', 'c'] as const) if (places.tryAcquire(holder)) held[holder]++
    expect(held).toEqual({ a: 25, b: 25, c: 25 })
  })
})

test('a holder has at most its maximum, however many permits are free', () => {
  const places = new FairSemaphore(100, 4)
  expect(['a', 'b'].map((holder) => takeAll(places, holder))).toEqual([4, 4])
  const release = places.tryAcquire('c')!
  expect([places.held, takeAll(places, 'c'), places.tryAcquire('c')]).toEqual([9, 3, null])
  release()
  expect(takeAll(places, 'c')).toBe(1)
})

test(`no permit is lost or granted twice, in any order of acquiring and releasing (seed ${seed})`, () => {
  const move = fc.record({ holder: fc.constantFrom('a', 'b', 'c'), leaves: fc.option(fc.nat(40), { nil: null }) })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 12 }), fc.array(move, { maxLength: 80 }), (count, moves) => {
      const places = new FairSemaphore(count)
      const taken: { holder: string; leave: () => void; isHeld: boolean }[] = []
      const heldBy = (holder: string) => taken.filter((each) => each.isHeld && each.holder === holder).length
      const held = () => taken.filter((each) => each.isHeld).length
      for (const { holder, leaves } of moves) {
        if (leaves === null) {
          const isRoom = heldBy(holder) < count - held()
          const leave = places.tryAcquire(holder)
          expect(leave !== null).toBe(isRoom)
          if (leave) taken.push({ holder, leave, isHeld: true })
        } else if (taken.length > 0) {
          // Some were released already; releasing again has no effect.
          const one = taken[leaves % taken.length]!
          one.leave()
          one.isHeld = false
        }
        expect(places.held).toBe(held())
      }
      for (const { leave } of taken) leave()
      expect(places.held).toBe(0)
      expect(takeAll(places, 'a')).toBe(Math.ceil(count / 2))
    }),
    { seed },
  )
})
