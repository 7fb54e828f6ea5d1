import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { monthlyPeriodAt, parseTimestamp, systemClock, utcDayAt } from '../../../src/foundation/kernel/time.ts'
import { createManualClock } from '../../support/fixtures.ts'

const moment = fc.date({
  min: new Date('1990-01-01T00:00:00Z'),
  max: new Date('2090-01-01T00:00:00Z'),
  noInvalidDate: true,
})

const period = (anchor: string, now: string) => {
  const { start, end } = monthlyPeriodAt(new Date(anchor), new Date(now))
  return [start.toISOString(), end.toISOString()]
}

/** The boundary `months` after the anchor, computed by hand without Date arithmetic. */
function naiveBoundary(anchor: Date, months: number): number {
  const monthCount = anchor.getUTCFullYear() * 12 + anchor.getUTCMonth() + months
  const year = Math.floor(monthCount / 12)
  const month = monthCount % 12
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  const lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
  const timeOfDayMs = anchor.getTime() - Math.floor(anchor.getTime() / 86_400_000) * 86_400_000
  return Date.UTC(year, month, Math.min(anchor.getUTCDate(), lengths[month]!)) + timeOfDayMs
}

describe('monthly periods', () => {
  test.each([
    ['in the middle', '2026-03-10T08:30:00Z', '2026-05-20T00:00:00Z', '2026-05-10T08:30:00Z', '2026-06-10T08:30:00Z'],
    [
      'at its very start',
      '2026-03-10T08:30:00Z',
      '2026-05-10T08:30:00Z',
      '2026-05-10T08:30:00Z',
      '2026-06-10T08:30:00Z',
    ],
    [
      'a moment before',
      '2026-03-10T08:30:00Z',
      '2026-05-10T08:29:59.999Z',
      '2026-04-10T08:30:00Z',
      '2026-05-10T08:30:00Z',
    ],
    [
      'the 31st in February',
      '2026-01-31T00:00:00Z',
      '2026-02-28T12:00:00Z',
      '2026-02-28T00:00:00Z',
      '2026-03-31T00:00:00Z',
    ],
    [
      'the 31st in a leap year',
      '2028-01-31T00:00:00Z',
      '2028-02-29T12:00:00Z',
      '2028-02-29T00:00:00Z',
      '2028-03-31T00:00:00Z',
    ],
    [
      'the 31st in April',
      '2026-01-31T00:00:00Z',
      '2026-04-15T00:00:00Z',
      '2026-03-31T00:00:00Z',
      '2026-04-30T00:00:00Z',
    ],
    [
      'a leap day a year later',
      '2024-02-29T06:00:00Z',
      '2025-03-01T00:00:00Z',
      '2025-02-28T06:00:00Z',
      '2025-03-29T06:00:00Z',
    ],
    [
      'over the new year',
      '2025-12-31T23:59:59.999Z',
      '2026-01-15T00:00:00Z',
      '2025-12-31T23:59:59.999Z',
      '2026-01-31T23:59:59.999Z',
    ],
    [
      'before the anchor',
      '2026-03-31T10:00:00Z',
      '2026-02-28T09:59:59Z',
      '2026-01-31T10:00:00Z',
      '2026-02-28T10:00:00Z',
    ],
  ])('%s', (_case, anchor, now, start, end) => {
    expect(period(anchor, now)).toEqual([new Date(start).toISOString(), new Date(end).toISOString()])
  })

  test('contain the given time, and end where the next one starts', () => {
    fc.assert(
      fc.property(moment, moment, (anchor, now) => {
        const { start, end } = monthlyPeriodAt(anchor, now)
        expect(start.getTime()).toBeLessThanOrEqual(now.getTime())
        expect(end.getTime()).toBeGreaterThan(now.getTime())
        expect(monthlyPeriodAt(anchor, start)).toEqual({ start, end })
        expect(monthlyPeriodAt(anchor, new Date(end.getTime() - 1))).toEqual({ start, end })
        expect(monthlyPeriodAt(anchor, end).start).toEqual(end)
      }),
    )
  })

  test('do not drift within fifty years in both directions', () => {
    fc.assert(
      fc.property(moment, (anchor) => {
        for (let months = -600; months < 600; months++) {
          const start = naiveBoundary(anchor, months)
          const expected = { start: new Date(start), end: new Date(naiveBoundary(anchor, months + 1)) }
          expect(monthlyPeriodAt(anchor, new Date(start))).toEqual(expected)
        }
      }),
      { numRuns: 10 },
    )
  })

  test('do not modify their arguments', () => {
    const anchor = new Date('2026-01-31T00:00:00Z')
    const now = new Date('2026-01-31T00:00:00Z')
    const { start } = monthlyPeriodAt(anchor, now)
    start.setUTCFullYear(1999)
    expect([anchor, now]).toEqual([new Date('2026-01-31T00:00:00Z'), new Date('2026-01-31T00:00:00Z')])
  })
})

