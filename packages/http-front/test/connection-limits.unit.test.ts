import { expect, test } from 'vitest'
import { parseOpenFileLimit } from '../src/connection-limits.ts'

test('the limit on open files is read from /proc/self/limits', () => {
  const limitsFile = (soft: string) =>
    `Max processes  1  2  processes\nMax open files            ${soft}   1048576  files\n`
  expect(parseOpenFileLimit(limitsFile('200'))).toBe(200)
  expect(parseOpenFileLimit(limitsFile('unlimited'))).toBe(Number.POSITIVE_INFINITY)
  expect(parseOpenFileLimit('')).toBe(1_024)
})
