import { contactsPerStore } from '@storedex/search-index'
import type { Queryable } from '../../../foundation/db/pool.ts'
import type { Mode } from '../../../foundation/kernel/ids.ts'
import type { ListPosition } from '../../../foundation/kernel/list-pages.ts'

/** A contact that an account has revealed. */
export interface RevealRecordRow {
  contact_id: number
  revealed_at: Date
  /** Who revealed it first; both are null if that was not recorded. */
  key_id: number | null
  person_id: number | null
}

export interface RevealRecordsQuery {
  accountId: number
  mode: Mode
  /** The last row that was read; null at the start. */
  after: ListPosition | null
  /** Only contacts of this store; null for all. */
  storeId: number | null
  limit: number
}

const columns = 'contact_id, revealed_at, key_id, person_id'
// A comparison of rows is a bound of the index; "or $3 is null" would be a filter behind it.
const isAfter = '(revealed_at, contact_id) < ($3::timestamptz, $4::bigint)'
const newestFirst = `order by revealed_at desc, contact_id desc
limit $5::integer`

const revealsOfAllSql = `
select ${columns}
from reveals
where account_id = $1::bigint and mode = $2::text and ${isAfter}
${newestFirst}`

const revealsOfStoreSql = `
with of_store as materialized (
  select ${columns}
  from reveals
  where account_id = $1::bigint and mode = $2::text
    and contact_id between $6::bigint * ${contactsPerStore} and $6::bigint * ${contactsPerStore} + ${contactsPerStore - 1}
)
select ${columns}
from of_store
where ${isAfter}
${newestFirst}`

/** Those of the given contacts that an account has revealed, in any order. */
export async function selectRevealsOf(
  db: Queryable,
  { accountId, mode, contactIds }: Pick<RevealRecordsQuery, 'accountId' | 'mode'> & { contactIds: readonly number[] },
): Promise<RevealRecordRow[]> {
  const { rows } = await db.query<RevealRecordRow>({
    name: 'select_reveals_of',
    text: `
select ${columns}
from reveals
where account_id = $1::bigint and mode = $2::text and contact_id = any ($3::bigint[])`,
    values: [accountId, mode, contactIds],
  })
  return rows
}

/** The contacts that an account has revealed, the newest first, from an index that has this order. */
export async function selectReveals(db: Queryable, query: RevealRecordsQuery): Promise<RevealRecordRow[]> {
  const { accountId, mode, after, storeId, limit } = query
  const values = [accountId, mode, after?.at ?? 'infinity', after?.row ?? 0, limit]
  const { rows } = await db.query<RevealRecordRow>(
    storeId === null
      ? { name: 'select_reveals', text: revealsOfAllSql, values }
      : { name: 'select_reveals_of_store', text: revealsOfStoreSql, values: [...values, storeId] },
  )
  return rows
}
