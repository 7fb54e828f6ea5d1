import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Coalescer } from '../src/coalescer.ts'
import { Slots } from '../src/slots.ts'

/** Longer than any test. */
const never = 3_600_000
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

/** A coalescer whose batches end when they are released. */
function openGate<Result>(answer: (items: readonly number[]) => readonly Result[] | null) {
  const batches: number[][] = []
  const gates: (() => void)[] = []
  const send = async (items: readonly number[]) => {
    batches.push([...items])
    await new Promise<void>((resolve) => gates.push(resolve))
    return answer(items)
  }
  const release = async () => {
    gates.shift()?.()
    await nextTurn()
  }
  return { batches, send, release }
}

describe('work on one lane', () => {
  test('goes at once and alone when the lane is idle', async () => {
    const { batches, send, release } = openGate((items) => items)
    const coalescer = new Coalescer<number, number>({ maxItems: 10, send })
    const result = coalescer.run('lane', 1)
    expect(batches).toEqual([[1]])
    await release()
    expect(await result).toBe(1)
  })

  test('gathers while a batch is away, and travels together after it', async () => {
    const { batches, send, release } = openGate((items) => items.map((item) => item * 10))
    const coalescer = new Coalescer<number, number>({ maxItems: 3, send })
    const results = [1, 2, 3, 4, 5].map((item) => coalescer.run('lane', item))
    await release()
    await release()
    await release()
    expect(batches).toEqual([[1], [2, 3, 4], [5]])
    expect(await Promise.all(results)).toEqual([10, 20, 30, 40, 50])
    expect(coalescer.sent).toEqual({ batches: 3, items: 5 })
  })

  test('does not wait for other lanes', () => {
    const { batches, send } = openGate((items) => items)
    const coalescer = new Coalescer<number, number>({ maxItems: 3, send })
    void coalescer.run('one', 1)
    void coalescer.run('other', 2)
    expect(batches).toEqual([[1], [2]])
  })

  test('goes with the first one that waits, in its order, if it fits', async () => {
    const { batches, send, release } = openGate((items) => items)
    const canJoin = (first: number, item: number) => first % 2 === item % 2
    const coalescer = new Coalescer<number, number>({
      maxItems: 9,
      maxWeight: 12,
      weigh: (item) => item,
      canJoin,
      send,
    })
    for (const item of [1, 3, 5, 7, 2, 4, 1, 40]) void coalescer.run('lane', item)
    for (let turn = 0; turn < 8; turn++) await release()
    expect(batches).toEqual([[1], [3, 5, 1], [7], [2, 4], [40]])
  })

  test('is repeated one by one when its batch is refused, and refused alone with null', async () => {
    const batches: number[][] = []
    const coalescer = new Coalescer<number, number>({
      maxItems: 9,
      send: async (items) => {
        batches.push([...items])
        return items.includes(3) ? null : items
      },
    })
    const results = [1, 2, 3, 4].map((item) => coalescer.run('lane', item))
    expect(await Promise.all(results)).toEqual([1, 2, null, 4])
    expect(batches).toEqual([[1], [2, 3, 4], [2], [3], [4]])
  })

  test('fails together when its batch fails, and the lane goes on', async () => {
    const coalescer = new Coalescer<number, number>({
      maxItems: 9,
      send: async (items) => {
        if (items.includes(2)) throw new Error('the connection was lost')
        return items
      },
    })
    const results = [1, 2, 3].map((item) => coalescer.run('lane', item))
    expect(await Promise.allSettled(results)).toMatchObject([
      { value: 1 },
      { reason: { message: 'the connection was lost' } },
      { reason: { message: 'the connection was lost' } },
    ])
    expect(await coalescer.run('lane', 4)).toBe(4)
  })

  test('is not sent once it is abandoned', async () => {
    const { batches, send, release } = openGate((items) => items)
    const coalescer = new Coalescer<number, number>({ maxItems: 9, send })
    void coalescer.run('lane', 1)
    let isAbandoned = false
    void coalescer.run('lane', 2, () => isAbandoned)
    void coalescer.run('lane', 3)
    isAbandoned = true
    await release()
    await release()
    expect(batches).toEqual([[1], [3]])
  })
})

