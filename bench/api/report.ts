import { cpus } from 'node:os'
import { mapOf, median } from '@storedex/testkit'
import type { EngineName } from '../../server/test/support/programs/program.ts'
import type { Cost } from './cost.ts'
import { type Operation, operations } from './load/workload.ts'
import type { Results, Runs } from './rounds.ts'
import { type RunFigures, type TargetName, targetNames } from './targets.ts'

/** Median and range over the rounds. */
interface Spread {
  median: number
  lowest: number
  highest: number
}

type TargetReport = Record<
  'perSecond' | 'p50Ms' | 'p95Ms' | 'p99Ms' | 'cpuMicrosPerAnswer' | 'newExportsPerAnswer',
  Spread
>

interface OperationReport {
  subjects: Record<TargetName, TargetReport>
  /** Throughput of the slower limit divided by that of the service, within each round. */
  slowerLimitToService: { many: Spread; one: Spread }
  cost: Cost
}

export interface Report {
  machine: { node: string; processors: number }
  settings: {
    stores: number
    engine: EngineName
    connections: number
    accounts: number
    rounds: number
    seconds: number
  }
  operations: Partial<Record<Operation, OperationReport>>
}

export function makeReport(settings: Report['settings'], results: Results, costs: Record<Operation, Cost>): Report {
  const reportOf = (operation: Operation, runs: Record<TargetName, Runs>): OperationReport => ({
    subjects: mapOf(targetNames, (subject) => summarize(runs[subject])),
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

function summarize({ figures, newExportsPerAnswer }: Runs): TargetReport {
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

const titles: Record<Operation, string> = {
  lookup: 'Lookup: GET /stores/{domain}, a random known domain',
  search: 'Search: POST /stores/search, pages of 25, twelve kinds of filter, every third a later page',
  enrich: 'Enrichment: POST /stores/enrich, 25 random known domains',
  contact_search:
    'Contact search: POST /contacts/search, pages of 25, twelve kinds of filter, every third a later page',
  reveal_1: 'Reveal: POST /contacts/reveal, one contact that is new to the account',
  reveal_10: 'Reveal of ten, all new, at ten stores or nearly so',
  reveal_1_keyed: 'Reveal of one with an Idempotency-Key, each time another',
  reveal_10_keyed: 'Reveal of ten with an Idempotency-Key, each time another',
}

const header = ['', 'a second', '(lowest to highest)', 'p50 ms', 'p95 ms', 'p99 ms', 'CPU µs', 'new exports']

/** The report as text. */
export function formatReport({ machine, settings, operations: reports }: Report): string {
  const { stores, engine, connections, accounts, rounds, seconds } = settings
  return [
    `${count(stores)} stores, searches on the engine ${engine}, ${connections} connections, ${rounds} rounds of ${seconds} s; Node ${machine.node}, ${machine.processors} processors.`,
    ...operations.flatMap((operation) => {
      const report = reports[operation]
      return report ? ['', ...formatOperation(titles[operation], report, accounts)] : []
    }),
    '',
    'Medians of the rounds. CPU µs: of the own process for each reply, without PostgreSQL. New exports: for each reply.',
  ].join('\n')
}

function formatOperation(title: string, { subjects, slowerLimitToService, cost }: OperationReport, accounts: number) {
  const several = `${accounts} accounts`
  const labels: Record<TargetName, string> = {
    service_many: `Storedex, ${several}`,
    service_one: 'Storedex, one account',
    bare_route: 'the same reply from a bare Fastify route',
    bare_sql_many: `the same SQL from a bare driver loop, ${several}`,
    bare_sql_one: 'the same SQL from a bare driver loop, one account',
  }
  const rows = targetNames.map((name) => {
    const { perSecond, p50Ms, p95Ms, p99Ms, cpuMicrosPerAnswer, newExportsPerAnswer } = subjects[name]
    return [
      labels[name],
      count(perSecond.median),
      `(${count(perSecond.lowest)} to ${count(perSecond.highest)})`,
      ...[p50Ms, p95Ms, p99Ms].map(({ median }) => median.toFixed(1)),
      count(cpuMicrosPerAnswer.median),
      name === 'bare_route' ? '-' : newExportsPerAnswer.median.toFixed(2),
    ]
  })
  const { many, one } = slowerLimitToService
  return [
    title,
    ...formatColumns([header, ...rows]),
    `The slower limit is ${times(many)} as fast with ${several}, ${times(one)} with one.`,
    `One request alone: ${cost.statements} statements (${cost.parsed} of them parsed) in ${cost.roundTrips} round trips, ${count(cost.bytesReceived)} bytes from PostgreSQL, a reply of ${count(cost.replyBytes)} bytes.`,
  ]
}

function formatColumns(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  const pad = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)
  return rows.map((row) => `  ${row.map(pad).join('  ')}`)
}

const count = (value: number) => Math.round(value).toLocaleString('en-US')
const times = ({ median, lowest, highest }: Spread) =>
  `${median.toFixed(2)} times (${lowest.toFixed(2)} to ${highest.toFixed(2)})`
