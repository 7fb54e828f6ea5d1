import { expect, onTestFinished, test, vi } from 'vitest'
import { withTimeout } from '../src/timeout.ts'

/** Longer than any test. */
const never = 3_600_000
const stuck = () => new Promise<string>(() => {})

test('work that ends in time has its own result or error, and leaves no timer behind', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  expect(await withTimeout(Promise.resolve('done'), never, () => 'late')).toBe('done')
  await expect(withTimeout(Promise.reject(new Error('broken')), never, () => 'late')).rejects.toThrow('broken')
  expect(vi.getTimerCount()).toBe(0)
})

test('work that is late is answered for, by a value or an error, and its own error is lost', async () => {
  expect(await withTimeout(stuck(), 1, () => 'late')).toBe('late')
  const refuse = () => {
    throw new Error('too late')
  }
  await expect(withTimeout(stuck(), 1, refuse)).rejects.toThrow('too late')
  let fail = (_error: Error) => {}
  const failsLater = new Promise<string>((_, reject) => {
    fail = reject
  })
  expect(await withTimeout(failsLater, 1, () => 'late')).toBe('late')
  fail(new Error('that nobody waits for any more'))
})
