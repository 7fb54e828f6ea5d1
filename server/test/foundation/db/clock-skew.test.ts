import { expect, test } from 'vitest'
import { ClockSkewMonitor } from '../../../src/foundation/db/clock-skew.ts'
import { createPool } from '../../../src/foundation/db/pool.ts'
import { systemClock } from '../../../src/foundation/kernel/time.ts'
import { atEnd } from '../../support/cleanup.ts'
import { createTestDatabase } from '../../support/database.ts'

const db = createPool({ url: (await createTestDatabase()).url, applicationName: 'clock skew', maxConnections: 1 })
atEnd(() => db.end())

/** The machine's clock, which is also the database's, shifted by an offset. */
function watchOff() {
  const lines: string[] = []
  let offMs = 0
  const clock = { now: () => new Date(systemClock.now().getTime() + offMs) }
  const watch = new ClockSkewMonitor({ db, clock, warn: (line) => lines.push(line) })
  return {
    lines,
    watch,
    measureAt: async (seconds: number) => {
      offMs = seconds * 1000
      await watch.measure()
      return watch.skewSeconds!
    },
  }
}

test.each([86_400, -86_400, 3653 * 86_400])('a skew of %i s is measured, and one warning is logged', async (off) => {
  const { lines, measureAt } = watchOff()
  expect(Math.abs((await measureAt(off)) - off)).toBeLessThan(2)
  await measureAt(off)
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatch(off > 0 ? /is \d+ s ahead of the database's/ : /is \d+ s behind the database's/)
  await measureAt(0)
  await measureAt(off)
  expect(lines).toHaveLength(2)
})

test('synchronised clocks cause no warning', async () => {
  const { lines, watch, measureAt } = watchOff()
  expect(watch.skewSeconds).toBeNull()
  expect(Math.abs(await measureAt(0))).toBeLessThan(2)
  await measureAt(5)
  expect(lines).toEqual([])
})
