import type { Queryable } from '../../foundation/db/pool.ts'
import type { ActorKind } from '../auth/actor.ts'

export interface AccountAuditRow {
  entry: number
  person_id: number | null
  /** Null for a user who was removed. */
  person_name: string | null
  person_email: string | null
  /** Whether an operator of the installation did it, who is no member. */
  by_operator: boolean
  /** Null in entries from before it was recorded. */
  actor: ActorKind | null
  key_id: number | null
  key_name: string | null
  action: string
  target: string | null
  details: Record<string, string | number | boolean | null>
  address: string | null
  at: Date
}

interface AuditLogQuery {
  accountId: number
  /** Null for everybody. */
  userId: number | null
  /** The first part of actions, such as `key`; null for all. */
  subject: string | null
  /** Entries before this one; null for the newest. */
  before: number | null
  limit: number
}

/** A page of an account's audit log, newest first. */
export async function selectAuditLog(db: Queryable, query: AuditLogQuery): Promise<AccountAuditRow[]> {
  const { rows } = await db.query<AccountAuditRow>(
    `
select l.entry, l.person_id, p.name as person_name, p.email as person_email,
       coalesce(l.actor = 'operator', false) or split_part(l.action, '.', 1) = 'see_as'
         or coalesce(p.operator, false) and m.person_id is null as by_operator,
       l.actor, l.key_id, k.name as key_name, l.action, l.target, l.details, l.address, l.at
from audit_log l
left join people p on p.id = l.person_id
left join api_keys k on k.id = l.key_id
left join members m on m.account_id = l.account_id and m.person_id = l.person_id
where l.account_id = $1::bigint
  and ($2::bigint is null or l.person_id = $2::bigint)
  and ($3::text is null or split_part(l.action, '.', 1) = $3::text)
  and ($4::bigint is null or l.entry < $4::bigint)
order by l.entry desc
limit $5::integer`,
    [query.accountId, query.userId, query.subject, query.before, query.limit],
  )
  return rows
}

/** The names of people, by their ids. */
export async function selectNamesOfUsers(db: Queryable, ids: readonly number[]): Promise<Map<number, string>> {
  const { rows } = await db.query<{ id: number; name: string }>(
    'select id, name from people where id = any ($1::bigint[])',
    [ids],
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}
