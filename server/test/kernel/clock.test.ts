import { expect, test } from 'vitest'
import { systemClock } from '../../src/kernel/time.ts'
import { createManualClock } from '../support/fixtures.ts'

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
