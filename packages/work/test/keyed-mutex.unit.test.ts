import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { KeyedMutex } from '../src/keyed-mutex.ts'

/** Longer than any test. */
const never = 3_600_000
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

function openWork() {
  let end = () => {}
  let fail = (_error: Error) => {}
  const done = new Promise<string>((resolve, reject) => {
    end = () => resolve('done')
    fail = reject
  })
  return { work: () => done, end, fail }
}

describe('work for one key', () => {
  test('holds it until it ends, also when it fails, and no other key', async () => {
    const mutex = new KeyedMutex()
    for (const settle of ['end', 'fail'] as const) {
      const held = openWork()
      const result = mutex.run('key', held.work).catch((error: Error) => error.message)
      expect([mutex.has('key'), mutex.has('other')]).toEqual([true, false])
      expect(() => mutex.run('key', async () => {})).toThrow('other work holds this key')
      held[settle](new Error('broken'))
      expect(await result).toBe(settle === 'end' ? 'done' : 'broken')
      expect(await mutex.waitForEnd('key', never)).toBe(true)
      expect(mutex.has('key')).toBe(false)
    }
  })

  test('that fails before it waits for anything leaves the key free', () => {
    const mutex = new KeyedMutex()
    const failing = () =>
      mutex.run('key', () => {
        throw new Error('broken at once')
      })
    expect(failing).toThrow('broken at once')
    expect(mutex.has('key')).toBe(false)
  })

  test('is waited for until it ends or the time is over, whatever becomes of it', async () => {
    const mutex = new KeyedMutex()
    const held = openWork()
    const result = mutex.run('key', held.work)
    expect(await mutex.waitForEnd('key', 1)).toBe(false)
    const waiting = [mutex.waitForEnd('key', never), mutex.waitForEnd('key', never)]
    held.fail(new Error('broken'))
    await expect(result).rejects.toThrow('broken')
    expect(await Promise.all(waiting)).toEqual([true, true])
    expect(await mutex.waitForEnd('a key that nothing holds', never)).toBe(true)
  })
})

test('of any number that want a key one holds it at a time, and all get it', async () => {
  const wish = fc.record({ key: fc.constantFrom('a', 'b'), turns: fc.nat(3), startsAfter: fc.nat(3) })
  await fc.assert(
    fc.asyncProperty(fc.array(wish, { maxLength: 30 }), async (wishes) => {
      const mutex = new KeyedMutex()
      const holders = new Map<string, number>()
      let done = 0
      const getKey = async ({ key, turns, startsAfter }: (typeof wishes)[number]) => {
        for (let turn = 0; turn < startsAfter; turn++) await nextTurn()
        while (mutex.has(key)) expect(await mutex.waitForEnd(key, never)).toBe(true)
        await mutex.run(key, async () => {
          holders.set(key, (holders.get(key) ?? 0) + 1)
          expect(holders.get(key)).toBe(1)
          for (let turn = 0; turn < turns; turn++) await nextTurn()
          holders.set(key, 0)
          done++
        })
      }
      await Promise.all(wishes.map(getKey))
      expect(done).toBe(wishes.length)
    }),
    { numRuns: 60 },
  )
})
