import { mapOf } from '@storedex/testkit'
import type { BenchDatabase } from './installation.ts'
import type { Timing } from './load/stopwatch.ts'
import type { Operation } from './load/workload.ts'
import { type RunFigures, type TargetName, type Targets, targetNames } from './targets.ts'

/** The runs of one target with one operation, one for each round. */
export interface Runs {
  figures: RunFigures[]
  /** New store exports for each reply: they determine how much a charge writes. */
  newExportsPerAnswer: number[]
}
export type Results = Map<Operation, Record<TargetName, Runs>>

export interface RoundsInput {
  database: BenchDatabase
  targets: Targets
  operations: readonly Operation[]
  rounds: number
  timing: Timing
  report(progress: string): void
}

/**
 * Runs the targets in turn, round by round, each time from an empty ledger: all write the same amount, and other load on
 * the machine affects them alike.
 */
export async function runRounds(input: RoundsInput): Promise<Results> {
  const { database } = input
  await database.settle()
  const results: Results = new Map(input.operations.map((operation) => [operation, noRuns()]))
  for (let round = 0; round < input.rounds; round++) {
    for (const [operation, runsOfTargets] of results) {
      for (const target of rotated(targetNames, round)) {
        await database.emptyLedger()
        const figures = await input.targets[target](operation, input.timing)
        const runs = runsOfTargets[target]
        runs.figures.push(figures)
        runs.newExportsPerAnswer.push((await database.countExports()) / figures.answered)
        input.report(`round ${round + 1}, ${operation}, ${target}: ${Math.round(figures.perSecond)} a second`)
      }
    }
  }
  return results
}

function noRuns(): Record<TargetName, Runs> {
  return mapOf(targetNames, () => ({ figures: [], newExportsPerAnswer: [] }))
}

/** Changes the order, so that no target always follows the same one. */
function rotated<T>(list: readonly T[], by: number): T[] {
  const start = by % list.length
  return [...list.slice(start), ...list.slice(0, start)]
}
