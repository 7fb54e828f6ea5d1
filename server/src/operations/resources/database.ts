import { join } from 'node:path'
import { keepRunning } from '@storedex/embedded-postgres'
import { withTimeout } from '@storedex/work'
import type { Logger } from 'pino'
import { databaseNames, openDatabaseServer } from '../../foundation/db/embedded.ts'
import { ensureInstallationSecret, readInstallationValue } from '../../foundation/db/installation.ts'
import { checkDatabaseServer, type MigrationResult, migrate } from '../../foundation/db/migrate.ts'
import { type ConnectionPool, createPool } from '../../foundation/db/pool.ts'
import { checkPooler } from '../../foundation/db/pooler.ts'
import { OperatorError } from '../../foundation/kernel/errors.ts'
import { createIdSealer, type IdSealer } from '../../foundation/kernel/ids.ts'
import { type Clock, systemClock } from '../../foundation/kernel/time.ts'
import { createLogger, describeCause } from '../../foundation/runtime/logger.ts'
import type { Config } from '../config.ts'

/** The database of an installation, migrated, with what its rows need. Most commands need no more and load no more. */
export interface DatabaseDeps {
  config: Config
  log: Logger
  clock: Clock
  /** URL of the role that owns the tables. */
  databaseUrl: string
  /**
   * The pool of requests; its role can only append to the ledger, if a separate role exists. For commands, the owner's
   * pool.
   */
  db: ConnectionPool
  /** The pool of the role that owns the tables: it loads initial data and closes periods. */
  ownerDb: ConnectionPool
  /** The role of requests; null when it is the owner's. */
  serviceRole: string | null
  /** The result of the migration at opening. */
  migration: MigrationResult
  ids: IdSealer
  /** Closes everything in reverse order, within a time limit. */
  close(): Promise<void>
}

export interface DatabaseOptions {
  /** Shown in pg_stat_activity. */
  applicationName: string
  log?: Logger
  clock?: Clock
  maxConnections?: number
  /** Maximum number of connections of one account; default: all of them, and for the service as many as there are processors. */
  maxConnectionsPerAccount?: number
  /** Whether all statements run as the owner of the tables, as commands do. */
  asOwner?: boolean
}

/** With what only the composition root needs besides. */
export interface RootDatabaseDeps extends DatabaseDeps {
  /** URL of the role of `db`. */
  serviceUrl: string
  /** URL of the same role past a pooler, for what needs a session: listening and long reads. */
  directUrl: string
  secret: Buffer
}

/** Opens and migrates the database. When a step fails, the steps before it are undone. */
export async function openDatabaseDeps(config: Config, options: DatabaseOptions): Promise<RootDatabaseDeps> {
  const opened: (() => Promise<void>)[] = []
  const close = once(async () => {
    for (const closeResource of opened.reverse()) await closeResource()
  })
  try {
    const log = options.log ?? createLogger({ level: config.logLevel })
    const database = await openDatabase(config, log)
    opened.push(database.release)
    const { ownerUrl, serviceRole } = database
    const [serviceUrl, directUrl] = options.asOwner ? [ownerUrl, ownerUrl] : [database.serviceUrl, database.directUrl]
    const migration = await migrate(ownerUrl, migrationsFolder(config), serviceRole).catch(throwMigrationError)
    const db = createPool({ url: serviceUrl, ...options })
    opened.push(() => endPool(db))
    const ownerDb = options.asOwner ? db : createOwnerPool(ownerUrl, options)
    if (ownerDb !== db) opened.push(() => endPool(ownerDb))
    if (serviceUrl !== directUrl) await checkPooler(db)
    if (serviceUrl !== ownerUrl && config.databaseUrl) await checkSameDatabase(db, ownerDb, config)
    const secret = await ensureInstallationSecret(db)
    return {
      ...{
        config,
        log,
        clock: options.clock ?? systemClock,
        databaseUrl: ownerUrl,
        serviceUrl,
        directUrl,
        serviceRole,
      },
      ...{ db, ownerDb, migration, secret, ids: createIdSealer(secret), close },
    }
  } catch (error) {
    // The original error matters more than a failed clean-up.
    await close().catch(() => {})
    throw error
  }
}

