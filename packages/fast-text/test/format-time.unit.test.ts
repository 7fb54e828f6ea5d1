import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatDay, formatTime } from '../src/format-time.ts'

describe('a formatted time', () => {
  test('is what the language writes, for any times in any order', () => {
    fc.assert(
      fc.property(fc.array(fc.date({ noInvalidDate: true }), { minLength: 1 }), (moments) => {
        expect(moments.map(formatTime)).toEqual(moments.map((moment) => moment.toISOString()))
      }),
    )
    const midnight = Date.UTC(2026, 11, 1)
    for (const ms of [midnight, midnight - 1, midnight + 1, 0, -1, 86_399_999])
      expect(formatTime(new Date(ms))).toBe(new Date(ms).toISOString())
    expect(() => formatTime(new Date(Number.NaN))).toThrow(RangeError)
  })

  test('has the day before its T', () => {
    for (const text of ['2026-11-21T23:59:59.999Z', '+012026-01-01T00:00:00.000Z', '-000044-03-15T12:00:00.000Z'])
      expect(formatDay(new Date(text))).toBe(text.split('T')[0])
  })
})
