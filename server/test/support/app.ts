import { mkdtempSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SliceScheduler } from '@storedex/work'
import type { Logger } from 'pino'
import type { ImportRunner } from '../../src/catalogue/import-jobs/run/runner.ts'
import type { StartImport } from '../../src/catalogue/import-jobs/run/task.ts'
import { importContacts } from '../../src/catalogue/imports/contacts/import-contacts.ts'
import { importStores } from '../../src/catalogue/imports/stores/import-stores.ts'
import type { InspectImport } from '../../src/catalogue/imports/threads/inspect.ts'
import type { KnownStatus } from '../../src/customers/accounts/account.ts'
import type { LimitOverrides, PlanFile, PlanSlug } from '../../src/customers/accounts/plans.ts'
import { openAccountId } from '../../src/customers/accounts/read-account.ts'
import { type AccountChanges, changeAccount, createAccount } from '../../src/customers/administration/change-account.ts'
import { type Actor, command } from '../../src/customers/auth/actor.ts'
import type { BudgetChanges } from '../../src/customers/auth/budgets.ts'
import type { Scope } from '../../src/customers/auth/caller.ts'
import type { BillingProvider } from '../../src/customers/billing/provider.ts'
import { resumeKey, revokeKey, suspendKey } from '../../src/customers/keys/change-key.ts'
import { createKey } from '../../src/customers/keys/create-key.ts'
import type { ConnectionPool } from '../../src/foundation/db/pool.ts'
import type { Mode } from '../../src/foundation/kernel/ids.ts'
import { findProjectDir, readConfig } from '../../src/operations/config.ts'
import type { Deps } from '../../src/operations/deps.ts'
import type { ExportRunner } from '../../src/product/exports/run/runner.ts'
import type { StartCounting } from '../../src/search/counting/counter.ts'
import type { SearchBudget } from '../../src/search/engines/postgres/engine.ts'
import { readCatalogueState } from '../../src/search/replica/queries.ts'
import type { StartReplica } from '../../src/search/replica/replica.ts'
import { runInProcess } from '../../src/search/replica/replica-sync.ts'
import { atEnd, removeFolder } from './cleanup.ts'
import { createClient, type TestClient } from './client.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { buildTestApp, commandsOf, openTestDeps } from './deps.ts'
import { createManualClock, testDataKeys } from './fixtures.ts'
import { createTestUser, type TestUser, type UserTraits } from './user.ts'

interface AccountTraits {
  plan?: PlanSlug
  status?: KnownStatus
  trialEnds?: string
  periodStart?: string
  limits?: LimitOverrides
}

interface KeyTraits {
  scopes?: readonly Scope[]
  mode?: Mode
  expires?: Date
  budget?: BudgetChanges
}

export interface TestKey extends TestClient {
  id: string
  /** Public id of the key's account. */
  account: string
  secret: string
}

export interface TestApp {
  url: string
  deps: Deps
  /** The resources of the operator's commands: `deps` with the owner's connections. */
  operator: Deps & { actor: Actor }
  /** A pool of the role that owns the tables and has more rights than the service. */
  db: ConnectionPool
  clock: ReturnType<typeof createManualClock>
  /** Runs the app's exports. */
  exportRunner: ExportRunner
  /** Runs the imports of the app's console. */
  importRunner: ImportRunner
  /** A client without a key. */
  anon: TestClient
  /** Creates an account with a key; by default on an active pro plan. */
  key(traits: AccountTraits & KeyTraits): Promise<TestKey>
  keyOf(account: string, traits: KeyTraits): Promise<TestKey>
  setAccount(account: string, changes: AccountChanges): Promise<void>
  /** Creates somebody who is signed in to the console, with an account; see `PersonTraits`. */
  person(traits?: UserTraits): Promise<TestUser>
  revokeKey(key: TestKey): Promise<void>
  suspendKey(key: TestKey): Promise<void>
  resumeKey(key: TestKey): Promise<void>
  /** Imports store records into the live catalogue, through a file. */
  importStores(records: object[]): Promise<void>
  /** Imports contact records at live stores, through a file. */
  importContacts(records: object[]): Promise<void>
  /** Resolves once searches find everything committed; for other changes of the catalogue. */
  searchFollows(): Promise<void>
  /** The internal id of an account, for reading its rows. */
  accountNumber(account: string): number
}

export interface TestAppOptions {
  /** The clock's time. */
  now: string
  plans?: Partial<PlanFile>
  /** Default: a silent log. */
  log?: Logger
  /** Further settings, such as DELIVER_EMAILS. */
  environment?: Record<string, string>
  /** By default a new one, with nothing in it. */
  database?: TestDatabase
  /** Where the app listens; by default on a port that is free. */
  port?: number
  /** Replaces the payment provider of the settings. */
  billing?: BillingProvider
  /** How imports of the console run; by default in this thread. */
  startImport?: StartImport
  /** How the console reads the beginning of a file; by default in this thread. */
  inspectImport?: InspectImport
  /** Which engine searches; by default the one that the run asks for. */
  engine?: 'memory' | 'postgres'
  /** How counts in memory run; by default in this thread. */
  startCounting?: StartCounting
  /** Divides the time of searches in memory. */
  slices?: SliceScheduler
  /** How long a search in PostgreSQL may wait and run; by default so long that no busy machine ends it. */
  searchBudget?: SearchBudget
}

