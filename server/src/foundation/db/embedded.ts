import {
  type EmbeddedPostgres,
  EmbeddedPostgresError,
  type EmbeddedPostgresOptions,
  openEmbeddedPostgres,
} from '@storedex/embedded-postgres'
import * as location from '@storedex/embedded-postgres/location'
import { OperatorError } from '../kernel/errors.ts'
import { availableMemory } from '../runtime/memory.ts'

/**
 * Names in the embedded server: the database, its owner, and the role of requests, which gets its rights after each
 * migration.
 */
export const databaseNames = { database: 'storedex', owner: 'storedex', serviceRole: 'storedex_service' }

/** Where root stores the cluster when no other user can reach the data directory, e.g. below /root. */
export const reachableHomes = '/var/lib/storedex'

const advice = {
  'other-data-directory': ' The setting is DATA_DIR.',
  'own-server': ' Set DATABASE_URL to a PostgreSQL of your own, 15 or newer.',
}

/** Starts, or joins, the PostgreSQL in `${dataDir}/postgres`. Throws an `OperatorError` when that fails. */
export async function openDatabaseServer(
  options: Pick<EmbeddedPostgresOptions, 'dataDir' | 'settings' | 'log'>,
): Promise<EmbeddedPostgres> {
  const setup = { names: databaseNames, reachableHomes, memoryBytes: availableMemory() }
  const server = await openEmbeddedPostgres({ ...setup, ...options }).catch(throwAsOperatorError)
  return { ...server, release: () => server.release().catch(throwAsOperatorError) }
}

/** Creates a missing data directory, with a mode that lets PostgreSQL's user reach its cluster. */
export function prepareDataDir(dataDir: string): void {
  try {
    location.ensureDataDir(dataDir)
  } catch (error) {
    throwAsOperatorError(error)
  }
}

function throwAsOperatorError(error: unknown): never {
  if (!(error instanceof EmbeddedPostgresError)) throw error
  throw new OperatorError(`${error.message}${error.remedy ? advice[error.remedy] : ''}`, { cause: error })
}
