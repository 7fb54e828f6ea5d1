/**
 * Statements on domains that wait for their store. A request that finds a domain unknown keeps it, while an import may be
 * about to commit the store: the two take one lock, the request shared and the import alone, so that one always sees what
 * the other did.
 */
import type { Client } from '../../../foundation/db/pool.ts'
import type { Mode } from '../../../foundation/kernel/ids.ts'
import { changedAt } from '../queries.ts'
import { lockListsWhere } from './lock-queries.ts'

const lockOf = (mode: string) => `hashtextextended('pending domains of ' || ${mode}, 0)`

/** Makes imports wait with admitting stores until the transaction ends. Requests do not wait for each other. */
export async function holdBackAdmissions(client: Client, mode: Mode): Promise<void> {
  await client.query(`select pg_advisory_xact_lock_shared(${lockOf('$1::text')})`, [mode])
}

/** Waits for requests that are keeping domains, and makes new ones wait until the transaction ends. */
export async function lockPending(client: Client, mode: Mode): Promise<void> {
  await client.query(`select pg_advisory_xact_lock(${lockOf('$1::text')})`, [mode])
}

export async function hasPending(client: Client, mode: Mode): Promise<boolean> {
  const { rows } = await client.query<{ waits: boolean }>(
    'select exists (select 1 from list_pending where mode = $1::text) as waits',
    [mode],
  )
  return rows[0]!.waits
}

/** Locks the lists in which any of the hosts waits. Returns whether there are any. */
export function lockListsAwaiting(client: Client, mode: Mode, hosts: readonly string[]): Promise<boolean> {
  return lockListsWhere(client, 'list_pending', 'mode = $1::text and host = any ($2::text[])', [mode, hosts])
}

/** Makes the stores of waiting hosts members of the lists, which are locked, and counts them. */
export async function admitStores(
  client: Client,
  mode: Mode,
  { hosts, storeIds, now }: { hosts: readonly string[]; storeIds: readonly number[]; now: Date },
): Promise<void> {
  await client.query(
    `with admitted as (
       delete from list_pending as p
       using unnest($2::text[], $3::bigint[]) as fresh (host, store_id)
       where p.mode = $1::text and p.host = fresh.host
       returning p.account_id, p.list_id, fresh.store_id, p.added_at
     ), joined as (
       insert into list_stores (account_id, list_id, store_id, added_at)
       select account_id, list_id, store_id, max(added_at) from admitted group by 1, 2, 3
       on conflict do nothing
       returning account_id, list_id
     ), changes as (
       select account_id, list_id, sum(pending) as pending, sum(items) as items
       from (select account_id, list_id, -1 as pending, 0 as items from admitted
             union all
             select account_id, list_id, 0, 1 from joined) as each
       group by 1, 2
     )
     update lists
     set pending = lists.pending + changes.pending, items = lists.items + changes.items, updated_at = ${changedAt('$4')}
     from changes
     where lists.account_id = changes.account_id and lists.id = changes.list_id`,
    [mode, hosts, storeIds, now],
  )
}
