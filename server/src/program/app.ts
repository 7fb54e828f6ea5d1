import { KeyedMutex } from '@storedex/work'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { registerErasureRoutes } from '../catalogue/erasure/routes.ts'
import { pruneHistory } from '../catalogue/history/prune-history.ts'
import { importLane } from '../catalogue/import-jobs/context.ts'
import { ImportFiles } from '../catalogue/import-jobs/files.ts'
import { registerImportRoutes } from '../catalogue/import-jobs/routes.ts'
import { ImportRunner } from '../catalogue/import-jobs/run/runner.ts'
import { registerSuppressionRoutes } from '../catalogue/imports/suppressions/routes.ts'
import { endExpiredPrivacyLinks } from '../catalogue/privacy/link.ts'
import { registerPrivacyRoutes } from '../catalogue/privacy/routes.ts'
import { BillingAction } from '../customers/accounts/billing-actions.ts'
import { registerOwnAccountRoutes } from '../customers/administration/account-routes.ts'
import { registerAccountRoutes } from '../customers/administration/operator-routes.ts'
import { doorsOf } from '../customers/admission/doors.ts'
import { identifyCaller, requireAccess } from '../customers/admission/hooks.ts'
import { KeyCache } from '../customers/admission/key-cache.ts'
import { FailedKeyCounter, KeyDirectory, KeyUsageRecorder } from '../customers/auth/key-directory.ts'
import { billingPageOf } from '../customers/auth/key-refusals.ts'
import { isMemberContext } from '../customers/auth/signed-in.ts'
import { createTrialLinks } from '../customers/auth/trial-links.ts'
import { registerLinkPages } from '../customers/billing/links/link-pages.ts'
import { registerBillingEventRoutes } from '../customers/billing/list-events.ts'
import { registerBillingRoutes } from '../customers/billing/routes.ts'
import { reconcileExclusively } from '../customers/billing/sync/reconcile.ts'
import { registerWebhookRoutes } from '../customers/billing/sync/webhooks.ts'
import { registerTrialPage } from '../customers/billing/trials/routes.ts'
import { expireReplies } from '../customers/idempotency/idempotency.ts'
import { registerKeyRoutes } from '../customers/keys/routes.ts'
import { closePeriodsExclusively } from '../customers/ledger/closing/close-periods.ts'
import { expireViewedPages } from '../customers/ledger/window-queries.ts'
import { registerUsageRoutes } from '../customers/usage/routes.ts'
import { expireUsers } from '../customers/users/expire.ts'
import { createMailer } from '../customers/users/mail.ts'
import { registerMemberRoutes } from '../customers/users/members/routes.ts'
import { Outbox } from '../customers/users/outbox.ts'
import { registerProfileRoutes } from '../customers/users/profile/routes.ts'
import { publicDocument } from '../doors/api/openapi-document.ts'
import { registerConsoleFiles } from '../doors/console/files/routes.ts'
import { guardConsole, identifyVisitor, KnownSessions } from '../doors/console/guard.ts'
import { consoleDocument } from '../doors/console/openapi-document.ts'
import { registerConsoleRoutes } from '../doors/console/routes.ts'
import { registerDocs } from '../doors/docs/routes.ts'
import { registerToolRoutes } from '../doors/mcp/http.ts'
import { readInstallationValue } from '../foundation/db/installation.ts'
import { openDoors } from '../foundation/http/doors.ts'
import { type CallerLabels, createRequestLogger, type RequestObserver } from '../foundation/http/observe.ts'
import type { InstalledIds } from '../foundation/http/openapi/examples.ts'
import { createHttpServer } from '../foundation/http/server.ts'
import { Refusal } from '../foundation/kernel/errors.ts'
import type { IdSealer } from '../foundation/kernel/ids.ts'
import { describeCause } from '../foundation/runtime/logger.ts'
import { startRepeating } from '../foundation/runtime/timing.ts'
import type { Deps } from '../operations/deps.ts'
import { registerContactRoutes } from '../product/contacts/routes.ts'
import { registerCountRoutes } from '../product/counts/routes.ts'
import { readKeptExports } from '../product/exports/keep-files.ts'
import { registerExportRoutes } from '../product/exports/routes.ts'
import { ExportRunner, exportLane } from '../product/exports/run/runner.ts'
import { registerListRoutes } from '../product/lists/routes.ts'
import { registerQuoteRoutes } from '../product/quotes/routes.ts'
import { registerStoreRoutes } from '../product/stores/routes.ts'
import { describeSearch } from '../search/service/status.ts'
import { registerTaxonomyRoutes } from '../search/taxonomy/routes.ts'

