import { resolve } from 'node:path'
import type { Cleanup } from '@storedex/testkit'
import { type EngineName, serveWith } from '../../server/test/support/programs/program.ts'
import type { Workspace } from '../../server/test/support/programs/workspace.ts'
import { measureCosts } from './cost.ts'
import { startCountingProxy } from './counting-proxy.ts'
import { prepareInstallation, warmupMs } from './installation.ts'
import { timingOf } from './load/stopwatch.ts'
import type { Operation } from './load/workload.ts'
import { makeReport, type Report } from './report.ts'
import { runRounds } from './rounds.ts'
import { openTargets } from './targets.ts'

export interface ApiBenchOptions {
  stores: number
  /** Length of the measurement in each run, after its warm-up. */
  seconds: number
  rounds: number
  connections: number
  accounts: number
  engine: EngineName
  operations: readonly Operation[]
}

const plansFile = resolve(import.meta.dirname, '../../plans.json')

/** Measures throughput and latency of the service, compared with the limits of HTTP and of PostgreSQL alone. */
export async function benchApi(
  options: ApiBenchOptions,
  workspace: Workspace,
  cleanup: Cleanup,
  report: (progress: string) => void,
): Promise<Report> {
  const { program, keys, database, workload } = await prepareInstallation(options, workspace, cleanup, report)

  report('counting what one request costs')
  const proxy = await startCountingProxy(workspace.databaseUrl, cleanup)
  const measured = await measureCosts(
    (environment) => serveWith(options.engine, program, environment),
    proxy,
    database,
    workload,
    keys[0]!,
  )

  report('preparing requests')
  const service = await serveWith(options.engine, program)
  const { stores, operations, connections, accounts, engine, rounds, seconds } = options
  const targets = await openTargets(
    { workspace, database, engine, plansFile, service, keys, workload, measured, proxy, connections },
    cleanup,
  )
  const timing = timingOf(seconds, warmupMs)
  const results = await runRounds({ database, targets, operations, rounds, timing, report })
  return makeReport({ stores, engine, connections, accounts, rounds, seconds }, results, measured.costs)
}
