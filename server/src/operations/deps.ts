import { availableParallelism } from 'node:os'
import type { SliceScheduler } from '@storedex/work'
import type { Logger } from 'pino'
import { startImportInProcess } from '../catalogue/import-jobs/run/execute.ts'
import type { StartImport } from '../catalogue/import-jobs/run/task.ts'
import type { StartReading } from '../catalogue/imports/records/chunk-reader.ts'
import { type InspectImport, inspectInProcess } from '../catalogue/imports/threads/inspect.ts'
import { readPlanFile } from '../customers/accounts/plan-file.ts'
import type { PlanFile } from '../customers/accounts/plans.ts'
import { LocalStandin } from '../customers/billing/local/standin.ts'
import type { BillingProvider } from '../customers/billing/provider.ts'
import { accessFromSettings, standinPrices } from '../customers/billing/stripe/connection.ts'
import { createStripeProvider } from '../customers/billing/stripe/provider.ts'
import { Charges } from '../customers/ledger/charges.ts'
import { KnownExports } from '../customers/ledger/exports-cache.ts'
import type { ConnectionPool, Pool } from '../foundation/db/pool.ts'
import { DatabaseHealthMonitor } from '../foundation/http/health.ts'
import { type CursorSealer, createCursorSealer } from '../foundation/kernel/cursor-sealer.ts'
import { createQuoteSealer, type QuoteSealer } from '../foundation/kernel/quote.ts'
import { createSigner, type Signer } from '../foundation/kernel/signer.ts'
import { createLogger, describeCause } from '../foundation/runtime/logger.ts'
import { availableMemory, minimumMemory } from '../foundation/runtime/memory.ts'
import { RevealBatches } from '../product/contacts/reveal-batches.ts'
import { Documents } from '../product/delivery/documents.ts'
import { AccountSets } from '../product/exclusion/account-sets.ts'
import type { StartCounting } from '../search/counting/counter.ts'
import { createPostgresEngine, createSearchPool, type SearchBudget } from '../search/engines/postgres/engine.ts'
import type { ReplicaListener, StartReplica } from '../search/replica/replica.ts'
import { Standby } from '../search/replica/standby.ts'
import { openSearch, type SearchService, searchBudget } from '../search/service/service.ts'
import { type Config, usesBillingStandin } from './config.ts'
import { type CatalogueDeps, openCatalogueDeps } from './resources/catalogue.ts'
import { type DatabaseOptions, endPool, logErrors, once } from './resources/database.ts'

/** The shared resources of a process. Server, tests and command line open them the same way. */
export interface Deps extends CatalogueDeps {
  plans: PlanFile
  cursors: CursorSealer
  quotes: QuoteSealer
  signer: Signer
  /** Checks whether the database can be used. */
  health: DatabaseHealthMonitor
  /** Answers searches. */
  search: SearchService
  /** Answers reads of the catalogue in place of the database; null without DATABASE_REPLICA_URL. */
  standby: Standby | null
  /** What accounts can exclude from searches. */
  accountSets: AccountSets
  /** Documents of stores and previews of contacts. */
  documents: Documents
  /** Admits and charges requests. */
  charges: Charges
  /** Reveals that come at once. */
  revealBatches: RevealBatches
  /** Runs imports of the console, each with connections of its own. */
  startImport: StartImport
  /** Reads the beginning of a file for the console. */
  inspectImport: InspectImport
  /** Secret of the installation: the source of ids, cursors and signatures. */
  secret: Buffer
  /** Stripe, or the local stand-in with the same API. */
  billing: BillingProvider
  /** Null with a Stripe key, when billing is closed, and when no stand-in program was given. */
  standin: LocalStandin | null
}

export interface OpenDepsOptions extends Omit<DatabaseOptions, 'maxConnectionsPerAccount'> {
  /** How to run the stand-in for Stripe, if needed; with a webhook URL it runs from the start. */
  standin?: { args: readonly string[]; webhookUrl?: string }
  /** How imports of the console are run; by default in this thread. */
  startImport?: StartImport
  /** How the beginning of a file is read for the console; by default in this thread. */
  inspectImport?: InspectImport
  /** How the catalogue is followed into memory; without it PostgreSQL answers all searches. */
  startReplica?: StartReplica
  /** How counts over the index in memory run; by default in this thread. */
  startCounting?: StartCounting
  /** Divides the time of searches in memory; by default the scheduler of the process. */
  slices?: SliceScheduler
  /** How long a search in PostgreSQL may wait and run; by default as in `postgresBudget`. */
  searchBudget?: SearchBudget
  /** How imports read large files in a thread. */
  startReading?: StartReading
  /**
   * How many processes of this service share the machine (default: 1). Each gets its part of the memory for the search
   * index and the cache, and of the connections of one account.
   */
  processes?: number
}

