import { type Cleanup, mapOf, startWorker, type Worker } from '@storedex/testkit'
import type { EngineName, Service } from '../../server/test/support/programs/program.ts'
import type { Workspace } from '../../server/test/support/programs/workspace.ts'
import { type MeasuredCosts, requireSameSql } from './cost.ts'
import type { CountingProxy } from './counting-proxy.ts'
import type { BenchDatabase } from './installation.ts'
import type { RouteResult, RouteTask } from './limits/route.worker.ts'
import type { SqlResult, SqlTask } from './limits/sql.worker.ts'
import { type LoadOfConnections, prepareLoad } from './load/load.ts'
import type { LoadTask } from './load/load.worker.ts'
import type { Figures, Timing } from './load/stopwatch.ts'
import { type Operation, revealOperations, sampleOf, type Workload } from './load/workload.ts'

/** The service and its two limits. One account shows the cost of updating the same counter rows. */
export const targetNames = ['service_many', 'service_one', 'bare_route', 'bare_sql_many', 'bare_sql_one'] as const
export type TargetName = (typeof targetNames)[number]

/** One run, with the processor time of the target's process for each reply, without PostgreSQL's. */
export interface RunFigures extends Figures {
  cpuMicrosPerAnswer: number
}

export type Targets = Record<TargetName, (operation: Operation, timing: Timing) => Promise<RunFigures>>

export interface TargetsInput {
  workspace: Workspace
  database: BenchDatabase
  engine: EngineName
  plansFile: string
  service: Service
  keys: string[]
  workload: Workload
  /** The measured costs of the service, and the proxy that counted them. */
  measured: MeasuredCosts
  proxy: CountingProxy
  connections: number
}

/** Starts the processes and prepares their requests. */
export async function openTargets(input: TargetsInput, cleanup: Cleanup): Promise<Targets> {
  const { service, keys, workload, connections } = input
  const { origin } = new URL(service.api)
  const loadOfMany = await prepareLoad(origin, workload, keys, connections)
  const loadOfOne = await prepareLoad(origin, workload, keys.slice(0, 1), connections)

  const start = <Q, A>(name: string): Worker<Q, A> =>
    startWorker(new URL(`./${name}.worker.ts`, import.meta.url), cleanup)
  const loader = start<LoadTask, Figures>('load/load')
  const bare = start<RouteTask, RouteResult>('limits/route')
  const sql = start<SqlTask, SqlResult>('limits/sql')

  const { origin: bareOrigin } = await bare.call({ samples: input.measured.samples })
  const { engine, plansFile, proxy, measured, workspace, database } = input
  const replyBytes = mapOf(revealOperations, (operation) => measured.costs[operation].replyBytes)
  const prepared = { engine, plansFile, keys, replyBytes }
  await sql.call({ prepare: { databaseUrl: proxy.url, workload: sampleOf(workload), ...prepared } })
  await requireSameSql(sql, proxy, database, measured.costs)
  await sql.call({ prepare: { databaseUrl: workspace.databaseUrl, workload, ...prepared } })

  const overHttp =
    (
      target: { origin: string; allowRepeats: boolean },
      load: LoadOfConnections,
      readCpuMicros: () => Promise<number>,
    ) =>
    async (operation: Operation, timing: Timing): Promise<RunFigures> => {
      const before = await readCpuMicros()
      const figures = await loader.call({ ...target, connections: load[operation], timing })
      return { ...figures, cpuMicrosPerAnswer: ((await readCpuMicros()) - before) / figures.answered }
    }
  const overDriver = (accounts: number) => async (operation: Operation, timing: Timing) => {
    // Each run begins in new periods.
    await sql.call('renew callers')
    const { cpuMicros, ...figures } = (await sql.call({ run: { operation, accounts, connections, timing } }))!
    return { ...figures, cpuMicrosPerAnswer: cpuMicros / figures.answered }
  }
  const serviceCpu = () => readCpuMicros(service.metricsUrl)
  const bareCpu = async () => (await bare.call('cpu')).cpuMicros
  const spending = { origin, allowRepeats: false }
  // The bare route charges nothing, and may answer more reveals than there are contacts.
  const forgetting = { origin: bareOrigin, allowRepeats: true }
  return {
    service_many: overHttp(spending, loadOfMany, serviceCpu),
    service_one: overHttp(spending, loadOfOne, serviceCpu),
    bare_route: overHttp(forgetting, loadOfMany, bareCpu),
    bare_sql_many: overDriver(keys.length),
    bare_sql_one: overDriver(1),
  }
}

/** The processor time of the service's process since its start. */
export async function readCpuMicros(metricsUrl: string): Promise<number> {
  const text = await (await fetch(metricsUrl)).text()
  const [, seconds] = /^process_cpu_seconds_total (\S+)/m.exec(text) ?? []
  if (!seconds) throw new Error('the metrics lack process_cpu_seconds_total')
  return Number(seconds) * 1e6
}
