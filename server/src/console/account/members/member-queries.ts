import type { Role } from '../../../auth/roles.ts'
import type { Queryable } from '../../../db/pool.ts'

export interface MemberRow {
  person_id: number
  name: string
  email: string
  role: Role
  added_at: Date
}

/** The members of an account: owners first, then by name. */
export async function selectMembers(db: Queryable, accountId: number, limit: number): Promise<MemberRow[]> {
  const { rows } = await db.query<MemberRow>(
    `
select m.person_id, p.name, p.email, m.role, m.added_at
from members m
join people p on p.id = m.person_id
where m.account_id = $1::bigint
order by array_position(array['owner', 'admin', 'member', 'viewer'], m.role), p.name, m.person_id
limit $2::integer`,
    [accountId, limit],
  )
  return rows
}
