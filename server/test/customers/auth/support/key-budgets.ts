import { scopes } from '../../../../src/customers/auth/caller.ts'
import { setKeyLimits } from '../../../../src/customers/keys/change-key.ts'
import type { KeyReport } from '../../../../src/customers/keys/report-keys.ts'
import { checkLedger, type LedgerDifference } from '../../../../src/customers/ledger/check.ts'
import { generous } from '../../../product/contacts/support/reveals.ts'
import type { TestApp, TestKey } from '../../../support/app.ts'
import { commandsOf } from '../../../support/deps.ts'

export interface Limits {
  contact_credits?: number | null
  store_exports?: number | null
  search_rows?: number | null
}

export function setBudget(app: TestApp, key: TestKey, budget: Limits): Promise<KeyReport> {
  return setKeyLimits(commandsOf(app.deps), key.id, { budget })
}

/** A key of a new account. */
export async function keyWithBudget(app: TestApp, budget: Limits, limits: object = {}): Promise<TestKey> {
  const key = await app.key({ scopes, limits: { ...generous, ...limits } })
  await setBudget(app, key, budget)
  return key
}

/** Another key of the account of a key. */
export function siblingOf(app: TestApp, key: TestKey, traits: object = {}): Promise<TestKey> {
  return app.keyOf(key.account, { scopes, ...traits })
}

/** `usage.key.budget`. */
export async function budgetOf(key: TestKey) {
  return (await key.get('/usage')).body.key.budget
}

/** What differs from the ledger. */
export function findDifferences(app: TestApp): Promise<LedgerDifference[]> {
  return checkLedger({ db: app.db, ids: app.deps.ids }, async (_totals, pages) => {
    const found: LedgerDifference[] = []
    for await (const page of pages) found.push(...page)
    return found
  })
}
