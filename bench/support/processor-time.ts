import { readdirSync, readFileSync } from 'node:fs'
import type { Pool } from '../../server/src/foundation/db/pool.ts'

/** Measures the processor time of a PostgreSQL server on this machine, in seconds; null if it cannot be seen. */
export async function openServerClock(db: Pool): Promise<(() => number) | null> {
  const { rows } = await db.query<{ pid: number }>('select pg_backend_pid() as pid')
  const postmaster = readStat(rows[0]!.pid)?.parent
  if (postmaster === undefined || !readStat(postmaster)) return null
  return () => {
    const own = readStat(postmaster)
    const children = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => readStat(Number(name)) ?? [])
      .filter(({ parent }) => parent === postmaster)
    // What has ended is counted with the postmaster, which waited for it.
    return (own?.seconds ?? 0) + (own?.endedSeconds ?? 0) + children.reduce((sum, { seconds }) => sum + seconds, 0)
  }
}

/** Linux counts processor time in hundredths of a second. */
const ticksPerSecond = 100

function readStat(pid: number): { parent: number; seconds: number; endedSeconds: number } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name, in parentheses, may contain anything.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const ticks = (...indexes: number[]) => indexes.reduce((sum, index) => sum + Number(fields[index]), 0)
    return {
      parent: Number(fields[1]),
      seconds: ticks(11, 12) / ticksPerSecond,
      endedSeconds: ticks(13, 14) / ticksPerSecond,
    }
  } catch {
    return null
  }
}
