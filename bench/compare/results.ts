import { median } from '@storedex/testkit'
import type { Operation } from '../api/load/workload.ts'
import type { ComparedFigures, Crowd, SubjectName } from './services.ts'
import type { VersionName } from './versions.ts'

/** The runs of one round; the version without its cache was not always measured. */
export type RoundOfOperation = Record<VersionName, ComparedFigures> & { uncached?: ComparedFigures }

/** An operation with so many connections and accounts. */
export interface Comparison {
  operation: Operation
  crowd: Crowd
  rounds: RoundOfOperation[]
}

interface ImportRun {
  p50Ms: number
  p99Ms: number
  perSecond: number
  importSeconds: number
}

export interface CompareResults {
  stores: number
  /** Length of each run. */
  seconds: number
  rounds: number
  date: string
  machine: { node: string; processor: string; processors: number }
  commits: Record<VersionName, string>
  comparisons: Comparison[]
  /** Searches while stores are imported, one for each round. */
  besideImport: Record<VersionName, ImportRun>[]
}

export type FigureName = 'perSecond' | 'p50Ms' | 'p99Ms' | 'nodeMicros' | 'postgresMicros'

/** The median over the rounds; null where a round has none. */
export function middleOf(rounds: readonly RoundOfOperation[], subject: SubjectName, figure: FigureName): number | null {
  const values = rounds.map((round) => round[subject]?.[figure] ?? null)
  return values.length > 0 && values.every((value) => value !== null) ? median(values) : null
}

/** The median of the ratios within a round: the subject's figure over that of the old version. */
export function ratioOf(rounds: readonly RoundOfOperation[], subject: SubjectName, figure: FigureName): number | null {
  const ratios = rounds.map((round) => {
    const [value, before] = [round[subject]?.[figure], round.old[figure]]
    return value == null || before === null || before === 0 ? null : value / before
  })
  return ratios.length > 0 && ratios.every((ratio) => ratio !== null) ? median(ratios) : null
}

/** The median of the ratios of p99 beside an import; null when it was not measured. */
export function importRatioOf({ besideImport }: CompareResults): number | null {
  if (besideImport.length === 0) return null
  return median(besideImport.map((round) => round.new.p99Ms / round.old.p99Ms))
}
