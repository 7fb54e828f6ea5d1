/** The statements of an import of contacts, and of what stores say of theirs. */
import type { Client } from '../db/pool.ts'
import type { Mode } from '../kernel/ids.ts'
import type { StoredDocument } from './load.ts'
import type { SignatureRow } from './people.ts'

/** The store that each of the hosts leads to. */
export async function findStoresOfHosts(client: Client, mode: Mode, hosts: string[]): Promise<Map<string, number>> {
  const { rows } = await client.query<{ host: string; store_id: number }>(
    'select host, store_id from store_domains where mode = $1::text and host = any ($2::text[])',
    [mode, hosts],
  )
  return new Map(rows.map((row) => [row.host, row.store_id]))
}

/** Every host of the stores, canonical or not. */
export async function readHosts(client: Client, storeIds: number[]): Promise<Map<number, string[]>> {
  const { rows } = await client.query<{ store_id: number; hosts: string[] }>(
    `select store_id, array_agg(host) as hosts
     from store_domains
     where store_id = any ($1::bigint[])
     group by store_id`,
    [storeIds],
  )
  return new Map(rows.map((row) => [row.store_id, row.hosts]))
}

export interface StoredContactRow {
  store_id: number
  number: number
  external_key: Buffer
  /** As PostgreSQL writes a list: `{1,2}`. */
  identities: string
  sealed: Buffer
}

export async function readStoredContacts(
  client: Client,
  keys: { storeId: number; externalKey: Buffer }[],
): Promise<StoredContactRow[]> {
  const { rows } = await client.query<StoredContactRow>(
    `select store_id, number, external_key, identities::text as identities, sealed
     from unnest($1::bigint[], $2::bytea[]) as wanted (store_id, external_key)
     join contacts using (store_id, external_key)`,
    [keys.map(({ storeId }) => storeId), keys.map(({ externalKey }) => externalKey)],
  )
  return rows
}

/** Whether anybody at all must not be on file. */
export async function hasSuppressions(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ some: boolean }>('select exists (select from suppressions) as some')
  return rows[0]!.some
}

/** Those of the hashes that stand for people, or domains, who must not be on file. */
export async function findSuppressed(client: Client, hashes: string[]): Promise<Set<string>> {
  const { rows } = await client.query<{ hash: string }>(
    'select hash::text as hash from suppressions where hash = any ($1::bigint[])',
    [`{${hashes.join(',')}}`],
  )
  return new Set(rows.map((row) => row.hash))
}

/** A row of contacts as it is written, apart from what all rows of a chunk share. */
export interface ContactRow {
  storeId: number
  number: number
  externalKey: Buffer
  role: string | null
  traits: number
  revealable: boolean
  verifiedRevealable: boolean
  verifiedEmails: number
  preview: string
  identities: string[]
  sealed: Buffer
}

export async function updateContacts(client: Client, previewVersion: number, rows: ContactRow[]): Promise<void> {
  const column = <K extends keyof ContactRow>(name: K) => rows.map((row) => row[name])
  await client.query(
    `update contacts as c
     set preview_version = $1::smallint, role = fresh.role, traits = fresh.traits, revealable = fresh.revealable,
         verified_revealable = fresh.verified_revealable, verified_emails = fresh.verified_emails,
         preview = fresh.preview, identities = fresh.identities::bigint[], sealed = fresh.sealed
     from unnest($2::bigint[], $3::smallint[], $4::text[], $5::smallint[], $6::boolean[], $7::boolean[], $8::integer[],
                 $9::text[], $10::text[], $11::bytea[])
       as fresh (store_id, number, role, traits, revealable, verified_revealable, verified_emails, preview, identities,
                 sealed)
     where c.store_id = fresh.store_id and c.number = fresh.number`,
    [
      previewVersion,
      column('storeId'),
      column('number'),
      column('role'),
      column('traits'),
      column('revealable'),
      column('verifiedRevealable'),
      column('verifiedEmails'),
      column('preview'),
      rows.map((row) => `{${row.identities.join(',')}}`),
      column('sealed'),
    ],
  )
}

/** The contacts of each store, counted by role and traits. */
export async function readSignatures(client: Client, storeIds: number[]): Promise<Map<number, SignatureRow[]>> {
  const { rows } = await client.query<SignatureRow & { store_id: number }>(
    `select store_id, role, traits, count(*) as total, bool_or(revealable) as revealable,
            bool_or(verified_revealable) as verified_revealable, sum(verified_emails) as verified_emails
     from contacts
     where store_id = any ($1::bigint[])
     group by store_id, role, traits`,
    [storeIds],
  )
  const byStore = new Map<number, SignatureRow[]>()
  for (const row of rows) {
    const list = byStore.get(row.store_id)
    if (list) list.push(row)
    else byStore.set(row.store_id, [row])
  }
  return byStore
}

/** Writes what stores say of their contacts, and which number the next one gets. */
export async function updateStoreSummaries(
  client: Client,
  batch: number,
  documentVersion: number,
  rows: StoredDocument[],
): Promise<void> {
  await client.query(
    `update stores as s
     set batch = $1::bigint, document_version = $2::smallint, document = fresh.document,
         tokens = fresh.tokens::integer[], next_contact_number = fresh.next_contact_number
     from unnest($3::bigint[], $4::text[], $5::text[], $6::integer[])
       as fresh (id, document, tokens, next_contact_number)
     where s.id = fresh.id`,
    [
      batch,
      documentVersion,
      rows.map((row) => row.id),
      rows.map((row) => row.document),
      rows.map((row) => `{${row.tokens.join(',')}}`),
      rows.map((row) => row.next_contact_number),
    ],
  )
}
