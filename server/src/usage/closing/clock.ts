import { type Pool, transact } from '../../db/pool.ts'
import * as queries from './queries.ts'

const hourMs = 3_600_000
/** Daily runs are hardly ever exactly a day apart. */
const anotherDayMs = 20 * hourMs
/** Clocks of several servers differ by less. */
const toleranceMs = hourMs

/**
 * A moment that has surely passed: the time of a reading of another day, or null when there is none yet. Today's reading is
 * the earlier of the process's and the database's clock. So one clock that is ahead moves nothing, and where both are
 * wrong because they are one machine's, nothing is taken for passed before the clock has been wrong for most of a day.
 */
export async function findPassedMoment(db: Pool, processClock: Date): Promise<Date | null> {
  const now = await readEarlierClock(db, processClock)
  return queries.readClockReading(db, new Date(now.getTime() - anotherDayMs))
}

/** The same, and keeps today's reading for the runs to come. Readings that lie ahead are of a clock that was wrong. */
export function readAndKeepClock(db: Pool, processClock: Date): Promise<Date | null> {
  return transact(db, async (client) => {
    const now = await readEarlierClock(client, processClock)
    const passed = await queries.readClockReading(client, new Date(now.getTime() - anotherDayMs))
    const to = new Date(now.getTime() + toleranceMs)
    await queries.writeClockReading(client, now, { from: passed, to })
    return passed
  })
}

async function readEarlierClock(
  db: Parameters<typeof queries.readDatabaseClock>[0],
  processClock: Date,
): Promise<Date> {
  const databaseClock = await queries.readDatabaseClock(db)
  return databaseClock < processClock ? databaseClock : processClock
}
