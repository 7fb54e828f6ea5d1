import { type Cleanup, mapConcurrently, startWorker, type Worker } from '@storedex/testkit'
import { createPool } from '../../server/src/foundation/db/pool.ts'
import { type Service, serveWith } from '../../server/test/support/programs/program.ts'
import { type LoadOfConnections, prepareLoad } from '../api/load/load.ts'
import type { LoadTask } from '../api/load/load.worker.ts'
import type { Figures, Timing } from '../api/load/stopwatch.ts'
import type { Operation } from '../api/load/workload.ts'
import { readCpuMicros } from '../api/targets.ts'
import { openServerClock } from '../support/processor-time.ts'
import { type ComparedVersions, type VersionName, versionNames } from './versions.ts'

/** What is measured: both versions, and the new one without its cache of documents. */
const subjectNames = [...versionNames, 'uncached'] as const
export type SubjectName = (typeof subjectNames)[number]

/** How many connections send requests, with the keys of how many accounts. */
export interface Crowd {
  connections: number
  accounts: number
}

/** One run of one operation. */
export interface ComparedFigures extends Figures {
  /** Processor time for each reply, of the service and of all processes of PostgreSQL. */
  nodeMicros: number
  /** Null when PostgreSQL runs on another machine. */
  postgresMicros: number | null
}

export interface ComparedServices {
  /** Loads one service while the others are idle. */
  measure(subject: SubjectName, operation: Operation, crowd: Crowd, timing: Timing): Promise<ComparedFigures>
  /** The same from an empty ledger. Nothing else may work in the database. */
  measureAnew(subject: SubjectName, operation: Operation, crowd: Crowd, timing: Timing): Promise<ComparedFigures>
  /** Ends a service, whose database another one shares: both would take in what is imported. */
  stop(subject: SubjectName): Promise<void>
}

/** Starts all services and prepares their requests. */
export async function openServices(
  { versions, keys, workload }: ComparedVersions,
  crowds: readonly Crowd[],
  cleanup: Cleanup,
): Promise<ComparedServices> {
  const subjects = new Map<SubjectName, { service: Service; loads: Map<Crowd, LoadOfConnections> }>()
  for (const subject of subjectNames) {
    const { program } = versions[versionOf(subject)]
    const service = await serveWith('memory', program, subject === 'uncached' ? { DOCUMENT_CACHE_MB: '0' } : {})
    const { origin } = new URL(service.api)
    const prepare = ({ accounts, connections }: Crowd) =>
      prepareLoad(origin, workload, keys.slice(0, accounts), connections)
    const loads = await mapConcurrently(crowds, prepare, 1)
    subjects.set(subject, { service, loads: new Map(crowds.map((crowd, index) => [crowd, loads[index]!])) })
  }
  const pool = createPool({ url: versions.new.workspace.databaseUrl, applicationName: 'storedex bench' })
  cleanup.add(() => pool.end())
  const readPostgresSeconds = await openServerClock(pool)
  const loader: Worker<LoadTask, Figures> = startWorker(new URL('../api/load/load.worker.ts', import.meta.url), cleanup)

  const measure: ComparedServices['measure'] = async (subject, operation, crowd, timing) => {
    const { service, loads } = subjects.get(subject)!
    const connections = loads.get(crowd)![operation]
    const nodeBefore = await readCpuMicros(service.metricsUrl)
    const postgresBefore = readPostgresSeconds?.()
    const { origin } = new URL(service.api)
    const figures = await loader.call({ origin, connections, allowRepeats: false, timing })
    const nodeMicros = ((await readCpuMicros(service.metricsUrl)) - nodeBefore) / figures.answered
    const postgresSeconds = postgresBefore === undefined ? null : readPostgresSeconds!() - postgresBefore
    return {
      ...figures,
      nodeMicros,
      postgresMicros: postgresSeconds === null ? null : (postgresSeconds * 1e6) / figures.answered,
    }
  }
  return {
    measure,
    async measureAnew(subject, operation, crowd, timing) {
      await versions[versionOf(subject)].database.emptyLedger()
      return measure(subject, operation, crowd, timing)
    },
    async stop(subject) {
      await subjects.get(subject)!.service.stop()
    },
  }
}

function versionOf(subject: SubjectName): VersionName {
  return subject === 'uncached' ? 'new' : subject
}
