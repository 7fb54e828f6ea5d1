import type { SearchContext } from '../exclusion/exclude.ts'

export interface CountContext extends SearchContext {
  /** Aborts when the caller has left. */
  signal: AbortSignal | null
}

/** Counts are fair between accounts. */
export function holderOf({ caller }: CountContext): string {
  return `account ${caller.accountId}`
}

/** Milliseconds since a reading of the clock, to the microsecond. */
export function millisecondsSince(startedAt: number): number {
  return Math.round((performance.now() - startedAt) * 1_000) / 1_000
}
