import { availableParallelism } from 'node:os'
import type { Logger } from 'pino'
import { readPlanFile } from './accounts/plan-file.ts'
import type { PlanFile } from './accounts/plans.ts'
import { LocalStandin } from './billing/local/standin.ts'
import type { BillingProvider } from './billing/provider.ts'
import { accessFromSettings, standinPrices } from './billing/stripe/connection.ts'
import { createStripeProvider } from './billing/stripe/provider.ts'
import { type Config, usesBillingStandin } from './config.ts'
import { AccountSets } from './exclusion/account-sets.ts'
import { DatabaseHealthMonitor } from './http/health.ts'
import { startImportInProcess } from './import-jobs/run/execute.ts'
import type { StartImport } from './import-jobs/run/task.ts'
import type { StartReading } from './imports/chunk-reader.ts'
import { type CursorSealer, createCursorSealer } from './kernel/cursor.ts'
import { createQuoteSealer, type QuoteSealer } from './kernel/quote.ts'
import { createSigner, type Signer } from './kernel/signer.ts'
import { type CatalogueDeps, openCatalogueDeps } from './resources/catalogue.ts'
import { type DatabaseOptions, endPool, logErrors, once } from './resources/database.ts'
import { createLogger, describeCause } from './runtime/logger.ts'
import type { StartCounting } from './search/counting/counter.ts'
import { createPostgresEngine, createSearchPool } from './search/postgres/engine.ts'
import type { ReplicaListener, StartReplica } from './search/replica/replica.ts'
import { openSearch, type SearchService } from './search/service.ts'

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
  /** What accounts can exclude from searches. */
  accountSets: AccountSets
  /** Runs imports of the console, each with connections of its own. */
  startImport: StartImport
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
  /** How the catalogue is followed into memory; without it PostgreSQL answers all searches. */
  startReplica?: StartReplica
  /** How counts over the index in memory run; by default in this thread. */
  startCounting?: StartCounting
  /** How imports read large files in a thread. */
  startReading?: StartReading
}

/** The composition root. When a step fails, the steps before it are undone. */
export async function openDeps(config: Config, options: OpenDepsOptions): Promise<Deps> {
  const opened: (() => Promise<void>)[] = []
  const close = once(async () => {
    for (const closeResource of opened.reverse()) await closeResource()
  })
  try {
    const log = options.log ?? createLogger({ level: config.logLevel })
    const plans = await readPlanFile(config.plansFile)

    // The stand-in starts in parallel with the database.
    const standin = openStandin(config, options, log)
    if (standin) opened.push(() => standin.close())
    const { serviceUrl, secret, ...catalogue } = await openCatalogueDeps(config, {
      ...options,
      log,
      ...(!options.asOwner && { maxConnectionsPerAccount: connectionsPerAccount }),
    })
    opened.push(catalogue.close)
    const searchPool = createSearchPool({ url: serviceUrl, applicationName: options.applicationName })
    opened.push(() => endPool(searchPool))
    const postgres = createPostgresEngine({ db: searchPool })
    const search = openSearch({ ...config, databaseUrl: serviceUrl, secret, postgres, onLog: logLines(log) }, options)
    opened.push(() => search.close())
    const health = new DatabaseHealthMonitor({ log, databaseUrl: serviceUrl })
    opened.push(async () => health.close())
    return {
      ...catalogue,
      plans,
      ...(options.startReading && { startReading: options.startReading }),
      cursors: createCursorSealer(secret),
      quotes: createQuoteSealer(secret),
      signer: createSigner(secret),
      health,
      search,
      accountSets: new AccountSets(),
      startImport: options.startImport ?? startImportInProcess,
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

function openStandin(config: Config, options: OpenDepsOptions, log: Logger): LocalStandin | null {
  if (!usesBillingStandin(config) || !options.standin) return null
  const { args, webhookUrl } = options.standin
  const { webhookSecrets } = config.stripe
  const standin = new LocalStandin({ dataDir: config.dataDir, webhookSecrets, args, log: logErrors(log) })
  if (webhookUrl) standin.keepRunning(webhookUrl)
  return standin
}

/** Logs lines of the search index with their level. */
function logLines(log: Logger): ReplicaListener['onLog'] {
  return (level, line, cause) => log[level](cause === undefined ? {} : { cause: describeCause(cause) }, line)
}

/**
 * Maximum number of connections of one account. More concurrent statements than CPUs slow each other and those of other
 * accounts down.
 */
const connectionsPerAccount = Math.min(8, Math.max(3, availableParallelism()))