export function migrationsFolder({ projectDir }: Config): string {
  return join(projectDir, 'server/migrations')
}

/**
 * Converts an error of the operator's own database, such as a missing right or a read-only standby, to one sentence.
 */
function throwMigrationError(cause: unknown): never {
  if (cause instanceof OperatorError || !(cause instanceof Error)) throw cause
  throw new OperatorError(`The schema of the database cannot be brought up to date: ${cause.message}.`, { cause })
}

/** Logs errors of the supervisor of another process. */
export function logErrors(log: Logger): (line: string, cause?: unknown) => void {
  return (line, cause) => log.error(cause === undefined ? {} : { cause: describeCause(cause) }, line)
}

/** The database of an installation as it stands: neither migrated nor filled. */
export interface OpenedDatabase {
  /** Leads past a pooler. */
  ownerUrl: string
  serviceUrl: string
  /** For the role of `serviceUrl`, past a pooler. */
  directUrl: string
  /** Null when the service runs as the owner. */
  serviceRole: string | null
  release(): Promise<void>
}

/** Connects to the operator's server, or starts or joins the embedded one. Changes nothing in the database. */
export async function openDatabase(config: Config, log: Logger): Promise<OpenedDatabase> {
  const { databaseUrl, databaseOwnerUrl, databaseDirectUrl } = config
  if (databaseUrl) {
    const directUrl = databaseDirectUrl ?? databaseUrl
    const ownerUrl = databaseOwnerUrl ?? directUrl
    const roles = new Map<string, string>()
    for (const url of new Set([databaseUrl, directUrl, ownerUrl])) roles.set(url, await checkDatabaseServer(url))
    const role = roles.get(databaseUrl)!
    if (roles.get(directUrl) !== role)
      throw new OperatorError('DATABASE_URL and DATABASE_DIRECT_URL must name the same role.')
    const serviceRole = role === roles.get(ownerUrl) ? null : role
    return { ownerUrl, serviceUrl: databaseUrl, directUrl, serviceRole, release: async () => {} }
  }
  const open = () => openDatabaseServer({ dataDir: config.dataDir, log: (line) => log.info(line) })
  const { url, release } = await keepRunning(open, { intervalMs: 1_000, log: logErrors(log) })
  const serviceUrl = new URL(url)
  const { serviceRole } = databaseNames
  serviceUrl.username = serviceRole
  return { ownerUrl: url, serviceUrl: serviceUrl.href, directUrl: serviceUrl.href, serviceRole, release }
}

const ownerConnections = 3
const ownerStatementTimeoutMs = 60_000

/** The owner's connections, separate from those of requests: opened on demand and closed soon after. */
function createOwnerPool(url: string, { applicationName }: DatabaseOptions): ConnectionPool {
  return createPool({
    url,
    applicationName: `${applicationName} maintenance`,
    maxConnections: ownerConnections,
    statementTimeoutMs: ownerStatementTimeoutMs,
  })
}

/** Checks that both URLs lead to the same database, by comparing its secret. */
async function checkSameDatabase(db: ConnectionPool, ownerDb: ConnectionPool, config: Config): Promise<void> {
  const secret = await ensureInstallationSecret(ownerDb)
  const seen = await readInstallationValue(db, 'secret').catch(() => null)
  if (seen?.equals(secret)) return
  const other = config.databaseOwnerUrl ? 'DATABASE_OWNER_URL' : 'DATABASE_DIRECT_URL'
  throw new OperatorError(`DATABASE_URL and ${other} must name one database.`)
}

const poolEndTimeoutMs = 5_000

/** A busy connection keeps the pool open; it ends with the process at the latest. */
export async function endPool(pool: ConnectionPool): Promise<void> {
  await withTimeout(pool.end(), poolEndTimeoutMs, () => {})
}

export function once(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  return () => {
    running ??= work()
    return running
  }
}
