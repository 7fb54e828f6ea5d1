import { openEmbeddedPostgres } from '../../src/db/embedded/supervisor.ts'
import { run, serverPid, until } from '../db/embedded-support.ts'

/** Runs a statement on the embedded PostgreSQL, beside the service. */
export async function query(dataDir: string, statement: string): Promise<Record<string, unknown>[]> {
  const postgres = await openEmbeddedPostgres({ dataDir })
  try {
    return await run(postgres.url, statement)
  } finally {
    await postgres.release()
  }
}

/** Ends the embedded PostgreSQL on the spot. */
export async function endPostgres(dataDir: string): Promise<void> {
  process.kill(serverPid(dataDir)!, 'SIGKILL')
  await until(() => serverPid(dataDir) === undefined)
}
