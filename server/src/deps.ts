import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { keepRunning } from '@storedex/embedded-postgres'
import type { Logger } from 'pino'
import { type PlanFile, readPlanFile } from './accounts/plans.ts'
import { LocalStandin } from './billing/local/standin.ts'
import type { BillingProvider } from './billing/provider.ts'
import { accessFromSettings, standinPrices } from './billing/stripe/connection.ts'
import { createStripeProvider } from './billing/stripe/provider.ts'
import { type Config, usesBillingStandin } from './config.ts'
import { databaseNames, openDatabaseServer } from './db/embedded.ts'
import { ensureInstallationSecret, readInstallationValue } from './db/installation.ts'
import { checkDatabaseServer, type MigrationResult, migrate } from './db/migrate.ts'
import { type ConnectionPool, createPool } from './db/pool.ts'
import { type ContactSeals, openContactSeals } from './encryption/keyring.ts'
import { DatabaseHealthMonitor } from './http/health.ts'
import { type CursorSealer, createCursorSealer } from './kernel/cursor.ts'
import { OperatorError } from './kernel/errors.ts'
import { createIdSealer, type IdSealer } from './kernel/ids.ts'
import { createSigner, type Signer } from './kernel/signer.ts'
import { type Clock, systemClock } from './kernel/time.ts'
import { createLogger, describeCause } from './runtime/logger.ts'
import { withTimeout } from './runtime/timing.ts'
import { createPostgresEngine, createSearchPool } from './search/postgres/engine.ts'
import type { ReplicaListener, StartReplica } from './search/replica/replica.ts'
import { openSearch, type SearchService } from './search/service.ts'
import { syncTaxonomy } from './taxonomy/sync-taxonomy.ts'
import { LiveTaxonomy } from './taxonomy/taxonomy.ts'

/** The shared resources of a process. Server, tests and command line open them the same way. */
export interface Deps {
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
  plans: PlanFile
  ids: IdSealer
  cursors: CursorSealer
  signer: Signer
  taxonomy: LiveTaxonomy
  /** Checks whether the database can be used. */
  health: DatabaseHealthMonitor
  /** Answers searches. */
  search: SearchService
  /** Seals and opens the sealed part of contacts. */
  seals: ContactSeals
  /** Stripe, or the local stand-in with the same API. */
  billing: BillingProvider
  /** Null with a Stripe key, when billing is closed, and when no stand-in program was given. */
  standin: LocalStandin | null
  /** Closes everything in reverse order, within a time limit. */
  close(): Promise<void>
}

export interface OpenDepsOptions {
  /** Shown in pg_stat_activity. */
  applicationName: string
  log?: Logger
  clock?: Clock
  maxConnections?: number
  /** Whether all statements run as the owner of the tables, as commands do. */
  asOwner?: boolean
  /** How to run the stand-in for Stripe, if needed; with a webhook URL it runs from the start. */
  standin?: { args: readonly string[]; webhookUrl?: string }
  /** How the catalogue is followed into memory; without it PostgreSQL answers all searches. */
  startReplica?: StartReplica
}

/** The composition root. When a step fails, the steps before it are undone. */
export async function openDeps(config: Config, options: OpenDepsOptions): Promise<Deps> {
  const opened: (() => Promise<void>)[] = []
  const close = once(async () => {
    for (const closeResource of opened.reverse()) await closeResource()
  })
  try {
    const log = options.log ?? createLogger({ level: config.logLevel })
    const clock = options.clock ?? systemClock
    const plans = await readPlanFile(config.plansFile)

    // The stand-in starts in parallel with the database.
    const standin = openStandin(config, options, log)
    if (standin) opened.push(() => standin.close())
    const database = await openDatabase(config, log)
    opened.push(database.release)
    const { ownerUrl, serviceRole } = database
    const serviceUrl = options.asOwner ? ownerUrl : database.serviceUrl
    const migrations = join(config.projectDir, 'server/migrations')
    const migration = await migrate(ownerUrl, migrations, serviceRole).catch(throwMigrationError)
    const db = createPool({
      url: serviceUrl,
      ...options,
      ...(!options.asOwner && { maxConnectionsPerAccount: connectionsPerAccount }),
    })
    opened.push(() => endPool(db))
    const ownerDb = options.asOwner ? db : createOwnerPool(ownerUrl, options)
    if (ownerDb !== db) opened.push(() => endPool(ownerDb))
    if (serviceUrl !== ownerUrl && config.databaseUrl) await checkSameDatabase(db, ownerDb)

    const secret = await ensureInstallationSecret(db)
    const seals = await openContactSeals(db, config.dataKeys, config.dataDir)
    await syncTaxonomy(db, join(config.projectDir, 'catalogue/taxonomy'))
    const taxonomy = await LiveTaxonomy.open(db)
    const searchPool = createSearchPool({ url: serviceUrl, applicationName: options.applicationName })
    opened.push(() => endPool(searchPool))
    const postgres = createPostgresEngine({ db: searchPool })
    const search = openSearch({ ...config, databaseUrl: serviceUrl, secret, postgres, onLog: logLines(log) }, options)
    opened.push(() => search.close())
    const health = new DatabaseHealthMonitor({ log, databaseUrl: serviceUrl })
    opened.push(async () => health.close())
    return {
      config,
      log,
      clock,
      databaseUrl: ownerUrl,
      db,
      ownerDb,
      serviceRole,
      migration,
      plans,
      ids: createIdSealer(secret),
      cursors: createCursorSealer(secret),
      signer: createSigner(secret),
      taxonomy,
      health,
      search,
      seals,
      billing: createStripeProvider({
        getAccess: standin ? () => standin.access() : accessFromSettings(config.stripe),
        prices: config.stripe.secretKey ? config.stripe.prices : { ...standinPrices, ...config.stripe.prices },
      }),
      standin,
      close,
    }
  } catch (error) {
    // The original error matters more than a failed clean-up.
    await close().catch(() => {})
    throw error
  }
}

