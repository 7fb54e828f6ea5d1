import type { Config } from '../../src/config.ts'
import { type Deps, type OpenDepsOptions, openDeps } from '../../src/deps.ts'
import { postgresBudget, type SearchBudget } from '../../src/search/postgres/engine.ts'

/** So long that no busy machine ends a search. */
const patientSearchBudget: SearchBudget = { ...postgresBudget, statementMs: 60_000, waitMs: 60_000 }

/** Opens what a server or a command of the tests works with; searches in PostgreSQL may take their time, by default. */
export function openTestDeps(config: Config, options: Partial<OpenDepsOptions> = {}): Promise<Deps> {
  return openDeps(config, { applicationName: 'storedex test', searchBudget: patientSearchBudget, ...options })
}