describe('coalescers that share slots', () => {
  const slotsOf = (count: number) => new Slots({ least: count, most: count, overdueMs: never })

  test('have only so many batches under way together; what arrives while a lane waits joins its batch', async () => {
    const { batches, send, release } = openGate((items) => items)
    const slots = slotsOf(2)
    const [one, other] = [0, 1].map(() => new Coalescer<number, number>({ maxItems: 9, slots, send }))
    const first = [one!.run('a', 1), other!.run('b', 2)]
    await nextTurn()
    const waiting = [3, 4, 5].map((item) => one!.run('c', item))
    const next = other!.run('d', 6)
    await nextTurn()
    expect(batches).toEqual([[1], [2]])
    await release()
    expect(batches).toEqual([[1], [2], [3, 4, 5]])
    await release()
    expect(batches).toEqual([[1], [2], [3, 4, 5], [6]])
    for (let batch = 0; batch < 2; batch++) await release()
    expect(await Promise.all([...first, ...waiting, next])).toEqual([1, 2, 3, 4, 5, 6])
  })

  test('pass on the slot of a batch that fails, that is refused, or that nobody waits for any more', async () => {
    const slots = slotsOf(1)
    const coalescer = new Coalescer<number, number>({
      maxItems: 9,
      slots,
      send: async ([item]) => {
        if (item === 1) throw new Error('the connection was lost')
        return item === 2 ? null : [item!]
      },
    })
    const results = ['a', 'b', 'd'].map((lane, index) => coalescer.run(lane, index + 1))
    void coalescer.run('c', 0, () => true)
    expect(await Promise.allSettled(results)).toMatchObject([
      { reason: { message: 'the connection was lost' } },
      { value: null },
      { value: 3 },
    ])
    expect(await coalescer.run('c', 4)).toBe(4)
    await nextTurn()
    expect((await slots.take()).hasWaited).toBe(false)
  })

  test('find fewer slots while lanes gather, and more while each still sends alone', async () => {
    const sizeAfter = async (lanes: number, itemsOfLane: number) => {
      const slots = new Slots({ least: 1, most: 9, overdueMs: never })
      const coalescer = new Coalescer<number, number>({ maxItems: 9, slots, send: async (items) => items })
      for (let round = 0; round < 40; round++)
        await Promise.all(
          Array.from({ length: lanes * itemsOfLane }, (_, index) => coalescer.run(String(index % lanes), index)),
        )
      return slots.size
    }
    expect(await sizeAfter(20, 3)).toBe(1)
    expect(await sizeAfter(20, 1)).toBe(9)
  })
})

test('every item is answered once, whatever is refused, in batches that keep the bounds', async () => {
  const arbitrary = fc.record({
    items: fc.array(fc.record({ lane: fc.integer({ min: 0, max: 2 }), weight: fc.integer({ min: 0, max: 9 }) }), {
      maxLength: 40,
    }),
    maxItems: fc.integer({ min: 1, max: 5 }),
    maxWeight: fc.integer({ min: 1, max: 20 }),
    refused: fc.integer({ min: 0, max: 9 }),
    most: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
  })
  await fc.assert(
    fc.asyncProperty(arbitrary, async ({ items, maxItems, maxWeight, refused, most }) => {
      let underWay = 0
      const done = new Set<object>()
      const coalescer = new Coalescer<{ lane: number; weight: number }, object>({
        maxItems,
        maxWeight,
        weigh: ({ weight }) => weight,
        ...(most !== undefined && { slots: new Slots({ least: 1, most, overdueMs: never }) }),
        send: async (batch) => {
          expect(++underWay).toBeLessThanOrEqual(most ?? 3)
          expect(batch.length).toBeLessThanOrEqual(maxItems)
          if (batch.length > 1)
            expect(batch.reduce((sum, { weight }) => sum + weight, 0)).toBeLessThanOrEqual(maxWeight)
          expect(new Set(batch.map(({ lane }) => lane)).size).toBe(1)
          await Promise.resolve()
          underWay--
          if (batch.some(({ weight }) => weight === refused)) return null
          for (const item of batch) {
            expect(done.has(item)).toBe(false)
            done.add(item)
          }
          return batch
        },
      })
      const results = await Promise.all(items.map((item) => coalescer.run(String(item.lane), item)))
      expect(results).toEqual(items.map((item) => (item.weight === refused ? null : item)))
    }),
  )
})