// New values must be searchable in every instance within two seconds of an import's end.
const taxonomyIntervalMs = 1_000
// A stored reply expires long before it is deleted; this bounds how long it stays stored.
const expiryIntervalMs = 600_000
// Ended sessions, links and challenges have no effect before they are deleted.
const usersExpiryIntervalMs = 3_600_000
// Days of changes become old one after the other; an hour's portion is small.
const pruningIntervalMs = 3_600_000
const standbyIntervalMs = 500
// Replies compare versions themselves; this bounds how long an idle server keeps erased contacts.
const documentsIntervalMs = 30_000
// Probes check far more often; this is for servers without probes, and for the log.
const healthIntervalMs = 60_000
// Past periods are closed once a day, at a quarter of the speed.
const closingIntervalMs = 86_400_000
const closingPauseRatio = 3

// More requests would wait for a database connection longer than callers tolerate; see `docs/decisions/0024`.
const requestsPerConnection = 32

declare module 'fastify' {
  interface FastifyInstance {
    /** Runs the exports of this process. */
    exportRunner: ExportRunner
    /** Runs the console's imports of this process. */
    importRunner: ImportRunner
    /** Null without a mail server. */
    outbox: Outbox | null
  }
}

/** The intervals of background work that changes what an account has, and the delays before it is first done. */
export interface BackgroundTimes {
  reconciliationMs: number
  firstReconciliationMs: number
  keyUseMs: number
  firstClosingMs: number
}

const defaultTimes = (): BackgroundTimes => ({
  // Events of the payment provider arrive at once; this bounds the effect of a lost one.
  reconciliationMs: 3_600_000,
  firstReconciliationMs: 0,
  // Last use is precise to the hour; this bounds how much of it a crash loses.
  keyUseMs: 60_000,
  // At a random time per server.
  firstClosingMs: Math.random() * 3_600_000,
})

