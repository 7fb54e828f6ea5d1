import type { Config } from '../config.ts'
import { OperatorError } from '../kernel/errors.ts'
import { figure } from '../kernel/format.ts'
import { leastMemory } from '../runtime/memory.ts'

/**
 * Refuses to start where the system would kill the service soon after, without a word. `available` is in bytes. Throws an
 * `OperatorError` that says what there is and what is needed.
 */
export function requireMemory({ databaseUrl }: Pick<Config, 'databaseUrl'>, available: number): void {
  const embedsPostgres = databaseUrl === null
  const needed = leastMemory({ embedsPostgres })
  if (available >= needed) return
  const wayOut = embedsPostgres
    ? ` with its own PostgreSQL: give it more, or set DATABASE_URL to a PostgreSQL elsewhere, then ${inMb(leastMemory({ embedsPostgres: false }))} do`
    : ': give it more'
  throw new OperatorError(`There are ${inMb(available)} of memory, and Storedex needs ${inMb(needed)}${wayOut}.`)
}

function inMb(bytes: number): string {
  return `${figure(Math.floor(bytes / 2 ** 20))} MB`
}
