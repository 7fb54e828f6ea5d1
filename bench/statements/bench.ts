import { cpus } from 'node:os'
import type { Cleanup } from '@storedex/testkit'
import pg from 'pg'
import { openProgram } from '../../server/test/support/programs/program.ts'
import { createDatabase, type Workspace } from '../../server/test/support/programs/workspace.ts'
import { openVersions, type VersionName, versionNames } from '../compare/versions.ts'
import { recordOperations } from './operations.ts'
import { type RecordedStep, startRecorder } from './recorder.ts'
import { Replay, type TimedStatement } from './replay.ts'
import { Times, type TimesReport } from './times.ts'

export interface StatementsOptions {
  baseline: string
  stores: number
  rounds: number
  isShort: boolean
}

export interface StatementResults extends TimesReport {
  stores: number
  rounds: number
  date: string
  machine: { node: string; processor: string; processors: number; postgres: string }
  commits: Record<VersionName, string>
}

/** How many requests of each operation are recorded, and stores of the imports. */
const fullWork = { requestsOfEach: 120, importedStores: 6_000 }
const shortWork = { requestsOfEach: 10, importedStores: 300 }

/** Records what both versions send for the same operations, and sends it again in turns to copies of one database. */
export async function benchStatements(
  { baseline, stores, rounds, isShort }: StatementsOptions,
  workspace: Workspace,
  cleanup: Cleanup,
  report: (progress: string) => void,
): Promise<StatementResults> {
  const compared = await openVersions({ baseline, stores, seconds: 1, mostAccounts: 1 }, workspace, cleanup, report)
  const recorded: Partial<Record<VersionName, { steps: readonly RecordedStep[]; template: string }>> = {}
  for (const name of versionNames) {
    const { workspace: own, checkout, database } = compared.versions[name]
    // Its schema must be up to date in the copies as well.
    await compared.versions[name].program.run('accounts', 'list')
    await database.settle()
    await database.close()
    const template = new URL(own.databaseUrl).pathname.slice(1)
    report(`recording ${name}`)
    const databaseUrl = await createDatabase(workspace.databaseUrl, cleanup, template)
    const recorder = await startRecorder(databaseUrl, cleanup)
    const environment = { ...own.environment, DATABASE_URL: recorder.url }
    const recording = { ...own, databaseUrl: recorder.url, environment }
    const program = openProgram(recording, cleanup, checkout.folder)
    const { keys, workload } = compared
    await recordOperations(
      { program, workspace: own, workload, key: keys[0]!, recorder },
      isShort ? shortWork : fullWork,
    )
    recorded[name] = { steps: recorder.steps, template }
  }
  const { old, new: current } = recorded as Required<typeof recorded>
  const times = new Times()
  for (let round = 0; round < rounds; round++) {
    report(`round ${round + 1} of ${rounds}`)
    const urls = {
      old: await createDatabase(workspace.databaseUrl, cleanup, old.template),
      new: await createDatabase(workspace.databaseUrl, cleanup, current.template),
    }
    const replays = { old: new Replay(urls.old, cleanup), new: new Replay(urls.new, cleanup) }
    for (const [index, oldStep] of old.steps.entries()) {
      const steps = { old: oldStep, new: current.steps[index]! }
      const previous = old.steps[index - 1]?.operation
      // Otherwise one of the two may be analyzed in between, by itself, and get other plans.
      if (previous !== oldStep.operation && previous !== 'warm-up')
        for (const name of versionNames) await replays[name].analyze()
      const order = index % 2 === round % 2 ? versionNames : versionNames.toReversed()
      const timed: Record<VersionName, TimedStatement[]> = { old: [], new: [] }
      for (const name of order) timed[name] = await replays[name].send(steps[name])
      times.add(oldStep.operation, timed)
    }
    await Promise.all([replays.old.end(), replays.new.end()])
  }
  return {
    stores,
    rounds,
    date: new Date().toISOString().slice(0, 10),
    machine: {
      node: process.version,
      processor: cpus()[0]?.model.trim() ?? 'unknown',
      processors: cpus().length,
      postgres: await readServerVersion(workspace.databaseUrl),
    },
    commits: {
      old: compared.versions.old.checkout.commit,
      new: compared.versions.new.checkout.commit,
    },
    ...times.compare(),
  }
}

async function readServerVersion(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ server_version: string }>('show server_version').finally(() => client.end())
  return rows[0]!.server_version
}
