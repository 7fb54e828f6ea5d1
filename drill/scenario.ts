import type { Cleanup } from '../bench/support/cleanup.ts'
import type { Random } from '../catalogue/build/random.ts'
import type { Seed } from './installation/seed.ts'

/** One fault that the service is put through, and what has to come of it. */
export interface Scenario {
  /** The word on the command line. */
  name: string
  title: string
  /** What is done and what is expected, for the report. */
  expected: string
  run(drill: Drill): Promise<void>
}

/** What a scenario works with. */
export interface Drill {
  isShort: boolean
  /** How long a soak takes. */
  minutes: number
  random: Random
  /** A folder of this scenario alone, gone afterwards. */
  folder: string
  /** Runs when the scenario is over, also when it failed. */
  cleanup: Cleanup
  /** A stopped installation with stores, people, accounts and keys, to be copied. */
  seed(): Promise<Seed>
  reportProgress(progress: string): void
  /** One promise of the service: whether it was kept, and what came. */
  check(promise: string, isKept: boolean, came: string | number): void
  figure(name: string, value: string | number): void
  /** Keeps a drawing for the report. */
  plot(name: string, svg: string): void
}

export interface Check {
  promise: string
  isKept: boolean
  came: string
}

export interface Outcome {
  name: string
  title: string
  expected: string
  status: 'passed' | 'failed' | 'skipped'
  /** Why it was skipped, or what broke the scenario itself. */
  reason: string | null
  isShort: boolean
  date: string
  version: string
  machine: string
  seconds: number
  checks: Check[]
  figures: { name: string; value: string }[]
  plots: string[]
}

/** Thrown where this machine lacks what the scenario needs; the message says what, and how to get it. */
export class Skipped extends Error {}
