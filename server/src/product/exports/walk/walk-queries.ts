/** Statements that sort the members of a list as a search would. */
import type { Queryable } from '../../../foundation/db/pool.ts'
import { type Mode, splitContactKey } from '../../../foundation/kernel/ids.ts'
import type { ExportPosition } from '../export-row.ts'

const idsAtOnce = 10_000

async function inBatches<Row>(ids: readonly number[], read: (batch: number[]) => Promise<Row[]>): Promise<Row[]> {
  const rows: Row[] = []
  for (let start = 0; start < ids.length; start += idsAtOnce)
    for (const row of await read(ids.slice(start, start + idsAtOnce))) rows.push(row)
  return rows
}

/** The positions of the stores that exist, in no order. */
export function selectStorePositions(
  db: Queryable,
  mode: Mode,
  storeIds: readonly number[],
): Promise<ExportPosition[]> {
  return inBatches(storeIds, async (batch) => {
    const { rows } = await db.query<ExportPosition>({
      name: 'select_store_positions',
      text: `
select negated_score as "negatedScore", id as "storeId", null::integer as contact
from stores
where id = any ($1::bigint[]) and mode = $2::text`,
      values: [batch, mode],
    })
    return rows
  })
}

/** The positions of the contacts that exist, in no order. */
export function selectContactPositions(
  db: Queryable,
  mode: Mode,
  contactIds: readonly number[],
): Promise<ExportPosition[]> {
  return inBatches(contactIds, async (batch) => {
    const keys = batch.map(splitContactKey)
    const { rows } = await db.query<ExportPosition>({
      name: 'select_contact_positions',
      text: `
select s.negated_score as "negatedScore", s.id as "storeId", c.place as contact
from unnest($1::bigint[], $2::smallint[]) as requested (store_id, number)
join contacts c on c.store_id = requested.store_id and c.number = requested.number
join stores s on s.id = c.store_id
where s.mode = $3::text`,
      values: [keys.map(({ storeId }) => storeId), keys.map(({ number }) => number), mode],
    })
    return rows
  })
}

/** The kind of a list of the account; undefined if there is none. */
export async function selectListKind(
  db: Queryable,
  { accountId, mode, listId }: { accountId: number; mode: Mode; listId: number },
): Promise<'stores' | 'contacts' | undefined> {
  const { rows } = await db.query<{ kind: 'stores' | 'contacts' }>({
    name: 'select_list_kind',
    text: 'select kind from lists where account_id = $1::bigint and id = $2::bigint and mode = $3::text',
    values: [accountId, listId, mode],
  })
  return rows[0]?.kind
}

/** The stores or contacts in a list. */
export async function selectMemberIds(
  db: Queryable,
  { accountId, listId, kind }: { accountId: number; listId: number; kind: 'stores' | 'contacts' },
): Promise<number[]> {
  const [table, column] = kind === 'stores' ? ['list_stores', 'store_id'] : ['list_contacts', 'contact_id']
  const { rows } = await db.query<{ members: string | null }>({
    name: `select_members_of_${table}`,
    text: `
select string_agg(${column}::text, ',') as members
from ${table}
where account_id = $1::bigint and list_id = $2::bigint`,
    values: [accountId, listId],
  })
  const members = rows[0]?.members
  return members ? members.split(',').map(Number) : []
}