/** The composition root. When a step fails, the steps before it are undone. */
export async function openDeps(config: Config, options: OpenDepsOptions): Promise<Deps> {
  const opened: (() => Promise<void>)[] = []
  const close = once(async () => {
    for (const closeResource of opened.reverse()) await closeResource()
  })
  try {
    const { processes = 1 } = options
    const log = options.log ?? createLogger({ level: config.logLevel })
    const plans = await readPlanFile(config.plansFile)

    // The stand-in starts in parallel with the database.
    const standin = openStandin(config, options, log)
    if (standin) opened.push(() => standin.close())
    const { serviceUrl, directUrl, secret, ...catalogue } = await openCatalogueDeps(config, {
      ...options,
      log,
      ...(!options.asOwner && {
        maxConnectionsPerAccount: Math.max(leastPerAccount, Math.ceil(connectionsPerAccount / processes)),
      }),
    })
    opened.push(catalogue.close)
    const { applicationName, searchBudget: budget } = options
    const searchPool = createSearchPool({ url: serviceUrl, applicationName, ...(budget && { budget }) })
    opened.push(() => endPool(searchPool))
    const standby = openStandby(config, options, { primary: searchPool, log })
    opened.push(async () => standby?.close())
    const postgres = createPostgresEngine({ db: standby ? standby.over(searchPool) : searchPool })
    const searchMemoryMb = searchMemoryPerProcess(config, processes)
    const search = openSearch(
      { ...config, searchMemoryMb, databaseUrl: directUrl, secret, postgres, onLog: logLines(log) },
      options,
    )
    opened.push(() => search.close())
    const health = new DatabaseHealthMonitor({ log, databaseUrl: serviceUrl })
    opened.push(async () => health.close())
    const { db: pool, seals } = catalogue
    const { documents, charges } = openDelivery(config, pool, processes)
    const revealBatches = new RevealBatches({ pool, charges, seals, deliverEmails: config.deliverEmails })
    return {
      ...catalogue,
      plans,
      ...(options.startReading && { startReading: options.startReading }),
      cursors: createCursorSealer(secret),
      quotes: createQuoteSealer(secret),
      signer: createSigner(secret),
      health,
      search,
      standby,
      accountSets: new AccountSets(),
      documents,
      charges,
      revealBatches,
      startImport: options.startImport ?? startImportInProcess,
      inspectImport: options.inspectImport ?? inspectInProcess,
      secret,
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

const megabyte = 2 ** 20
const mostCacheBytes = 256 * megabyte
const cacheShareOfMemory = 16
/** Of the memory for both, which exports are known. */
const knownExportsShare = 1 / 8

/** What replies are made of, and what charges them. What both have in memory is forgotten when the database may have changed. */
function openDelivery(
  { documentCacheMb, deliverEmails }: Config,
  pool: ConnectionPool,
  processes: number,
): Pick<Deps, 'documents' | 'charges'> {
  const allBytes =
    documentCacheMb === null
      ? Math.min(mostCacheBytes, availableMemory() / cacheShareOfMemory)
      : documentCacheMb * megabyte
  const bytes = allBytes / processes
  const knownExports = new KnownExports({ maxBytes: bytes * knownExportsShare })
  const documents = new Documents({ maxBytes: bytes * (1 - knownExportsShare), pool, deliverEmails })
  const charges = new Charges({ pool, knownExports })
  pool.onConnectionLost(() => {
    documents.cache.clear()
    charges.forgetExports()
  })
  return { documents, charges }
}

/** Commands read too little to need it. */
function openStandby(
  { databaseReplicaUrl: url }: Config,
  { applicationName, asOwner }: OpenDepsOptions,
  { primary, log }: { primary: Pool; log: Logger },
): Standby | null {
  if (url === null || asOwner) return null
  const options = { primary, applicationName, maxConnections: 8, onLog: logLines(log) }
  return new Standby({ ...options, url, use: 'searches by PostgreSQL and reads of exports' })
}

function openStandin(config: Config, options: OpenDepsOptions, log: Logger): LocalStandin | null {
  if (!usesBillingStandin(config) || !options.standin) return null
  const { args, webhookUrl } = options.standin
  const { webhookSecrets } = config.stripe
  const standin = new LocalStandin({ dataDir: config.dataDir, webhookSecrets, args, log: logErrors(log) })
  if (webhookUrl) standin.keepRunning(webhookUrl)
  return standin
}

/** What one process alone would use for its index is divided; without a setting, what the others need themselves is left out. */
function searchMemoryPerProcess(config: Config, processes: number): number | null {
  const budget = processes === 1 ? null : searchBudget(config)
  if (budget === null) return config.searchMemoryMb
  const embedsPostgres = config.databaseUrl === null
  const neededByOthers = minimumMemory({ embedsPostgres, processes }) - minimumMemory({ embedsPostgres })
  const shared = config.searchMemoryMb === null ? budget - neededByOthers / 2 : budget
  return Math.max(leastIndexMb, Math.floor(shared / processes / 1e6))
}

/** Enough for the demonstration catalogue. */
const leastIndexMb = 16

/** Logs lines of the search index with their level. */
function logLines(log: Logger): ReplicaListener['onLog'] {
  return (level, line, cause) => log[level](cause === undefined ? {} : { cause: describeCause(cause) }, line)
}

/**
 * Maximum number of connections of one account. More concurrent statements than CPUs slow each other and those of other
 * accounts down.
 */
const connectionsPerAccount = Math.min(8, Math.max(3, availableParallelism()))

/** One connection alone would let a slow statement hold up all other requests of an account. */
const leastPerAccount = 2
