import type { FastifyInstance } from 'fastify'
import { command } from '../../src/customers/auth/actor.ts'
import type { Config } from '../../src/operations/config.ts'
import { type Deps, type OpenDepsOptions, openDeps } from '../../src/operations/deps.ts'
import { type BackgroundTimes, buildApp } from '../../src/program/app.ts'
import { postgresBudget, type SearchBudget } from '../../src/search/engines/postgres/engine.ts'
import { atEnd } from './cleanup.ts'
import { inBackground } from './statements/watch.ts'

/** So long that no busy machine ends a search. */
const patientSearchBudget: SearchBudget = { ...postgresBudget, statementMs: 60_000, waitMs: 60_000 }

/** Opens what a server or a command of the tests works with; searches in PostgreSQL may take their time, by default. */
export function openTestDeps(config: Config, options: Partial<OpenDepsOptions> = {}): Promise<Deps> {
  return openDeps(config, { applicationName: 'storedex test', searchBudget: patientSearchBudget, ...options })
}

const hourMs = 3_600_000
/** What changes an account is left to the test: it calls the provider, closes periods, and writes when keys were used. */
const leftToTests: BackgroundTimes = {
  reconciliationMs: hourMs,
  firstReconciliationMs: hourMs,
  keyUseMs: hourMs,
  firstClosingMs: hourMs,
}

/** Builds an app that leaves to the test what changes an account. Its other work by itself counts as background work. */
export const buildTestApp = (deps: Deps): Promise<FastifyInstance> =>
  inBackground(() => buildApp(deps, [], leftToTests))

/** Serves them on a free port; both are closed after the file's tests. Returns the base URL. */
export async function serveTestDeps(deps: Deps): Promise<string> {
  const server = await buildTestApp(deps)
  atEnd(async () => {
    await server.close()
    await deps.close()
  })
  return server.listen({ host: '127.0.0.1', port: 0 })
}

/** The context of the verbs that commands call, at the time of the clock. */
export function commandsOf({ db, ids, clock, plans, config }: Deps) {
  return { db, ids, now: clock.now(), actor: command, readPlans: async () => plans, publicUrl: config.publicUrl }
}
