import type { Queryable } from '../db/pool.ts'

interface AuditRow {
  accountId: number
  personId: number | null
  action: string
  target: string | null
  details: object
  address: string | null
  at: Date
}

export async function insertAuditEntry(db: Queryable, entry: AuditRow): Promise<void> {
  await db.query({
    name: 'insert_audit_entry',
    text: `
insert into audit_log (account_id, person_id, action, target, details, address, at)
values ($1::bigint, $2::bigint, $3::text, $4::text, $5::jsonb, $6::text, $7::timestamptz)`,
    values: [
      entry.accountId,
      entry.personId,
      entry.action,
      entry.target,
      JSON.stringify(entry.details),
      entry.address,
      entry.at,
    ],
  })
}
