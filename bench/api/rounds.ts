import { mapOf } from '../support/lists.ts'
import type { BenchDatabase } from './installation.ts'
import type { Timing } from './load/stopwatch.ts'
import type { Operation } from './load/workload.ts'
import { type RunFigures, type TargetName, type Targets, targetNames } from './targets.ts'

/** The runs of one subject at one operation, a run a round. */
export interface Runs {
  figures: RunFigures[]
  /** Stores newly exported for each answer: what a charge writes depends on it. */
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
 * Lets the subjects run in turn, round after round, each time from an empty ledger: then all have the same to write, and
 * what else goes on in the machine meets them alike.
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

/** No subject always follows the same one. */
function rotated<T>(list: readonly T[], by: number): T[] {
  const start = by % list.length
  return [...list.slice(start), ...list.slice(0, start)]
}
