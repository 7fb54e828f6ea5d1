import { cpus } from 'node:os'
import { mapOf } from '../support/lists.ts'
import { median } from '../support/statistics.ts'
import type { Cost } from './cost.ts'
import type { Engine } from './limits/searches.ts'
import type { Operation } from './load/workload.ts'
import type { Results, Runs } from './rounds.ts'
import { type RunFigures, type SubjectName, subjectNames } from './targets.ts'

/** Over the rounds: the one in the middle, and how far apart they were. */
export interface Spread {
  median: number
  lowest: number
  highest: number
}

type SubjectReport = Record<
  'perSecond' | 'p50Ms' | 'p95Ms' | 'p99Ms' | 'cpuMicrosPerAnswer' | 'newExportsPerAnswer',
  Spread
>

export interface OperationReport {
  subjects: Record<SubjectName, SubjectReport>
  /** How many times as fast the slower limit is, compared within each round. */
  slowerLimitToService: { many: Spread; one: Spread }
  cost: Cost
}

export interface Report {
  machine: { node: string; processors: number }
  settings: { stores: number; engine: Engine; connections: number; accounts: number; rounds: number; seconds: number }
  operations: Partial<Record<Operation, OperationReport>>
}

export function makeReport(settings: Report['settings'], results: Results, costs: Record<Operation, Cost>): Report {
  const reportOf = (operation: Operation, runs: Record<SubjectName, Runs>): OperationReport => ({
    subjects: mapOf(subjectNames, (subject) => summarize(runs[subject])),
    slowerLimitToService: {
      many: ratio(runs.service_many, [runs.bare_route, runs.bare_sql_many]),
      one: ratio(runs.service_one, [runs.bare_route, runs.bare_sql_one]),
    },
    cost: costs[operation],
  })
  return {
    machine: { node: process.version, processors: cpus().length },
    settings,
    operations: Object.fromEntries([...results].map(([operation, runs]) => [operation, reportOf(operation, runs)])),
  }
}

function summarize({ figures, newExportsPerAnswer }: Runs): SubjectReport {
  const over = (name: keyof RunFigures) => spread(figures.map((each) => each[name]))
  return {
    perSecond: over('perSecond'),
    p50Ms: over('p50Ms'),
    p95Ms: over('p95Ms'),
    p99Ms: over('p99Ms'),
    cpuMicrosPerAnswer: over('cpuMicrosPerAnswer'),
    newExportsPerAnswer: spread(newExportsPerAnswer),
  }
}

function ratio(service: Runs, limits: Runs[]): Spread {
  return spread(
    service.figures.map((run, round) => {
      const slowerLimit = Math.min(...limits.map((limit) => limit.figures[round]!.perSecond))
      return slowerLimit / run.perSecond
    }),
  )
}

function spread(values: readonly number[]): Spread {
  return { median: median(values), lowest: Math.min(...values), highest: Math.max(...values) }
}
