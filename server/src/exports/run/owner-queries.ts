/** Statements on whether the key or person that started an export may still spend. */
import { type AccountRow, accountColumnsOf } from '../../accounts/queries.ts'
import type { Queryable } from '../../db/pool.ts'

export interface ExportOwnerRow extends AccountRow {
  /** Whether the key is revoked or suspended. */
  key_unusable: boolean
  /** Null if the person belongs to the account no more. */
  role: string | null
}

/** The account of an export, with its key or person. */
export async function readExportOwner(
  db: Queryable,
  { accountId, keyId, personId }: { accountId: number; keyId: number | null; personId: number | null },
): Promise<ExportOwnerRow> {
  const { rows } = await db.query<ExportOwnerRow>({
    name: 'read_export_owner',
    text: `
select ${accountColumnsOf('a')},
       exists (select from api_keys k
               where k.id = $2::bigint and (k.revoked_at is not null or k.suspended_at is not null)) as key_unusable,
       (select m.role from members m where m.account_id = a.id and m.person_id = $3::bigint) as role
from accounts a
where a.id = $1::bigint`,
    values: [accountId, keyId, personId],
  })
  return rows[0]!
}
