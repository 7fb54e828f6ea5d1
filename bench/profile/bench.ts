import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Cleanup, mapOf, startWorker } from '@storedex/testkit'
import { type EngineName, serveWith } from '../../server/test/support/programs/program.ts'
import type { Workspace } from '../../server/test/support/programs/workspace.ts'
import { prepareInstallation, warmupMs } from '../api/installation.ts'
import { prepareLoad } from '../api/load/load.ts'
import type { LoadTask } from '../api/load/load.worker.ts'
import { type Figures, timingOf } from '../api/load/stopwatch.ts'
import type { Operation } from '../api/load/workload.ts'
import { type ProfileSummary, type Share, summarizeProfile, type Window } from './summary.ts'

export interface ProfileOptions {
  stores: number
  seconds: number
  rounds: number
  connections: number
  accounts: number
  engine: EngineName
  operations: readonly Operation[]
}

export type Profiles = Partial<Record<Operation, ProfileSummary>>

const intervalMicros = 250

/** Runs the load against a service that V8's profiler samples, and tells where the time of a reply goes. */
export async function benchProfile(
  { operations, connections, rounds, ...options }: ProfileOptions,
  workspace: Workspace,
  cleanup: Cleanup,
  report: (progress: string) => void,
): Promise<Profiles> {
  const { program, keys, database, workload } = await prepareInstallation(options, workspace, cleanup, report)
  const folder = join(workspace.folder, 'profiles')
  mkdirSync(folder)
  const flags = ['--cpu-prof', `--cpu-prof-dir=${folder}`, `--cpu-prof-interval=${intervalMicros}`]
  const service = await serveWith(options.engine, program, {}, flags)
  const { origin } = new URL(service.api)
  const load = await prepareLoad(origin, workload, keys, connections)
  const loader = startWorker<LoadTask, Figures>(new URL('../api/load/load.worker.ts', import.meta.url), cleanup)
  const timing = timingOf(options.seconds, warmupMs)
  const windows = mapOf(operations, (): Window[] => [])
  for (let round = 0; round <= rounds; round++) {
    for (const operation of operations) {
      await database.emptyLedger()
      const fromMicros = nowMicros()
      const task = { origin, allowRepeats: false, connections: load[operation], timing }
      const { answered, perSecond } = await loader.call(task)
      // The first round compiles the code.
      if (round > 0) windows[operation].push({ fromMicros, toMicros: nowMicros(), answered })
      report(`round ${round} of ${rounds}, ${operation}: ${Math.round(perSecond)} a second`)
    }
  }
  await service.stop()
  const profile = profileOfMainThread(folder)
  return mapOf(operations, (operation) => summarizeProfile(profile, windows[operation]))
}

/** V8 stamps samples with the system's monotonic clock. */
function nowMicros(): number {
  return Number(process.hrtime.bigint() / 1000n)
}

/** Threads and children write profiles too; the service's is by far the largest. */
function profileOfMainThread(folder: string): string {
  const files = readdirSync(folder).map((name) => join(folder, name))
  return files.reduce((one, other) => (statSync(other).size > statSync(one).size ? other : one))
}

const shownRows = 25

export function formatProfiles(profiles: Profiles): string {
  return Object.entries(profiles)
    .map(([operation, { micros, modules, functions, inclusive }]) =>
      [
        `## ${operation}: ${Math.round(micros)} µs a reply`,
        formatShares('module', modules, micros),
        formatShares('function', functions, micros),
        formatShares('function and what it calls', inclusive, micros),
      ].join('\n\n'),
    )
    .join('\n\n')
}

function formatShares(title: string, shares: readonly Share[], total: number): string {
  const rows = shares
    .slice(0, shownRows)
    .map(({ name, micros }) => `| ${name} | ${micros.toFixed(1)} | ${((100 * micros) / total).toFixed(1)} % |`)
  return [`| ${title} | µs a reply | share |`, '| --- | ---: | ---: |', ...rows].join('\n')
}