/** Builds the app. The server, its tests and the export of its OpenAPI document all call this. */
export async function buildApp(
  deps: Deps,
  observers: readonly RequestObserver[] = [],
  times: Partial<BackgroundTimes> = {},
): Promise<FastifyInstance> {
  const { reconciliationMs, firstReconciliationMs, keyUseMs, firstClosingMs } = { ...defaultTimes(), ...times }
  const identify = identifyCaller({
    directory: new KeyDirectory(() => deps.db.lane('key lookup')),
    failedKeys: new FailedKeyCounter(),
  })
  const keyUse = new KeyUsageRecorder()
  const sessions = new KnownSessions()
  const importFiles = new ImportFiles(deps.config.dataDir)
  const importRunner = new ImportRunner({ ...deps, db: importLane(deps.db), files: importFiles })
  let requestsServed = 0
  const exportRunner = new ExportRunner({
    ...deps,
    db: exportLane(deps.db),
    deliverEmails: deps.config.deliverEmails,
    requestsServed: () => requestsServed,
  })
  const app = createHttpServer({
    onDrain: () => {
      importRunner.stopForClosing()
      exportRunner.stopForClosing()
    },
    observers: [
      createRequestLogger(deps.log),
      () => {
        requestsServed++
      },
      ...observers,
    ],
    checkReadiness: () => checkReadiness(deps),
    readinessDetails: () => ({ search: describeSearch(deps.search.status()) }),
    describeCaller: labelCallers(deps.ids),
    overload: {
      maxInFlight: deps.db.max * requestsPerConnection,
      identifyHolder: (request, reply) => identifyVisitor(request, sessions) ?? identify(request, reply),
    },
    database: { pool: deps.db },
    trustedProxies: deps.config.trustedProxies,
    errorAction: BillingAction,
    openapi: [publicDocument(deps.config.publicUrl, () => readInstalledIds(deps)), consoleDocument],
  })
  app.decorate('exportRunner', exportRunner)
  app.decorate('importRunner', importRunner)
  const publicUrl = deps.config.publicUrl ?? `http://${deps.config.host}:${deps.config.port}`
  const trialLinks = createTrialLinks({ ...deps, publicUrl })
  registerDocs(app, { projectDir: deps.config.projectDir, publicUrl })
  requireAccess(app, {
    ...{ clock: deps.clock, plans: deps.plans, charges: deps.charges, keyUse, trialLinks, keyCache: new KeyCache() },
    billingPageOf: (accountId) => billingPageOf(publicUrl, deps.ids.seal('account', accountId)),
  })
  guardConsole(app, { ...deps, publicUrl, sessions })
  const services = { ...deps, publicUrl, trialLinks, inFlightRequests: new KeyedMutex(), exportRunner }
  const { mail } = deps.config.users
  const outbox = mail && new Outbox(createMailer(mail), deps.log)
  app.decorate('outbox', outbox)
  app.register(async (scope) => {
    const api = openDoors(scope, doorsOf)
    registerUsageRoutes(api, { ...services, readKeptExports })
    registerBillingRoutes(api, services)
    registerTaxonomyRoutes(api, deps.taxonomy)
    registerStoreRoutes(api, services)
    registerContactRoutes(api, services)
    registerListRoutes(api, services)
    registerCountRoutes(api, services)
    registerExportRoutes(api, services)
    registerQuoteRoutes(api, services)
    registerBillingEventRoutes(api)
    registerErasureRoutes(api, services)
    registerSuppressionRoutes(api, services)
    registerPrivacyRoutes(api, { ...services, outbox })
    registerKeyRoutes(api, services)
    registerMemberRoutes(api, { ...services, outbox })
    registerProfileRoutes(api, { ...services, outbox })
    registerOwnAccountRoutes(api, services)
    registerAccountRoutes(api, services)
    registerImportRoutes(api, { ...services, importFiles, importRunner })
    registerConsoleRoutes(api, { ...services, outbox })
  })
  registerToolRoutes(app, {
    ...deps,
    publicUrl,
    onFailure: (error) => deps.log.error({ cause: describeCause(error) }, 'a tool failed'),
  })

  const hasConsole = deps.config.consoleDir !== null
  registerLinkPages(app, { ...deps, hasConsole })
  registerTrialPage(app, { ...deps, publicUrl, trialLinks, hasConsole })
  registerWebhookRoutes(app, deps)
  registerConsoleFiles(app, deps.config.consoleDir)

  const closing = new AbortController()
  const warn = (message: string) => (error: unknown) => deps.log.warn({ cause: describeCause(error) }, message)
  const tasks = [
    startRepeating(() => deps.health.check(), {
      intervalMs: healthIntervalMs,
      onOutage: warn('the health check failed'),
    }),
    startRepeating(async () => deps.standby?.check(), {
      intervalMs: standbyIntervalMs,
      onOutage: warn('the standby cannot be compared with the database'),
    }),
    startRepeating(() => deps.taxonomy.refresh(), {
      intervalMs: taxonomyIntervalMs,
      onOutage: warn('the taxonomy cannot be refreshed'),
    }),
    startRepeating(() => deps.documents.cache.check(), {
      intervalMs: documentsIntervalMs,
      onOutage: warn('documents in memory cannot be compared with the database'),
    }),
    startRepeating(() => expireReplies(deps.db, deps.clock.now()), {
      intervalMs: expiryIntervalMs,
      onOutage: warn('expired replies cannot be deleted'),
    }),
    startRepeating(() => expireViewedPages(deps.db, deps.clock.now()), {
      intervalMs: expiryIntervalMs,
      onOutage: warn('pages that people looked at cannot be deleted'),
    }),
    startRepeating(() => endExpiredPrivacyLinks(deps.db, deps.clock.now()), {
      intervalMs: expiryIntervalMs,
      onOutage: warn('expired privacy links cannot be ended'),
    }),
    startRepeating(() => expireUsers(deps.db, deps.clock.now()), {
      intervalMs: usersExpiryIntervalMs,
      onOutage: warn('ended sessions and links cannot be deleted'),
    }),
    startRepeating(() => pruneHistory({ ...deps, historyDays: deps.config.historyDays }, closing.signal), {
      intervalMs: pruningIntervalMs,
      onOutage: warn('old changes of stores cannot be deleted'),
    }),
    startRepeating(() => keyUse.flush(deps.db, deps.clock.now()), {
      intervalMs: keyUseMs,
      onOutage: warn('the last use of keys cannot be written'),
    }),
    startRepeating(() => reconcileExclusively(deps, closing.signal), {
      intervalMs: reconciliationMs,
      startAfterMs: firstReconciliationMs,
      onOutage: warn('accounts cannot be reconciled with the payment provider'),
    }),
    startRepeating(() => closePeriodsInBackground(deps, closing.signal), {
      intervalMs: closingIntervalMs,
      startAfterMs: firstClosingMs,
      onOutage: warn('past periods cannot be closed'),
    }),
  ]
  app.addHook('onClose', async () => {
    closing.abort()
    await importRunner.close()
    await exportRunner.close()
    await Promise.all(tasks.map((task) => task.stop()))
    await outbox?.drain()
    await keyUse.flush(deps.db, deps.clock.now()).catch(warn('the last use of keys cannot be written'))
  })
  await app.ready()
  return app
}

