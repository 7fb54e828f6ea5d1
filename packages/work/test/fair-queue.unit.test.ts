import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FairQueue } from '../src/fair-queue.ts'

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