test('a UTC day runs from midnight to midnight and contains the given time', () => {
  expect(utcDayAt(new Date('2026-12-31T23:59:59.999Z'))).toEqual({
    start: new Date('2026-12-31T00:00:00Z'),
    end: new Date('2027-01-01T00:00:00Z'),
  })
  fc.assert(
    fc.property(moment, (now) => {
      const { start, end } = utcDayAt(now)
      expect(start.getTime()).toBe(Math.floor(now.getTime() / 86_400_000) * 86_400_000)
      expect(end.getTime() - start.getTime()).toBe(86_400_000)
    }),
  )
})

test('the system clock returns the current time', () => {
  const before = Date.now()
  const told = systemClock.now().getTime()
  expect(told).toBeGreaterThanOrEqual(before)
  expect(told).toBeLessThanOrEqual(Date.now())
})

test('a manual clock moves only when it is advanced', () => {
  const clock = createManualClock('2026-01-31T12:00:00Z')
  clock.now().setFullYear(1999)
  expect(clock.now()).toEqual(new Date('2026-01-31T12:00:00Z'))
  clock.advance(1500)
  expect(clock.now()).toEqual(new Date('2026-01-31T12:00:01.500Z'))
  clock.set('2027-01-01T00:00:00Z')
  expect(clock.now()).toEqual(new Date('2027-01-01T00:00:00Z'))
})

const iso = (text: string) => {
  const moment = parseTimestamp(text)
  return moment === null ? null : new Date(moment).toISOString()
}

test.each([
  ['2026-11-01T00:00:00Z', '2026-11-01T00:00:00.000Z'],
  ['2026-11-01t00:00:00z', '2026-11-01T00:00:00.000Z'],
  ['2026-11-01T00:00Z', '2026-11-01T00:00:00.000Z'],
  ['2026-11-01T00:00:00.5Z', '2026-11-01T00:00:00.500Z'],
  ['2026-11-01T00:00:01.005Z', '2026-11-01T00:00:01.005Z'],
  ['2026-11-01T00:00:01.0059999999999Z', '2026-11-01T00:00:01.005Z'],
  ['2026-11-01T01:30:00+02:00', '2026-10-31T23:30:00.000Z'],
  ['2026-10-31T18:30:00-0530', '2026-11-01T00:00:00.000Z'],
  ['2026-11-01T01:00:00+01', '2026-11-01T00:00:00.000Z'],
  ['2024-02-29T12:00:00Z', '2024-02-29T12:00:00.000Z'],
  ['2000-02-29T12:00:00-00:00', '2000-02-29T12:00:00.000Z'],
  ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
  ['2017-01-01T00:59:60.9+01:00', '2017-01-01T00:00:00.000Z'],
  ['1969-12-31T23:59:60Z', '1970-01-01T00:00:00.000Z'],
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ['0050-06-01T00:00:00Z', '0050-06-01T00:00:00.000Z'],
  ['9999-12-31T23:59:59.9999999Z', '9999-12-31T23:59:59.999Z'],
])('%s is %s', (text, expected) => {
  expect(iso(text)).toBe(expected)
})

test.each([
  '2026-11-01',
  '2026-11-01T00:00:00',
  '2026-11-01 00:00:00Z',
  '2026-02-30T00:00:00Z',
  '2025-02-29T00:00:00Z',
  '1900-02-29T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-00-01T00:00:00Z',
  '2026-01-00T00:00:00Z',
  '2026-04-31T00:00:00Z',
  '2026-01-01T24:00:00Z',
  '2026-01-01T23:60:00Z',
  '2026-01-01T23:59:61Z',
  '2026-01-01T12:00:60Z',
  '2026-01-01T00:00:00+24:00',
  '2026-01-01T00:00:00+01:60',
  '2026-01-01T00:00:00.Z',
  '2026-01-01T00:00:00Z ',
  '2026-01-01T00:00:00Z\n',
  '٢٠٢٦-01-01T00:00:00Z',
  '0000-12-31T00:00:00Z',
  '0001-01-01T00:00:00+01:00',
  '9999-12-31T23:59:59-01:00',
  '+012026-01-01T00:00:00Z',
  '20260101T000000Z',
  '1767225600',
  'now',
  'infinity',
  '',
])('%j is not a timestamp', (text) => {
  expect(parseTimestamp(text)).toBeNull()
})
