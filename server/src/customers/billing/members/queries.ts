import type { Queryable } from '../../../foundation/db/pool.ts'

interface OwnerRow {
  id: number
  name: string
  email: string
}

/** The owners of an account, by name. */
export async function selectOwners(db: Queryable, accountId: number): Promise<OwnerRow[]> {
  const { rows } = await db.query<OwnerRow>({
    name: 'select_owners',
    text: `
select p.id, p.name, p.email
from members m
join people p on p.id = m.person_id
where m.account_id = $1::bigint and m.role = 'owner'
order by p.name, p.id
limit 20`,
    values: [accountId],
  })
  return rows
}