/** Under this name a start with the demonstration stores the ids of what its examples use. */
export const installedIdsName = 'demonstration_examples'

async function readInstalledIds({ config, db }: Deps): Promise<InstalledIds> {
  const stored = config.demo ? await readInstallationValue(db, installedIdsName) : null
  return stored ? (JSON.parse(stored.toString()) as InstalledIds) : {}
}

async function closePeriodsInBackground(deps: Deps, stop: AbortSignal): Promise<void> {
  const ctx = { db: deps.ownerDb, now: deps.clock.now(), detailMonths: deps.config.ledgerDetailMonths }
  const closed = await closePeriodsExclusively(ctx, { stop, rest: closingPauseRatio })
  if (closed && closed.entries + closed.exports > 0) {
    const { entries, archives, exports } = closed
    deps.log.info({ entries, archives, exports }, 'past periods were closed')
  }
  if (closed && closed.unbalanced > 0)
    deps.log.error(
      { periods: closed.unbalanced },
      'the number of exports differs from the counter: run "storedex ledger check"',
    )
}

async function checkReadiness({ search, health }: Deps): Promise<string | null> {
  const { problem, cause } = await health.check()
  if (problem !== null) throw new Refusal('service_unavailable', problem, { cause })
  return search.readinessFailure()
}

const maxCachedLabels = 10_000

/**
 * Labels callers with their public ids. Sealing an id takes longer than the rest of a log line, so labels are cached.
 */
function labelCallers(ids: IdSealer): (request: FastifyRequest) => CallerLabels | null {
  const cache = new Map<number, CallerLabels>()
  return ({ caller, consoleContext, params }) => {
    if (consoleContext) {
      const { publicId } = consoleContext.user
      return {
        person_id: publicId,
        ...(isMemberContext(consoleContext) && { account_id: (params as { account: string }).account }),
      }
    }
    if (!caller) return null
    const cached = cache.get(caller.key.id)
    if (cached) return cached
    const labels = { account_id: ids.seal('account', caller.accountId), key_id: ids.seal('key', caller.key.id) }
    if (cache.size >= maxCachedLabels) cache.clear()
    cache.set(caller.key.id, labels)
    return labels
  }
}
