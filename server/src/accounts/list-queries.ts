import type { Queryable } from '../db/pool.ts'
import type { Account } from './account.ts'
import type { PlanSlug } from './plans.ts'
import { type AccountRow, accountColumnsOf, accountOf } from './queries.ts'

/** Null in a field does not filter. */
export interface AccountFilter {
  /** A part of the name or the email address, in any case. */
  text: string | null
  id: number | null
  plan: PlanSlug | null
  /** A state of the subscription. */
  status: string | null
  /** Whether the account is suspended, or closed. */
  closing: 'suspended' | 'closed' | null
}

/** Selects accounts with an id below `beforeId`, the newest first. */
export async function selectAccountPage(
  db: Queryable,
  filter: AccountFilter,
  { beforeId, limit }: { beforeId: number | null; limit: number },
): Promise<Account[]> {
  const { rows } = await db.query<AccountRow>({
    name: 'select_account_page',
    text: `
select ${accountColumnsOf('a')}
from accounts a
where ($1::text is null or position(lower($1::text) in lower(name)) > 0
       or position(lower($1::text) in lower(coalesce(email, ''))) > 0)
  and ($2::bigint is null or id = $2::bigint)
  and ($3::text is null or plan_in_force = $3::text)
  and ($4::text is null or status = $4::text)
  and ($5::text is null or case $5::text when 'closed' then closed_at is not null
                                         else suspended_at is not null and closed_at is null end)
  and ($6::bigint is null or id < $6::bigint)
order by id desc
limit $7::integer`,
    values: [filter.text, filter.id, filter.plan, filter.status, filter.closing, beforeId, limit],
  })
  return rows.map(accountOf)
}