/** Starts the production app on its own database, listening on loopback; closed after the file's tests. */
export async function startTestApp(options: TestAppOptions): Promise<TestApp> {
  const { url: ownerUrl, serviceUrl } = options.database ?? (await createTestDatabase())
  const clock = createManualClock(options.now)
  const engine = testEngine(options.engine ?? process.env.STOREDEX_TEST_ENGINE)
  const config = readConfig(
    {
      DATABASE_URL: serviceUrl,
      DATABASE_OWNER_URL: ownerUrl,
      DATA_KEYS: testDataKeys,
      LOG_LEVEL: 'silent',
      PORT: '0',
      ...engine.environment,
      ...options.environment,
    },
    findProjectDir(import.meta.dirname),
  )
  const given = {
    ...(options.log && { log: options.log }),
    ...(options.startImport && { startImport: options.startImport }),
    ...(options.inspectImport && { inspectImport: options.inspectImport }),
    ...(options.startCounting && { startCounting: options.startCounting }),
    ...(options.slices && { slices: options.slices }),
    ...(options.searchBudget && { searchBudget: options.searchBudget }),
  }
  const opened = await openTestDeps(config, { clock, ...engine.options, ...given })
  // Also when the app cannot be built.
  atEnd(() => opened.close())
  const deps = { ...opened, plans: { ...opened.plans, ...options.plans }, billing: options.billing ?? opened.billing }
  const app = await buildTestApp(deps)
  const url = await app.listen({ host: '127.0.0.1', port: options.port ?? 0 })
  atEnd(() => app.close())

  const operator = { ...deps, actor: command, db: deps.ownerDb }
  const searchFollows = () => waitForSearch(deps)
  await searchFollows()
  const importAs = (importFile: typeof importStores) => async (records: object[]) => {
    await importRecords(operator, importFile, records)
    await searchFollows()
  }
  const accounts = () => commandsOf(deps)
  const keyOf: TestApp['keyOf'] = async (account, { expires, ...traits }) => {
    const { key, secret } = await createKey(accounts(), openAccountId(deps.ids, account), {
      name: 'test key',
      ...traits,
      ...(expires ? { expires_at: expires.toISOString() } : {}),
    })
    return { ...createClient(url, secret), id: key.id, account, secret }
  }
  return {
    url,
    deps,
    operator,
    db: operator.db,
    clock,
    exportRunner: app.exportRunner,
    importRunner: app.importRunner,
    anon: createClient(url, null),
    keyOf,
    key: async ({ plan, status, trialEnds, periodStart, limits, ...traits }) => {
      const account = await createAccount(accounts(), {
        name: 'Test account',
        plan: plan ?? 'pro',
        ...(status ? { status } : {}),
        ...(trialEnds ? { trialEndsAt: new Date(trialEnds) } : {}),
        ...(periodStart ? { periodStart: new Date(periodStart) } : {}),
      })
      const id = deps.ids.seal('account', account.id)
      if (limits) await changeAccount(accounts(), id, { limits })
      return keyOf(id, traits)
    },
    person: (traits = {}) => createTestUser(url, deps, traits),
    setAccount: async (account, changes) => void (await changeAccount(accounts(), account, changes)),
    revokeKey: async (key) => void (await revokeKey(accounts(), key.id)),
    suspendKey: async (key) => void (await suspendKey(accounts(), key.id)),
    resumeKey: async (key) => void (await resumeKey(accounts(), key.id)),
    importStores: importAs(importStores),
    importContacts: importAs(importContacts),
    searchFollows,
    accountNumber: (account) => openAccountId(deps.ids, account),
  }
}

/** The search engine of the tests' apps: PostgreSQL, or the one that STOREDEX_TEST_ENGINE names. */
function testEngine(engine: string | undefined): {
  environment: Record<string, string>
  options: { startReplica?: StartReplica }
} {
  if (engine !== 'memory') return { environment: { SEARCH_ENGINE: 'postgres' }, options: {} }
  const dataDir = mkdtempSync(join(tmpdir(), 'storedex-test-'))
  atEnd(() => removeFolder(dataDir))
  return { environment: { SEARCH_ENGINE: 'memory', DATA_DIR: dataDir }, options: { startReplica: runInProcess } }
}

export async function waitForSearch({ config, db, search }: Deps): Promise<void> {
  if (config.searchEngine === 'postgres') return
  const { batch } = await readCatalogueState(db, 0)
  await search.waitForBatch(batch)
}

async function importRecords(deps: Deps, importFile: typeof importStores, records: object[]): Promise<void> {
  const file = join(tmpdir(), `storedex-test-${crypto.randomUUID()}.ndjson`)
  try {
    await writeFile(file, records.map((record) => JSON.stringify(record)).join('\n'))
    const result = await importFile(deps, { file, extendTaxonomy: false })
    if (result.rejected > 0) throw new Error(`${result.rejected} records were rejected: see ${result.rejects_file}`)
  } finally {
    await rm(file, { force: true })
  }
}
