/** Statements about one live store that an operator names by a host. */
import type { Client, Queryable } from '../../foundation/db/pool.ts'

export interface NamedStoreRow {
  id: number
  document: string
  active_ads: number | null
  batch: number
  /** Null for batches older than their times. */
  batch_written_at: Date | null
  /** Its main host. */
  domain: string
  /** Sorted. */
  aliases: string[]
  contacts: number
}

/** The live store with this host as domain or alias. */
export async function selectStoreByHost(db: Queryable, host: string): Promise<NamedStoreRow | undefined> {
  const { rows } = await db.query<NamedStoreRow>(
    `with named as materialized (
       select store_id from store_domains where mode = 'live' and host = $1::text
     ), hosts as materialized (
       select min(host) filter (where canonical) as domain,
              coalesce(array_agg(host order by host) filter (where not canonical), '{}') as aliases
       from store_domains
       where store_id = (select store_id from named)
     ), people as materialized (
       select count(*) as contacts from contacts where store_id = (select store_id from named)
     ), store as materialized (
       select id, document, active_ads, batch from stores where id = (select store_id from named)
     )
     select s.id, s.document, s.active_ads, s.batch, b.written_at as batch_written_at, h.domain, h.aliases, p.contacts
     from store as s
     cross join hosts as h
     cross join people as p
     left join catalogue_batches as b on b.batch = s.batch`,
    [host],
  )
  return rows[0]
}

/** Makes another host the domain of a store; the old domain becomes an alias. */
export async function replaceCanonicalHost(
  client: Client,
  storeId: number,
  { domain, formerDomain }: { domain: string; formerDomain: string },
): Promise<void> {
  await client.query(
    `insert into store_domains (mode, host, store_id, canonical)
     values ('live', $2::text, $1::bigint, true), ('live', $3::text, $1::bigint, false)
     on conflict (mode, host) do update set canonical = excluded.canonical`,
    [storeId, domain, formerDomain],
  )
}

export async function updateRenamedStore(
  client: Client,
  { id, batch, documentVersion, document, preview }: RenamedStoreRow,
): Promise<void> {
  await client.query(
    `update stores
     set batch = $2::bigint, document_version = $3::smallint, document = $4::text, preview = $5::text
     where id = $1::bigint`,
    [id, batch, documentVersion, document, preview],
  )
}

interface RenamedStoreRow {
  id: number
  batch: number
  documentVersion: number
  document: string
  preview: string
}

export async function isHashSuppressed(db: Queryable, hash: string): Promise<boolean> {
  const { rows } = await db.query('select 1 from suppressions where hash = $1::bigint', [hash])
  return rows.length > 0
}
