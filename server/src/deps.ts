import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
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
import { createPostgresEngine, createSearchPool } from './search/postgres/engine.ts'
import type { ReplicaListener, StartReplica } from './search/replica/replica.ts'
import { openSearch, type SearchService } from './search/service.ts'
import { syncTaxonomy } from './taxonomy/sync-taxonomy.ts'
import { LiveTaxonomy } from './taxonomy/taxonomy.ts'

/** Everything a process works with, opened once. The server, its tests and the command line get the same. */
export interface Deps {
  config: Config
  log: Logger
  clock: Clock
  /** Of the role that owns the tables. */
  databaseUrl: string
  /** What requests use: a role that can only add to the ledger, where there is one. For commands, the owner's. */
  db: ConnectionPool
  /** Of the role that owns the tables: it loads what ships and closes periods. */
  ownerDb: ConnectionPool
  /** The role of requests; null where it is the owner's. */
  serviceRole: string | null
  /** What opening it changed in the schema. */
  migration: MigrationResult
  plans: PlanFile
  ids: IdSealer
  cursors: CursorSealer
  signer: Signer
  taxonomy: LiveTaxonomy
  /** Checks whether the database can be used. */
  health: DatabaseHealthMonitor
  /** Says who matches a search. */
  search: SearchService
  /** Opens and makes the sealed part of contacts. */
  seals: ContactSeals
  /** Stripe, or the local stand-in that speaks its language. */
  billing: BillingProvider
  /** Null with a Stripe key, where billing is closed, and where no program of it was given. */
  standin: LocalStandin | null
  /** Gives everything back, in reverse order, within a bound. */
  close(): Promise<void>
}

export interface OpenDepsOptions {
  /** Shown in pg_stat_activity. */
  applicationName: string
  log?: Logger
  clock?: Clock
  maxConnections?: number
  /** Whether all is done by the role that owns the tables, as commands do. */
  asOwner?: boolean
  /** How the stand-in for Stripe is run, should it be needed; with an address for its events it runs from the start. */
  standin?: { args: readonly string[]; webhookUrl?: string }
  /** How the catalogue is followed into memory; without it PostgreSQL answers all searches. */
  startReplica?: StartReplica
}

/** The composition root. When a step fails, what was opened before it is given back. */
export async function openDeps(config: Config, options: OpenDepsOptions): Promise<Deps> {
  const opened: (() => Promise<void>)[] = []
  const close = once(async () => {
    for (const giveBack of opened.reverse()) await giveBack()
  })
  try {
    const log = options.log ?? createLogger({ level: config.logLevel })
    const clock = options.clock ?? systemClock
    const plans = await readPlanFile(config.plansFile)

    // It starts while the database does.
    const standin = openStandin(config, options, log)
    if (standin) opened.push(() => standin.close())
    const database = await openDatabase(config, log)
    opened.push(database.release)
    const { ownerUrl, serviceRole } = database
    const serviceUrl = options.asOwner ? ownerUrl : database.serviceUrl
    const migrations = join(config.projectDir, 'server/migrations')
    const migration = await migrate(ownerUrl, migrations, serviceRole).catch(explainMigration)
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
    const search = openSearch({ ...config, databaseUrl: serviceUrl, secret, postgres, onLog: tellLines(log) }, options)
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
    // The reason why it could not be opened matters more than a failure to clean up after it.
    await close().catch(() => {})
    throw error
  }
}

/** A role without rights, a standby that takes no writes: what the operator's own database lacks is told in one sentence. */
function explainMigration(cause: unknown): never {
  if (cause instanceof OperatorError || !(cause instanceof Error)) throw cause
  throw new OperatorError(`The schema of the database cannot be brought up to date: ${cause.message}.`, { cause })
}

function openStandin(config: Config, options: OpenDepsOptions, log: Logger): LocalStandin | null {
  if (!usesBillingStandin(config) || !options.standin) return null
  const { args, webhookUrl } = options.standin
  const { webhookSecrets } = config.stripe
  const standin = new LocalStandin({ dataDir: config.dataDir, webhookSecrets, args, log: tellTrouble(log) })
  if (webhookUrl) standin.keepRunning(webhookUrl)
  return standin
}

/** What a keeper of another process says, as lines of the log. */
function tellTrouble(log: Logger): (line: string, cause?: unknown) => void {
  return (line, cause) => log.error(cause === undefined ? {} : { cause: describeCause(cause) }, line)
}

/** The same for a keeper that says how much it matters. */
function tellLines(log: Logger): ReplicaListener['onLog'] {
  return (level, line, cause) => log[level](cause === undefined ? {} : { cause: describeCause(cause) }, line)
}

interface Database {
  ownerUrl: string
  serviceUrl: string
  /** Null where the service works as the owner. */
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
  const { url, release } = await keepRunning(open, { intervalMs: 1_000, log: tellTrouble(log) })
  const serviceUrl = new URL(url)
  const { serviceRole } = databaseNames
  serviceUrl.username = serviceRole
  return { ownerUrl: url, serviceUrl: serviceUrl.href, serviceRole, release }
}

/**
 * How many connections one account may use at once. More statements than there are processors make each other slower
 * without doing more, and those of other accounts as well.
 */
const connectionsPerAccount = Math.min(8, Math.max(3, availableParallelism()))
const ownerConnections = 3
const ownerStatementTimeoutMs = 60_000

/** Connections of the owner beside those of requests: opened when there is work, and given back soon after. */
function createOwnerPool(url: string, { applicationName }: OpenDepsOptions): ConnectionPool {
  return createPool({
    url,
    applicationName: `${applicationName} maintenance`,
    maxConnections: ownerConnections,
    statementTimeoutMs: ownerStatementTimeoutMs,
  })
}

/** Two addresses must lead to one database; its secret tells. */
async function checkSameDatabase(db: ConnectionPool, ownerDb: ConnectionPool): Promise<void> {
  const secret = await ensureInstallationSecret(ownerDb)
  const seen = await readInstallationValue(db, 'secret').catch(() => null)
  if (!seen?.equals(secret)) throw new OperatorError('DATABASE_URL and DATABASE_OWNER_URL must name one database.')
}

const poolEndTimeoutMs = 5_000

/** A connection that is still at work keeps the pool open; it ends with the process at the latest. */
async function endPool(pool: ConnectionPool): Promise<void> {
  await Promise.race([pool.end(), delay(poolEndTimeoutMs, undefined, { ref: false })])
}

function once(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  return () => {
    running ??= work()
    return running
  }
}
