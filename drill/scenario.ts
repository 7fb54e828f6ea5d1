import type { Cleanup } from '@storedex/testkit'
import type { Random } from '../catalogue/build/random.ts'
import type { Seed } from './installation/seed.ts'

/** A fault, and the behaviour that is expected of the service. */
export interface Scenario {
  /** Its name on the command line. */
  name: string
  title: string
  /** The procedure and the expected behaviour, for the report. */
  expected: string
  run(drill: Drill): Promise<void>
}

/** The context of a running scenario. */
export interface Drill {
  isShort: boolean
  /** Length of the soak, and the most that scenarios with many kills take. */
  minutes: number
  /** How often `charges` kills. */
  kills: number
  random: Random
  /** A temporary folder of this scenario. */
  folder: string
  /** Runs after the scenario, also after a failure. */
  cleanup: Cleanup
  /** A stopped installation with stores, contacts, accounts and keys, to copy. */
  seed(): Promise<Seed>
  reportProgress(progress: string): void
  /** Records whether the service kept a promise, and the actual behaviour. */
  check(promise: string, isKept: boolean, came: string | number): void
  /** The same for a promise about time. The short form runs beside other work, where it is a figure. */
  checkTime(promise: string, isKept: boolean, came: string | number): void
  figure(name: string, value: string | number): void
  /** Adds a plot to the report. */
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
  /** Why it was skipped, or the error that broke the scenario. */
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

/** Thrown when this machine lacks a requirement; the message names it and how to install it. */
export class Skipped extends Error {}
