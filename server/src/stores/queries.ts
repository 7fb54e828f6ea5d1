import type { Queryable } from '../db/pool.ts'
import type { Mode } from '../kernel/ids.ts'
import type { DeliverEmails } from '../search/delivery.ts'
import { servedDocument } from '../search/postgres/served-document.ts'

export interface StoreByHostRow {
  host: string
  store_id: number
  document: string
}

/** The store that answers to a host, under its domain or an alias. */
export async function findStoreByHost(
  db: Queryable,
  mode: Mode,
  host: string,
  deliverEmails: DeliverEmails,
): Promise<StoreByHostRow | undefined> {
  const { rows } = await db.query<StoreByHostRow>({
    name: 'find_store_by_host',
    text: `
select d.host, s.id as store_id, ${servedDocument('s', '$3')} as document
from store_domains d
join stores s on s.id = d.store_id
where d.mode = $1::text and d.host = $2::text`,
    values: [mode, host, deliverEmails],
  })
  return rows[0]
}

/** The stores that answer to any of the hosts; a row for each host that is known. */
export async function findStoresByHosts(
  db: Queryable,
  mode: Mode,
  hosts: string[],
  deliverEmails: DeliverEmails,
): Promise<StoreByHostRow[]> {
  const { rows } = await db.query<StoreByHostRow>({
    name: 'find_stores_by_hosts',
    text: `
select d.host, s.id as store_id, ${servedDocument('s', '$3')} as document
from store_domains d
join stores s on s.id = d.store_id
where d.mode = $1::text and d.host = any ($2::text[])`,
    values: [mode, hosts, deliverEmails],
  })
  return rows
}

/** Which stores answer to any of the hosts. */
export async function findStoreIds(db: Queryable, mode: Mode, hosts: string[]): Promise<number[]> {
  const { rows } = await db.query<{ store_id: number }>({
    name: 'find_store_ids',
    text: `
select distinct store_id from store_domains
where mode = $1::text and host = any ($2::text[])`,
    values: [mode, hosts],
  })
  return rows.map((row) => row.store_id)
}
