/** Statements on the catalogue: what may become a member of a list, and how members are shown. */
import { contactsPerStore } from '@storedex/search-index'
import type { Client, Queryable } from '../../../foundation/db/pool.ts'
import type { Mode } from '../../../foundation/kernel/ids.ts'

export interface HostOfStore {
  host: string
  store_id: number
}

export async function findStoresOfHosts(db: Queryable, mode: Mode, hosts: readonly string[]): Promise<HostOfStore[]> {
  const { rows } = await db.query<HostOfStore>(
    'select host, store_id from store_domains where mode = $1::text and host = any ($2::text[])',
    [mode, hosts],
  )
  return rows
}

/** The stores that exist. Hold them before (`holdContacts`), so that a removal waits until the transaction ends. */
export async function selectHeldStores(client: Client, mode: Mode, storeIds: readonly number[]): Promise<Set<number>> {
  const { rows } = await client.query<{ id: number }>(
    'select id from stores where mode = $1::text and id = any ($2::bigint[])',
    [mode, storeIds],
  )
  return new Set(rows.map(({ id }) => id))
}

/** The same for contacts, so that an erasure waits. */
export async function selectHeldContacts(
  client: Client,
  mode: Mode,
  contactIds: readonly number[],
): Promise<Set<number>> {
  const { rows } = await client.query<{ contact_id: number }>(
    `select requested.contact_id
     from unnest($2::bigint[]) as requested (contact_id)
     join contacts c
       on c.store_id = requested.contact_id / ${contactsPerStore} and c.number = requested.contact_id % ${contactsPerStore}
     join stores s on s.id = c.store_id and s.mode = $1::text`,
    [mode, contactIds],
  )
  return new Set(rows.map((row) => row.contact_id))
}

export interface ShownStore {
  id: number
  domain: string
  name: string
}

export async function readShownStores(db: Queryable, storeIds: readonly number[]): Promise<Map<number, ShownStore>> {
  const { rows } = await db.query<ShownStore>(
    `select id, preview::json ->> 'domain' as domain, preview::json ->> 'name' as name
     from stores where id = any ($1::bigint[])`,
    [storeIds],
  )
  return new Map(rows.map((row) => [row.id, row]))
}

export interface ShownContact {
  contact_id: number
  store_id: number
  domain: string
  first_name: string | null
  last_name_obfuscated: string | null
}

/** The stored preview of a contact is JSON up to the value of `revealed`. */
export async function readShownContacts(
  db: Queryable,
  contactIds: readonly number[],
): Promise<Map<number, ShownContact>> {
  const { rows } = await db.query<ShownContact>(
    `select requested.contact_id, c.store_id, s.preview::json ->> 'domain' as domain,
            person.preview ->> 'first_name' as first_name,
            person.preview ->> 'last_name_obfuscated' as last_name_obfuscated
     from unnest($1::bigint[]) as requested (contact_id)
     join contacts c
       on c.store_id = requested.contact_id / ${contactsPerStore} and c.number = requested.contact_id % ${contactsPerStore}
     join stores s on s.id = c.store_id
     cross join lateral (select (c.preview || 'null}')::json as preview) as person`,
    [contactIds],
  )
  return new Map(rows.map((row) => [row.contact_id, row]))
}
