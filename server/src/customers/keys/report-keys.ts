import type { Queryable } from '../../foundation/db/pool.ts'
import { entitlementAt } from '../accounts/account.ts'
import { selectAccount } from '../accounts/queries.ts'
import { readBudgetReports } from '../auth/budget-reports.ts'
import { type BudgetReport, budgetsOf, hasBudget } from '../auth/budgets.ts'
import { type KeysContext, keyStatusAt } from './context.ts'
import type { KeyRow } from './queries.ts'
import type { KeyItem } from './schema.ts'

/** A key without its secret. */
export type KeyReport = KeyItem & { account: string }

type ReportContext = Pick<KeysContext, 'ids' | 'now' | 'readPlans'> & { db: Queryable }

export async function reportKey(ctx: ReportContext, row: KeyRow): Promise<KeyReport> {
  return (await reportKeys(ctx, [row]))[0]!
}

/** Describes keys, in their order. The accounts of keys with a budget are read for their periods. */
export async function reportKeys(ctx: ReportContext, rows: readonly KeyRow[]): Promise<KeyReport[]> {
  const budgets = await readBudgetsOf(ctx, rows)
  return rows.map((row) => describeKey(ctx, row, budgets.get(row.id) ?? noBudgetReport))
}

const noBudgetReport: BudgetReport = { contact_credits: null, store_exports: null, search_rows: null }

async function readBudgetsOf(
  { db, now, readPlans }: ReportContext,
  rows: readonly KeyRow[],
): Promise<Map<number, BudgetReport>> {
  const reports = new Map<number, BudgetReport>()
  const budgeted = rows.filter((row) => hasBudget(budgetsOf(row)))
  for (const accountId of new Set(budgeted.map((row) => row.account_id))) {
    const entitlement = entitlementAt((await selectAccount(db, accountId))!, await readPlans(), now)
    const keys = budgeted.filter((row) => row.account_id === accountId)
    const counted = keys.map((row) => ({ counterKeyId: row.counter_key_id, budgets: budgetsOf(row) }))
    const found = await readBudgetReports(db, { accountId, entitlement }, counted)
    for (const [index, row] of keys.entries()) reports.set(row.id, found[index]!)
  }
  return reports
}

function describeKey({ ids, now }: ReportContext, row: KeyRow, budget: BudgetReport): KeyReport {
  return {
    id: ids.seal('key', row.id),
    account: ids.seal('account', row.account_id),
    name: row.name,
    mode: row.mode,
    display: `sdx_${row.mode}_${row.shown_first}…${row.shown_last}`,
    status: keyStatusAt(row, now),
    scopes: row.scopes,
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
    expires_at: row.expires_at?.toISOString() ?? null,
    suspended_at: row.suspended_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
    budget,
  }
}
