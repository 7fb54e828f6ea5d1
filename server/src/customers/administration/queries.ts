import type { Queryable } from '../../foundation/db/pool.ts'
import type { Account } from '../accounts/account.ts'
import type { PlanSlug } from '../accounts/plans.ts'
import { type AccountRow, accountColumnsOf, accountOf } from '../accounts/queries.ts'

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

/** How many members each account has, and how many keys that were not revoked. */
export async function countMembersAndKeys(
  db: Queryable,
  accountIds: readonly number[],
): Promise<Map<number, { members: number; keys: number }>> {
  const { rows } = await db.query<{ id: number; members: number; keys: number }>(
    `
select shown.id, (select count(*) from members m where m.account_id = shown.id) as members,
       (select count(*) from api_keys k where k.account_id = shown.id and k.revoked_at is null) as keys
from unnest($1::bigint[]) as shown (id)`,
    [accountIds],
  )
  return new Map(rows.map(({ id, ...counts }) => [id, counts]))
}

/** Sets the account that a session looks at. Returns the one before. */
export async function updateSeeAs(db: Queryable, sessionId: number, accountId: number | null): Promise<number | null> {
  const { rows } = await db.query<{ before: number | null }>(
    `
update sessions s
set see_as_account_id = $2::bigint
from (select id, see_as_account_id from sessions where id = $1::bigint for update) old
where s.id = old.id
returning old.see_as_account_id as before`,
    [sessionId, accountId],
  )
  return rows[0]?.before ?? null
}

export async function updateAccountName(db: Queryable, id: number, name: string): Promise<void> {
  await db.query('update accounts set name = $2::text where id = $1::bigint', [id, name])
}

/** Marks an account as closed for good; returns whether it was open. */
export async function updateClosed(db: Queryable, id: number, now: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    'update accounts set closed_at = $2::timestamptz where id = $1::bigint and closed_at is null',
    [id, now],
  )
  return rowCount === 1
}
