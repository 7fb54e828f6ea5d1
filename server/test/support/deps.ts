import { buildApp } from '../../src/app.ts'
import type { Config } from '../../src/config.ts'
import { type Deps, type OpenDepsOptions, openDeps } from '../../src/deps.ts'
import { postgresBudget, type SearchBudget } from '../../src/search/postgres/engine.ts'
import { atEnd } from './cleanup.ts'

/** So long that no busy machine ends a search. */
const patientSearchBudget: SearchBudget = { ...postgresBudget, statementMs: 60_000, waitMs: 60_000 }

/** Opens what a server or a command of the tests works with; searches in PostgreSQL may take their time, by default. */
export function openTestDeps(config: Config, options: Partial<OpenDepsOptions> = {}): Promise<Deps> {
  return openDeps(config, { applicationName: 'storedex test', searchBudget: patientSearchBudget, ...options })
}

/** Serves them on a free port, as the service does by default; both are closed after the file's tests. Returns the base URL. */
export async function serveTestDeps(deps: Deps): Promise<string> {
  const server = await buildApp(deps)
  atEnd(async () => {
    await server.close()
    await deps.close()
  })
  return server.listen({ host: '127.0.0.1', port: 0 })
}
