import { run, serverPid, until } from '../../../../packages/embedded-postgres/test/support.ts'
import { openDatabaseServer } from '../../../src/db/embedded.ts'

/** Runs a statement on the embedded PostgreSQL, while the service runs. */
export async function query(dataDir: string, statement: string): Promise<Record<string, unknown>[]> {
  const postgres = await openDatabaseServer({ dataDir })
  try {
    return await run(postgres.url, statement)
  } finally {
    await postgres.release()
  }
}

/** Kills the embedded PostgreSQL. */
export async function killPostgres(dataDir: string): Promise<void> {
  process.kill(serverPid(dataDir)!, 'SIGKILL')
  await until(() => serverPid(dataDir) === undefined)
}
