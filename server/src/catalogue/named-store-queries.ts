/** Statements about one live store that an operator names by a host. */
import type { Client, Queryable } from '../db/pool.ts'

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
    `select s.id, s.document, s.active_ads, s.batch, b.written_at as batch_written_at,
            (select host from store_domains where store_id = s.id and canonical) as domain,
            array(select host from store_domains where store_id = s.id and not canonical order by host) as aliases,
            (select count(*) from contacts where store_id = s.id) as contacts
     from store_domains as d
     join stores as s on s.id = d.store_id
     left join catalogue_batches as b on b.batch = s.batch
     where d.mode = 'live' and d.host = $1::text`,
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
  const { rows } = await db.query('select from suppressions where hash = $1::bigint', [hash])
  return rows.length > 0
}
