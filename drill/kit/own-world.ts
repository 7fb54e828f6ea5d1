import { join } from 'node:path'
import { CommandLine } from '../installation/command.ts'
import { OwnPostgres } from '../installation/external-postgres.ts'
import type { World } from '../installation/installation.ts'
import { fill } from '../installation/seed.ts'
import { Service } from '../installation/service.ts'
import type { Drill } from '../scenario.ts'

export interface OwnWorld extends World {
  postgres: OwnPostgres
}

export interface OwnWorldOptions {
  /** Environments of the two programs, over what they have anyway. */
  serverEnvironment?: Record<string, string>
  postgresEnvironment?: Record<string, string>
}

/** A service on a PostgreSQL of the operator's, filled like the seed. */
export async function openOwnWorld(drill: Drill, options: OwnWorldOptions = {}): Promise<OwnWorld> {
  const { folder, cleanup } = drill
  const { serverEnvironment = {}, postgresEnvironment = {} } = options
  const postgres = await OwnPostgres.open(join(folder, 'own'), postgresEnvironment, cleanup)
  const dataDir = join(folder, 'own-data')
  const environment = { DATA_DIR: dataDir, DATABASE_URL: postgres.url }
  const service = await Service.start({ folder, environment: { ...environment, ...serverEnvironment }, cleanup })
  const commands = new CommandLine(environment, cleanup)
  return { ...(await fill(service, commands, folder)), folder, dataDir, service, commands, postgres }
}
