import { join } from 'node:path'
import { beforeAll } from 'vitest'
import { readPlanFile } from '../../../../src/customers/accounts/plan-file.ts'
import type { PlanFile } from '../../../../src/customers/accounts/plans.ts'
import { command } from '../../../../src/customers/auth/actor.ts'
import type { KeysContext } from '../../../../src/customers/keys/context.ts'
import { ensureInstallationSecret } from '../../../../src/foundation/db/installation.ts'
import { type ConnectionPool, createPool } from '../../../../src/foundation/db/pool.ts'
import { createIdSealer } from '../../../../src/foundation/kernel/ids.ts'
import { atEnd } from '../../../support/cleanup.ts'
import { createTestDatabase } from '../../../support/database.ts'

export interface TestAccountsContext {
  db: ConnectionPool
  plans: PlanFile
  /** The operator's context at a given time. */
  at(moment: string): KeysContext
}

/** Creates a database for the test file, and the operator's context in it. */
export function openAccountsContext(): TestAccountsContext {
  const accounts = {} as TestAccountsContext
  beforeAll(async () => {
    const { url } = await createTestDatabase()
    accounts.db = createPool({ url, applicationName: 'storedex test', maxConnections: 4 })
    const ids = createIdSealer(await ensureInstallationSecret(accounts.db))
    accounts.plans = await readPlanFile(join(import.meta.dirname, '../../../../../plans.json'))
    accounts.at = (moment) => ({
      db: accounts.db,
      ids,
      now: new Date(moment),
      actor: command,
      readPlans: async () => accounts.plans,
      publicUrl: null,
    })
  })
  atEnd(() => accounts.db.end())
  return accounts
}
