import type { Queryable } from '../../foundation/db/pool.ts'
import type { ActorKind } from './actor.ts'

interface AuditRow {
  accountId: number
  actor: ActorKind
  userId: number | null
  keyId: number | null
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
insert into audit_log (account_id, person_id, action, target, details, address, at, actor, key_id)
values ($1::bigint, $2::bigint, $3::text, $4::text, $5::jsonb, $6::text, $7::timestamptz, $8::text, $9::bigint)`,
    values: [
      entry.accountId,
      entry.userId,
      entry.action,
      entry.target,
      JSON.stringify(entry.details),
      entry.address,
      entry.at,
      entry.actor,
      entry.keyId,
    ],
  })
}

interface AddressOfEntry {
  account_id: number
  entry: number
  address: string
}

/** Entries from before `before` with an address that is not yet the network in its place, at most `limit` of them. */
export async function selectOldAddresses(db: Queryable, before: Date, limit: number): Promise<AddressOfEntry[]> {
  const { rows } = await db.query<AddressOfEntry>(
    `
select account_id, entry, address
from audit_log
where at < $1::timestamptz and right(address, 3) not in ('/24', '/48')
order by at
limit $2::integer`,
    [before, limit],
  )
  return rows
}

/** Puts networks, or nothing, in the place of addresses. */
export async function updateAddressesToNetworks(
  db: Queryable,
  entries: readonly { accountId: number; entry: number; network: string | null }[],
): Promise<void> {
  await db.query(
    `
update audit_log l
set address = kept.network
from unnest($1::bigint[], $2::bigint[], $3::text[]) as kept (account_id, entry, network)
where l.account_id = kept.account_id and l.entry = kept.entry`,
    [
      entries.map(({ accountId }) => accountId),
      entries.map(({ entry }) => entry),
      entries.map(({ network }) => network),
    ],
  )
}
