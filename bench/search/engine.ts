import type { BenchCatalogue } from './catalogue/result-order.ts'
import type { Answer, Search } from './question.ts'

/** Something that answers searches over a catalogue that it was loaded with. */
export interface Engine {
  name: string
  /** How it was set up, for whoever would do it another way. */
  settings: readonly string[]
  load(catalogue: BenchCatalogue): Promise<void>
  /** What answers the search, as often as it is called: all that need not be done anew each time has been done. */
  prepare(search: Search): Promise<Ask> | Ask
  /** What the loaded catalogue takes, in memory or on disk. */
  countBytes(): Promise<number> | number
  close(): Promise<void> | void
}

export type Ask = () => Answer | Promise<Answer>

/** One that was stopped after the longest time that anything may take. */
export class TookTooLong extends Error {}

/** What a peer is stopped after, and what then counts. */
export const longestMs = 20_000
