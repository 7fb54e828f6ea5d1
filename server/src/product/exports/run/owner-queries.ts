/** Statements on whether the key or person that started an export may still spend. */
import { type AccountRow, accountColumnsOf } from '../../../customers/accounts/queries.ts'
import type { BudgetColumns } from '../../../customers/auth/budgets.ts'
import type { Queryable } from '../../../foundation/db/pool.ts'

export interface ExportOwnerRow extends AccountRow, BudgetColumns {
  /** Whether the key is revoked or suspended. */
  key_unusable: boolean
  /** Null if the person belongs to the account no more. */
  role: string | null
}

/** The account of an export, with its key or person. */
export async function readExportOwner(
  db: Queryable,
  { accountId, keyId, userId }: { accountId: number; keyId: number | null; userId: number | null },
): Promise<ExportOwnerRow> {
  const { rows } = await db.query<ExportOwnerRow>({
    name: 'read_export_owner',
    text: `
select ${accountColumnsOf('a')},
       coalesce(k.revoked_at is not null or k.suspended_at is not null, false) as key_unusable,
       k.budget_contact_credits, k.budget_store_exports, k.budget_search_rows,
       (select m.role from members m where m.account_id = a.id and m.person_id = $3::bigint) as role
from accounts a
left join api_keys k on k.id = $2::bigint
where a.id = $1::bigint`,
    values: [accountId, keyId, userId],
  })
  return rows[0]!
}
