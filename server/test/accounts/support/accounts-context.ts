import { join } from 'node:path'
import { beforeAll } from 'vitest'
import type { AccountsContext } from '../../../src/accounts/account.ts'
import { type PlanFile, readPlanFile } from '../../../src/accounts/plans.ts'
import { ensureInstallationSecret } from '../../../src/db/installation.ts'
import { type ConnectionPool, createPool } from '../../../src/db/pool.ts'
import { createIdSealer } from '../../../src/kernel/ids.ts'
import { atEnd } from '../../support/cleanup.ts'
import { createTestDatabase } from '../../support/database.ts'

export interface TestAccountsContext {
  db: ConnectionPool
  plans: PlanFile
  /** The context of a verb at a moment. */
  at(moment: string): AccountsContext
}

/** A database of the file's own, and what the operator's verbs need to work in it. */
export function openAccountsContext(): TestAccountsContext {
  const office = {} as TestAccountsContext
  beforeAll(async () => {
    const { url } = await createTestDatabase()
    office.db = createPool({ url, applicationName: 'storedex test', maxConnections: 4 })
    const ids = createIdSealer(await ensureInstallationSecret(office.db))
    office.plans = await readPlanFile(join(import.meta.dirname, '../../../../plans.json'))
    office.at = (moment) => ({ db: office.db, ids, now: new Date(moment) })
  })
  atEnd(() => office.db.end())
  return office
}
