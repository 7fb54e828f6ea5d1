/** Statements of an erasure. Contacts are found by hash with a sequential scan: there is no index on identities. */

import type { Client, Queryable } from '../../foundation/db/pool.ts'
import type { Identity } from '../../foundation/encryption/identities.ts'
import { formatPgArray } from '../writing/queries.ts'

/** Sets the timeouts of an erasure's transaction: it may scan all contacts, and wait for imports and reveals. */
export async function prepareErasureTransaction(client: Client): Promise<void> {
  await client.query(`
    select set_config(name, value, true)
    from (values ('statement_timeout', '30min'), ('lock_timeout', '5min'),
                 ('idle_in_transaction_session_timeout', '5min')) as settings (name, value)`)
}

export interface ContactKey {
  store_id: number
  number: number
}

/** A live contact with the columns from which its identities are computed. */
export interface PersonRow extends ContactKey {
  external_key: Buffer
  sealed: Buffer
  /** Of the store. */
  country: string | null
}

const person = `c.store_id, c.number, c.external_key, c.sealed, s.document::json ->> 'country' as country
     from contacts as c
     join stores as s on s.id = c.store_id and s.mode = 'live'`

export async function readPerson(client: Client, storeId: number, number: number): Promise<PersonRow | undefined> {
  const { rows } = await client.query<PersonRow>(
    `select ${person} where c.store_id = $1::bigint and c.number = $2::smallint`,
    [storeId, number],
  )
  return rows[0]
}

/** Whether the store has ever assigned this contact number. */
export async function wasContactNumberUsed(client: Client, storeId: number, number: number): Promise<boolean> {
  const { rows } = await client.query(
    'select 1 from stores where id = $1::bigint and next_contact_number > $2::integer',
    [storeId, number],
  )
  return rows.length > 0
}

/** The overlap operator compares all pairs, which is fastest for few values. Many values become a hash table instead. */
function hasAnyOf(column: string, values: readonly unknown[]): string {
  return values.length <= 50
    ? `${column} && $1::bigint[]`
    : `exists (select 1 from unnest(${column}) as held (value) where held.value = any ($1::bigint[]))`
}

/** Returns the live contacts that have any of the identity hashes. */
export async function findPeopleByHashes(client: Client, hashes: readonly string[]): Promise<PersonRow[]> {
  const { rows } = await client.query<PersonRow>(`select ${person} where ${hasAnyOf('c.identities', hashes)}`, [
    formatPgArray(hashes),
  ])
  return rows
}

/** Returns the keys of the live contacts that have any of the hashes, or belong to a store with one of the hosts. */
export async function findContactKeys(
  client: Client,
  hashes: readonly string[],
  hosts: string[],
): Promise<ContactKey[]> {
  const { rows } = await client.query<ContactKey>(
    `with named as materialized (
       select distinct store_id from store_domains where mode = 'live' and host = any ($2::text[])
     ), by_hash as materialized (
       select c.store_id, c.number
       from contacts as c
       join stores as s on s.id = c.store_id and s.mode = 'live'
       where ${hasAnyOf('c.identities', hashes)}
     ), by_host as materialized (
       select c.store_id, c.number
       from named
       join contacts as c on c.store_id = named.store_id
     )
     select store_id, number from by_hash
     union
     select store_id, number from by_host`,
    [formatPgArray(hashes), hosts],
  )
  return rows
}

/** Counts the live contacts that have each of the hashes. */
export async function countContactsByHash(client: Client, hashes: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await client.query<{ hash: string; holders: number }>(
    `select i.hash::text as hash, count(*) as holders
     from contacts as c
     join stores as s on s.id = c.store_id and s.mode = 'live'
     cross join lateral unnest(c.identities) as i (hash)
     where ${hasAnyOf('c.identities', hashes)} and i.hash = any ($1::bigint[])
     group by i.hash`,
    [formatPgArray(hashes)],
  )
  return new Map(rows.map(({ hash, holders }) => [hash, holders]))
}

/** Returns how many of the contacts existed. */
export async function deleteContacts(client: Client, contacts: readonly ContactKey[]): Promise<number> {
  const { rowCount } = await client.query(
    `delete from contacts
     using unnest($1::bigint[], $2::smallint[]) as erased (store_id, number)
     where contacts.store_id = erased.store_id and contacts.number = erased.number`,
    [contacts.map((contact) => contact.store_id), contacts.map((contact) => contact.number)],
  )
  return rowCount ?? 0
}

/** Deletes the kept replies that contain any of the contacts. Call it after `waitForHolders`. */
export async function deleteKeptReplies(client: Client, contactKeys: number[]): Promise<void> {
  await client.query(`delete from idempotency where ${hasAnyOf('contact_ids', contactKeys)}`, [contactKeys])
}

/** Returns which of the hashes are new. */
export async function insertSuppressions(
  client: Client,
  identities: readonly Identity[],
  now: Date,
): Promise<Set<string>> {
  const { rows } = await client.query<{ hash: string }>(
    `insert into suppressions (hash, kind, added_at)
     select hash, kind, $3::timestamptz
     from unnest($1::bigint[], $2::text[]) as fresh (hash, kind)
     on conflict (hash) do nothing
     returning hash::text as hash`,
    [formatPgArray(identities.map(({ hash }) => hash)), identities.map(({ kind }) => kind), now],
  )
  return new Set(rows.map(({ hash }) => hash))
}

export interface SuppressionKindRow {
  kind: 'email' | 'phone' | 'profile' | 'domain' | 'record'
  total: number
  last_added_at: Date
}

export async function countSuppressions(db: Queryable): Promise<SuppressionKindRow[]> {
  const { rows } = await db.query<SuppressionKindRow>(
    'select kind, count(*) as total, max(added_at) as last_added_at from suppressions group by kind order by kind',
  )
  return rows
}
