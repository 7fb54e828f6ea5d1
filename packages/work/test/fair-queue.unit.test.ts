import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FairQueue, type RefusedBecause } from '../src/fair-queue.ts'

/** Requests a permit; when granted, its name is appended to `granted`. */
function ask(queue: FairQueue, name: string, granted: string[], maxPermits = 2): void {
  const holder = { name, maxPermits }
  if (queue.tryAcquire(holder)) granted.push(name)
  else queue.enqueue(holder, { grant: () => granted.push(name) })
}

const called = (name: string, maxPermits = 2) => ({ name, maxPermits })

test('a new holder gets the next permit, however many requests another has queued', () => {
  const queue = new FairQueue(2)
  const granted: string[] = []
  for (let i = 0; i < 100; i++) ask(queue, 'greedy', granted)
  ask(queue, 'modest', granted)
  expect(granted).toEqual(['greedy', 'greedy'])
  queue.release(called('greedy'))
  expect(granted.at(-1)).toBe('modest')
})

test('one holder never exceeds its share, so that a new holder need not wait', () => {
  const queue = new FairQueue(4)
  const granted: string[] = []
  for (let i = 0; i < 10; i++) ask(queue, 'greedy', granted, 3)
  expect(granted).toHaveLength(3)
  expect(queue.tryAcquire(called('modest'))).toBe(true)
})

test('equal holders alternate', () => {
  const queue = new FairQueue(1)
  const granted: string[] = []
  for (let i = 0; i < 3; i++) for (const holder of ['a', 'a', 'b', 'c']) ask(queue, holder, granted)
  for (let i = 0; i < 8; i++) queue.release(called(granted.at(-1)!))
  expect(granted.slice(0, 9).join('')).toBe('abcabcabc')
})

test("a holder's started work comes before its new work", () => {
  const queue = new FairQueue(1)
  const granted: string[] = []
  queue.tryAcquire(called('a'))
  queue.enqueue(called('a'), { grant: () => granted.push('new') })
  queue.enqueue(called('a'), { grant: () => granted.push('begun') }, true)
  queue.release(called('a'))
  queue.release(called('a'))
  expect(granted).toEqual(['begun', 'new'])
})

test('cancelled requests leave nothing behind', () => {
  const queue = new FairQueue(1)
  const granted: string[] = []
  ask(queue, 'a', granted)
  const waiter = { grant: () => granted.push('never') }
  queue.enqueue(called('b'), waiter)
  expect(queue.cancel(called('b'), waiter)).toBe(true)
  expect(queue.cancel(called('b'), waiter)).toBe(false)
  queue.release(called('a'))
  expect(granted).toEqual(['a'])
  expect([queue.waiting, queue.tryAcquire(called('c'))]).toEqual([0, true])
})

test('in any sequence no permit is lost or duplicated, and none is idle while a holder may take it', () => {
  const step = fc.record({ kind: fc.constantFrom('ask', 'ask', 'end', 'cancel'), at: fc.nat(1_000) })
  const property = fc.property(fc.array(step, { maxLength: 200 }), fc.integer({ min: 1, max: 4 }), (steps, permits) => {
    const permitsPerHolder = Math.max(1, permits - 1)
    const queue = new FairQueue(permits)
    const running: string[] = []
    const waiting = new Map<{ grant(): void }, string>()
    for (const { kind, at } of steps) {
      const name = 'abc'[at % 3]!
      const holder = called(name, permitsPerHolder)
      if (kind === 'ask' && queue.tryAcquire(holder)) running.push(name)
      else if (kind === 'ask') {
        const waiter = {
          grant: () => {
            waiting.delete(waiter)
            running.push(name)
          },
        }
        waiting.set(waiter, name)
        queue.enqueue(holder, waiter)
      } else if (kind === 'end' && running.length > 0) queue.release(called(running.splice(at % running.length, 1)[0]!))
      else if (kind === 'cancel' && waiting.size > 0) {
        const [waiter, waitsAs] = [...waiting][at % waiting.size]!
        expect(queue.cancel(called(waitsAs), waiter)).toBe(true)
        waiting.delete(waiter)
      }
      const held = (of: string) => running.filter((each) => each === of).length
      expect(running.length).toBeLessThanOrEqual(permits)
      expect(queue.waiting).toBe(waiting.size)
      for (const each of 'abc') expect(held(each)).toBeLessThanOrEqual(permitsPerHolder)
      if (running.length < permits) for (const waitsAs of waiting.values()) expect(held(waitsAs)).toBe(permitsPerHolder)
    }
  })
  fc.assert(property)
})

