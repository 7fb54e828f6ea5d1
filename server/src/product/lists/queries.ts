/** Statements on lists as a whole. Whatever changes the items of a list locks its row first. */
import { violatesConstraint } from '@storedex/pg-lanes/failures'
import type { Client, Queryable } from '../../foundation/db/pool.ts'
import type { Mode } from '../../foundation/kernel/ids.ts'
import type { ListPosition } from '../../foundation/kernel/list-pages.ts'
import type { ListKind } from './schema.ts'

/** At most this many lists for an account and mode; the table `list_counts` has the same bound. */
export const maxLists = 200
/** At most this many items and pending domains in a list; the table `lists` has the same bound. */
export const maxItems = 100_000

export interface ListRow {
  id: number
  name: string
  kind: ListKind
  description: string | null
  items: number
  pending: number
  created_at: Date
  updated_at: Date
}

/** The account and mode that a list belongs to. */
export interface ListOwner {
  accountId: number
  mode: Mode
}

/**
 * SQL for the time of a change: later than that of any change before, so that readers in memory see that the rows are others. Adding
 * to a time without a zone is immutable, as Citus wants it in an update.
 */
export const changedAt = (now: string) =>
  `greatest(${now}::timestamptz, (lists.updated_at at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC')`

const columns = 'id, name, kind, description, items, pending, created_at, updated_at'

/** Takes one of the account's lists; false if it has as many as it may. */
export async function takeList(client: Client, { accountId, mode }: ListOwner): Promise<boolean> {
  const { rowCount } = await client.query(
    `insert into list_counts as c (account_id, mode, lists) values ($1::bigint, $2::text, 1)
     on conflict (account_id, mode) do update set lists = c.lists + 1 where c.lists < $3::integer`,
    [accountId, mode, maxLists],
  )
  return rowCount === 1
}

export async function returnList(client: Client, { accountId, mode }: ListOwner): Promise<void> {
  await client.query('update list_counts set lists = lists - 1 where account_id = $1::bigint and mode = $2::text', [
    accountId,
    mode,
  ])
}

export interface ListText {
  name: string
  foldedName: string
  description: string | null
}

/** Undefined if another list has the name. */
export async function insertList(
  client: Client,
  { accountId, mode }: ListOwner,
  { name, foldedName, description, kind, now }: ListText & { kind: ListKind; now: Date },
): Promise<ListRow | undefined> {
  const { rows } = await client.query<ListRow>(
    `insert into lists (account_id, mode, name, folded_name, kind, description, created_at, updated_at)
     values ($1::bigint, $2::text, $3::text, $4::text, $5::text, $6::text, $7::timestamptz, $7::timestamptz)
     on conflict (account_id, mode, folded_name) do nothing
     returning ${columns}`,
    [accountId, mode, name, foldedName, kind, description, now],
  )
  return rows[0]
}

export async function selectList(
  db: Queryable,
  { accountId, mode }: ListOwner,
  listId: number,
): Promise<ListRow | undefined> {
  const { rows } = await db.query<ListRow>(
    `select ${columns} from lists where account_id = $1::bigint and id = $2::bigint and mode = $3::text`,
    [accountId, listId, mode],
  )
  return rows[0]
}

/** Locks a list until the transaction ends, so that its items change one request after the other. */
export async function lockList(
  client: Client,
  { accountId, mode }: ListOwner,
  listId: number,
): Promise<ListRow | undefined> {
  const { rows } = await client.query<ListRow>(
    `select ${columns} from lists where account_id = $1::bigint and id = $2::bigint and mode = $3::text for update`,
    [accountId, listId, mode],
  )
  return rows[0]
}

/** Newest first. */
export async function selectLists(
  db: Queryable,
  { accountId, mode }: ListOwner,
  { kind, after, limit }: { kind: ListKind | null; after: ListPosition | null; limit: number },
): Promise<ListRow[]> {
  const { rows } = await db.query<ListRow>(
    `select ${columns} from lists
     where account_id = $1::bigint and mode = $2::text and ($3::text is null or kind = $3::text)
       and (created_at, id) < ($4::timestamptz, $5::bigint)
     order by created_at desc, id desc
     limit $6::integer`,
    [accountId, mode, kind, after?.at ?? 'infinity', after?.row ?? 0, limit],
  )
  return rows
}

/** Undefined if there is no such list; `'name_taken'` if another one has the name, which aborts the transaction. */
export async function updateList(
  client: Client,
  { accountId, mode }: ListOwner,
  { id, name, foldedName, description, now }: ListText & { id: number; now: Date },
): Promise<ListRow | 'name_taken' | undefined> {
  try {
    const { rows } = await client.query<ListRow>(
      `update lists
       set name = $4::text, folded_name = $5::text, description = $6::text, updated_at = $7::timestamptz
       where account_id = $1::bigint and id = $2::bigint and mode = $3::text
       returning ${columns}`,
      [accountId, id, mode, name, foldedName, description, now],
    )
    return rows[0]
  } catch (error) {
    if (violatesConstraint(error, ['lists_by_name'])) return 'name_taken'
    throw error
  }
}

/** Deletes a locked list with all its rows. */
export async function deleteLockedList(client: Client, { accountId }: ListOwner, listId: number): Promise<void> {
  const ofList = 'where account_id = $1::bigint and list_id = $2::bigint'
  await client.query(`delete from list_stores ${ofList}`, [accountId, listId])
  await client.query(`delete from list_contacts ${ofList}`, [accountId, listId])
  await client.query(`delete from list_pending ${ofList}`, [accountId, listId])
  await client.query('delete from lists where account_id = $1::bigint and id = $2::bigint', [accountId, listId])
}

/**
 * Adds to the counters of a locked list, in the transaction of the rows that they count. Undefined if the list would have
 * more than it may.
 */
export async function countItems(
  client: Client,
  { accountId }: ListOwner,
  listId: number,
  { items, pending, now }: { items: number; pending: number; now: Date },
): Promise<ListRow | undefined> {
  const { rows } = await client.query<ListRow>(
    `update lists
     set items = items + $3::integer, pending = pending + $4::integer,
         updated_at = case when $3::integer = 0 and $4::integer = 0 then updated_at else ${changedAt('$5')} end
     where account_id = $1::bigint and id = $2::bigint
       and items + pending + $3::integer + $4::integer <= $6::integer
     returning ${columns}`,
    [accountId, listId, items, pending, now, maxItems],
  )
  return rows[0]
}
