import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { isServerOf, readPostmasterFile } from '@storedex/embedded-postgres/postmaster'
import pg from 'pg'
import { isServerOf, readPostmasterFile } from '../../server/src/db/embedded/postmaster.ts'
import { openEmbeddedPostgres } from '../../server/src/db/embedded/supervisor.ts'
import { childrenOf, isAlive, isTrueWithin, signal } from '../installation/processes.ts'

/** The process id of the PostgreSQL that runs in a data directory; undefined when none does. */
export function postmasterOf(dataDir: string): number | undefined {
  try {
    const home = realpathSync(join(dataDir, 'postgres'))
    const pid = readPostmasterFile(home)?.pid
    return pid !== undefined && isServerOf(home, pid) ? pid : undefined
  } catch {
    return undefined
  }
}

/** All processes of a PostgreSQL, its first one last. */
export function postgresProcesses(postmaster: number): number[] {
  return [...childrenOf(postmaster), postmaster]
}

/** Ends what a failed scenario left running, stopped processes too. */
export async function endPostgres(dataDir: string): Promise<void> {
  const postmaster = postmasterOf(dataDir)
  if (postmaster === undefined) return
  const processes = postgresProcesses(postmaster)
  for (const pid of processes) signal(pid, 'SIGCONT')
  signal(postmaster, 'SIGQUIT')
  if (await isTrueWithin(10_000, () => !isAlive(postmaster))) return
  for (const pid of processes) signal(pid, 'SIGKILL')
}

/** Runs statements on the embedded PostgreSQL, beside the service or without it. */
export async function withDatabase<T>(dataDir: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const postgres = await openDatabaseServer({ dataDir })
  const client = new pg.Client({ connectionString: postgres.url })
  // A connection that a kill cuts is reported by its statement.
  client.on('error', () => {})
  try {
    await client.connect()
    return await work(client)
  } finally {
    await client.end().catch(() => {})
    await postgres.release()
  }
}