/**
 * Converts an error of the operator's own database, such as a missing right or a read-only standby, to one sentence.
 */
function throwMigrationError(cause: unknown): never {
  if (cause instanceof OperatorError || !(cause instanceof Error)) throw cause
  throw new OperatorError(`The schema of the database cannot be brought up to date: ${cause.message}.`, { cause })
}

function openStandin(config: Config, options: OpenDepsOptions, log: Logger): LocalStandin | null {
  if (!usesBillingStandin(config) || !options.standin) return null
  const { args, webhookUrl } = options.standin
  const { webhookSecrets } = config.stripe
  const standin = new LocalStandin({ dataDir: config.dataDir, webhookSecrets, args, log: logErrors(log) })
  if (webhookUrl) standin.keepRunning(webhookUrl)
  return standin
}

/** Logs errors of the supervisor of another process. */
function logErrors(log: Logger): (line: string, cause?: unknown) => void {
  return (line, cause) => log.error(cause === undefined ? {} : { cause: describeCause(cause) }, line)
}

/** The same with a log level. */
function logLines(log: Logger): ReplicaListener['onLog'] {
  return (level, line, cause) => log[level](cause === undefined ? {} : { cause: describeCause(cause) }, line)
}

interface Database {
  ownerUrl: string
  serviceUrl: string
  /** Null when the service runs as the owner. */
  serviceRole: string | null
  release(): Promise<void>
}

async function openDatabase(config: Config, log: Logger): Promise<Database> {
  const { databaseUrl, databaseOwnerUrl } = config
  if (databaseUrl) {
    const role = await checkDatabaseServer(databaseUrl)
    const owner = databaseOwnerUrl ? await checkDatabaseServer(databaseOwnerUrl) : role
    return {
      ownerUrl: databaseOwnerUrl ?? databaseUrl,
      serviceUrl: databaseUrl,
      serviceRole: role === owner ? null : role,
      release: async () => {},
    }
  }
  const open = () => openDatabaseServer({ dataDir: config.dataDir, log: (line) => log.info(line) })
  const { url, release } = await keepRunning(open, { intervalMs: 1_000, log: logErrors(log) })
  const serviceUrl = new URL(url)
  const { serviceRole } = databaseNames
  serviceUrl.username = serviceRole
  return { ownerUrl: url, serviceUrl: serviceUrl.href, serviceRole, release }
}

/**
 * Maximum number of connections of one account. More concurrent statements than CPUs slow each other and those of other
 * accounts down.
 */
const connectionsPerAccount = Math.min(8, Math.max(3, availableParallelism()))
const ownerConnections = 3
const ownerStatementTimeoutMs = 60_000

/** The owner's connections, separate from those of requests: opened on demand and closed soon after. */
function createOwnerPool(url: string, { applicationName }: OpenDepsOptions): ConnectionPool {
  return createPool({
    url,
    applicationName: `${applicationName} maintenance`,
    maxConnections: ownerConnections,
    statementTimeoutMs: ownerStatementTimeoutMs,
  })
}

/** Checks that both URLs lead to the same database, by comparing its secret. */
async function checkSameDatabase(db: ConnectionPool, ownerDb: ConnectionPool): Promise<void> {
  const secret = await ensureInstallationSecret(ownerDb)
  const seen = await readInstallationValue(db, 'secret').catch(() => null)
  if (!seen?.equals(secret)) throw new OperatorError('DATABASE_URL and DATABASE_OWNER_URL must name one database.')
}

const poolEndTimeoutMs = 5_000

/** A busy connection keeps the pool open; it ends with the process at the latest. */
async function endPool(pool: ConnectionPool): Promise<void> {
  await withTimeout(pool.end(), poolEndTimeoutMs, () => {})
}

function once(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  return () => {
    running ??= work()
    return running
  }
}
