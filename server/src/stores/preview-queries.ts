import type { Queryable } from '../db/pool.ts'
import type { Mode } from '../kernel/ids.ts'

export interface PreviewRow {
  store_id: number
  number: number
  first_name: string | null
  last_name_obfuscated: string | null
  role: string | null
  seniority: 'executive' | 'decision_maker' | 'other'
  title: string | null
  has_verified_email: boolean
  has_phone: boolean
  has_profile: boolean
}

/** The first `perStore` contacts of each store by seniority, verified e-mail first; of the given roles, or of all. */
export async function listPreviews(
  db: Queryable,
  storeIds: number[],
  roles: string[] | null,
  perStore: number,
): Promise<PreviewRow[]> {
  const { rows } = await db.query<PreviewRow>({
    name: 'list_previews',
    text: `
select store_id, number, first_name, last_name_obfuscated, role, seniority, title,
       has_verified_email, has_phone, has_profile
from (
  select c.*, row_number() over (
           partition by store_id
           order by case seniority when 'executive' then 1 when 'decision_maker' then 2 else 3 end,
                    has_verified_email desc, number) as place
  from contacts c
  where store_id = any ($1::bigint[]) and ($2::text[] is null or role = any ($2::text[]))
) placed
where place <= $3::integer
order by store_id, place`,
    values: [storeIds, roles, perStore],
  })
  return rows
}

/** Which of the contacts the account has revealed. */
export async function listRevealed(
  db: Queryable,
  accountId: number,
  mode: Mode,
  contactIds: number[],
): Promise<Set<number>> {
  if (contactIds.length === 0) return new Set()
  const { rows } = await db.query<{ contact_id: number }>({
    name: 'list_revealed',
    text: `
select contact_id from reveals
where account_id = $1::bigint and mode = $2::text and contact_id = any ($3::bigint[])`,
    values: [accountId, mode, contactIds],
  })
  return new Set(rows.map((row) => row.contact_id))
}