describe('work that is run by the queue', () => {
  const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

  /** Works that end when they are told to, in the order in which they began. */
  function openWorks() {
    const begun: string[] = []
    const ends: (() => void)[] = []
    const work = (name: string) => () => {
      begun.push(name)
      return new Promise<string>((resolve) => ends.push(() => resolve(name)))
    }
    const endNext = () => {
      ends.shift()!()
      return nextTurn()
    }
    return { begun, work, endNext }
  }

  test('begins at once while permits are free, takes turns between holders, and has its result', async () => {
    const { begun, work, endNext } = openWorks()
    const queue = new FairQueue(1)
    const results = ['a', 'a', 'b', 'c'].map((name, index) => queue.run(called(name), work(`${name}${index}`)))
    expect(begun).toEqual(['a0'])
    for (let ended = 0; ended < results.length; ended++) await endNext()
    expect(begun).toEqual(['a0', 'b2', 'c3', 'a1'])
    expect(await Promise.all(results)).toEqual(['a0', 'a1', 'b2', 'c3'])
  })

  test('gives its permit back when it fails', async () => {
    const queue = new FairQueue(1)
    const failing = queue.run(called('a'), () => Promise.reject(new Error('broken')))
    const failingAtOnce = queue.run(called('a'), () => {
      throw new Error('broken at once')
    })
    await expect(failing).rejects.toThrow('broken')
    await expect(failingAtOnce).rejects.toThrow('broken at once')
    expect(await queue.run(called('b'), async () => 'its turn')).toBe('its turn')
  })

  test('is refused when too many wait, or when its holder has too many', async () => {
    const { work, endNext } = openWorks()
    const refuse = (reason: RefusedBecause) => new Error(`the queue is ${reason}`)
    const queue = new FairQueue(1, { maxWaiting: 2, maxPerHolder: 2, refuse })
    const accepted = [queue.run(called('a'), work('a')), queue.run(called('a'), work('a'))]
    await expect(queue.run(called('a'), work('a'))).rejects.toThrow('the queue is full')
    accepted.push(queue.run(called('b'), work('b')))
    await expect(queue.run(called('c'), work('c'))).rejects.toThrow('the queue is full')
    expect(queue.waiting).toBe(2)
    for (const _ of accepted) await endNext()
    expect(await Promise.all(accepted)).toEqual(['a', 'a', 'b'])
    expect(await queue.run(called('a'), async () => 'room again')).toBe('room again')
  })

  test('leaves the queue when it has waited for too long, and the next ones are served', async () => {
    const { begun, work, endNext } = openWorks()
    const queue = new FairQueue(1, { maxWaitMs: 5 })
    const first = queue.run(called('a'), work('first'))
    await expect(queue.run(called('a'), work('late'))).rejects.toThrow('late')
    expect(queue.waiting).toBe(0)
    await endNext()
    expect(await first).toBe('first')
    expect(await queue.run(called('b'), async () => 'its turn')).toBe('its turn')
    expect(begun).toEqual(['first'])
  })

  test('leaves the queue when it is canceled, and is not begun when it was before; work that runs goes on', async () => {
    const { begun, work, endNext } = openWorks()
    const queue = new FairQueue(1, { refuse: (reason) => new Error(`it was ${reason}`) })
    const [running, waiting] = [new AbortController(), new AbortController()]
    const first = queue.run(called('a'), work('first'), running.signal)
    const left = queue.run(called('a'), work('left'), waiting.signal)
    const next = queue.run(called('a'), work('next'))
    waiting.abort()
    running.abort()
    await expect(left).rejects.toThrow('it was canceled')
    await expect(queue.run(called('b'), work('never'), waiting.signal)).rejects.toThrow('it was canceled')
    await endNext()
    await endNext()
    expect(await Promise.all([first, next])).toEqual(['first', 'next'])
    expect(begun).toEqual(['first', 'next'])
  })

  test('never exceeds its bounds and always settles, in any mixture', async () => {
    const request = fc.record({
      holder: fc.constantFrom('a' as const, 'b' as const, 'c' as const),
      turns: fc.nat(3),
      cancelAfter: fc.nat(12),
    })
    const bounds = fc.record({ permits: fc.integer({ min: 1, max: 3 }), most: fc.integer({ min: 1, max: 6 }) })
    const property = fc.asyncProperty(fc.array(request, { maxLength: 40 }), bounds, async (requests, bound) => {
      const { permits, most } = bound
      const queue = new FairQueue(permits, { maxWaiting: most, maxPerHolder: most })
      const running = { a: 0, b: 0, c: 0 }
      const ended = requests.map(async ({ holder, turns, cancelAfter }) => {
        const canceling = new AbortController()
        const canceled = (async () => {
          for (let turn = 0; turn < cancelAfter; turn++) await nextTurn()
          canceling.abort()
        })()
        const work = async () => {
          expect(++running[holder]).toBeLessThanOrEqual(2)
          expect(running.a + running.b + running.c).toBeLessThanOrEqual(permits)
          expect(queue.waiting).toBeLessThanOrEqual(most)
          for (let turn = 0; turn < turns; turn++) await nextTurn()
          running[holder]--
        }
        const result = await queue.run(called(holder), work, canceling.signal).then(
          () => 'done',
          (error: Error) => error.message,
        )
        await canceled
        return result
      })
      for (const result of await Promise.all(ended)) expect(result).toMatch(/^done$|full|canceled/)
      expect([queue.waiting, queue.tryAcquire(called('d'))]).toEqual([0, true])
    })
    await fc.assert(property, { numRuns: 60 })
  })
})
