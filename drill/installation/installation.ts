import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { askOnce, requestText } from '../client/http-connection.ts'
import type { Drill } from '../scenario.ts'
import { CommandLine } from './command.ts'
import { OwnPostgres } from './external-postgres.ts'
import { endPostgres, isTrueWithin, postmasterOf } from './processes.ts'
import { type Contents, fill } from './seed.ts'
import { Service } from './service.ts'

/** A running service of the scenario's own, with everything that is in it. */
export interface World extends Contents {
  folder: string
  dataDir: string
  service: Service
  commands: CommandLine
}

export interface WorldOptions {
  environment?: Record<string, string>
  descriptors?: number
  /** Where the copy is made; a folder of the scenario when left out. */
  dataDir?: string
}

/** Copies the seed and starts the service on it. */
export async function openWorld(drill: Drill, options: WorldOptions = {}): Promise<World> {
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
): Promise<{ dataDir: string; contents: Contents }> {
  const { dataDir, contents } = await seed()
  execFileSync('cp', ['-Rp', dataDir, to])
  cleanup.add(() => endPostgres(to))
  return { dataDir: to, contents }
}

/** The running postmaster of the world's embedded PostgreSQL. */
export function postmasterIn({ dataDir }: World): number {
  const pid = postmasterOf(dataDir)
  if (pid === undefined) throw new Error('PostgreSQL does not run')
  return pid
}

export const lookup = (domain: string, key: string) => requestText('GET', `/api/v1/stores/${domain}`, { key })

export const searchStores = (key: string, limit: number, filters: object = {}) =>
  requestText('POST', '/api/v1/stores/search', { key, body: { filters, limit } })

/**
 * Waits until the service serves again, as a supervisor would: a server that ended is counted and started anew. False when it
 * does not serve within the time.
 */
export async function isServedWithin(mostMs: number, { service, domains, accounts }: World): Promise<boolean> {
  const text = lookup(domains[0]!, accounts.greedy.key)
  // Let the fault be felt first.
  await delay(100)
  return isTrueWithin(mostMs, async () => {
    if (!service.isRunning) await service.start()
    return (await askOnce(service.origin, text, 2_500)).status === 200
  })
}

/** What every scenario ends with: the ledger balances and the service never ended by itself. */
export async function checkEnd(drill: Drill, { service, commands }: World): Promise<void> {
  const found = await commands.checkLedger()
  drill.check('the ledger balances', found === 'no differences', found)
  const came =
    service.unwantedEnds === 0
      ? 'it never ended'
      : `it ended ${service.unwantedEnds} times, last with ${service.lastEnd}`
  drill.check('the server process never ends by itself', service.unwantedEnds === 0, came)
}

interface OwnWorld extends World {
  postgres: OwnPostgres
}

interface OwnWorldOptions {
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
