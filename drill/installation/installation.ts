import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { requestOnce, requestText } from '../client/http-connection.ts'
import type { Drill } from '../scenario.ts'
import { CommandLine } from './command.ts'
import { ExternalPostgres } from './external-postgres.ts'
import { endPostgres, isTrueWithin, postmasterOf } from './processes.ts'
import { fillInstallation, type InstallationContents } from './seed.ts'
import { Service } from './service.ts'

/** A running service of one scenario, with its data. */
export interface Installation extends InstallationContents {
  folder: string
  dataDir: string
  service: Service
  commands: CommandLine
}

export interface InstallationOptions {
  environment?: Record<string, string>
  descriptors?: number
  /** Data directory of the copy; by default in the scenario's folder. */
  dataDir?: string
}

/** Copies the seed and starts the service on it. */
export async function openInstallation(drill: Drill, options: InstallationOptions = {}): Promise<Installation> {
  const { dataDir, contents } = await copySeed(drill, options.dataDir)
  const { folder, cleanup } = drill
  const environment = { DATA_DIR: dataDir, ...options.environment }
  const { descriptors } = options
  const service = await Service.start({ folder, environment, cleanup, ...(descriptors && { descriptors }) })
  if (!(await service.isReadyWithin(30_000))) throw new Error('the service is not ready 30 s after its start')
  return { ...contents, folder, dataDir, service, commands: new CommandLine({ DATA_DIR: dataDir }, cleanup) }
}

export async function copySeed(
  { folder, cleanup, seed }: Drill,
  to = join(folder, 'data'),
): Promise<{ dataDir: string; contents: InstallationContents }> {
  const { dataDir, contents } = await seed()
  execFileSync('cp', ['-Rp', dataDir, to])
  cleanup.add(() => endPostgres(to))
  return { dataDir: to, contents }
}

/** The process id of the installation's embedded PostgreSQL. Throws when it is not running. */
export function requirePostmaster({ dataDir }: Installation): number {
  const pid = postmasterOf(dataDir)
  if (pid === undefined) throw new Error('PostgreSQL is not running')
  return pid
}

export const lookup = (domain: string, key: string) => requestText('GET', `/api/v1/stores/${domain}`, { key })

export const searchStores = (key: string, limit: number, filters: object = {}) =>
  requestText('POST', '/api/v1/stores/search', { key, body: { filters, limit } })

/**
 * Waits until the service serves again. Restarts a server that ended, as a supervisor would. Returns false after the
 * timeout.
 */
export async function recoverWithin(maxMs: number, { service, domains, accounts }: Installation): Promise<boolean> {
  const text = lookup(domains[0]!, accounts.greedy.key)
  // Let the fault take effect first.
  await delay(100)
  return isTrueWithin(maxMs, async () => {
    if (!service.isRunning) await service.start()
    return (await requestOnce(service.origin, text, 2_500)).status === 200
  })
}

/** Checks the invariants of all scenarios: the ledger balances and the service never ended by itself. */
export async function checkInvariants(drill: Drill, { service, commands }: Installation): Promise<void> {
  const found = await commands.checkLedger()
  drill.check('the ledger balances', found === 'no differences', found)
  const came =
    service.unexpectedExits === 0
      ? 'it never ended'
      : `it ended ${service.unexpectedExits} times, last with ${service.lastExit}`
  drill.check('the server process never ends by itself', service.unexpectedExits === 0, came)
}

export interface ExternalInstallation extends Installation {
  postgres: ExternalPostgres
}

interface ExternalInstallationOptions {
  /** Additional environment variables of the two programs. */
  serverEnvironment?: Record<string, string>
  postgresEnvironment?: Record<string, string>
}

/** Starts a service on an operator's PostgreSQL and fills it like the seed. */
export async function openExternalInstallation(
  drill: Drill,
  options: ExternalInstallationOptions = {},
): Promise<ExternalInstallation> {
  const { folder, cleanup } = drill
  const { serverEnvironment = {}, postgresEnvironment = {} } = options
  const postgres = await ExternalPostgres.open(join(folder, 'external'), postgresEnvironment, cleanup)
  const dataDir = join(folder, 'external-data')
  const environment = { DATA_DIR: dataDir, DATABASE_URL: postgres.url }
  const service = await Service.start({ folder, environment: { ...environment, ...serverEnvironment }, cleanup })
  const commands = new CommandLine(environment, cleanup)
  return { ...(await fillInstallation(service, commands, folder)), folder, dataDir, service, commands, postgres }
}
