/** The statements of an import of contacts, and of what stores say of theirs. */
import type { Client } from '../db/pool.ts'
import type { Mode } from '../kernel/ids.ts'
import { formatPgArray, joinLines, type StoredStoreRow } from './queries.ts'
import type { SignatureRow } from './search-columns.ts'

/** The store that each of the hosts leads to. */
export async function mapHostsToStoreIds(client: Client, mode: Mode, hosts: string[]): Promise<Map<string, number>> {
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
    `select c.store_id, c.number, c.external_key, c.identities::text as identities, c.sealed
     from unnest($1::bigint[], string_to_array($2::text, E'\\n')) as wanted (store_id, hex)
     join contacts c on c.store_id = wanted.store_id and c.external_key = decode(wanted.hex, 'hex')`,
    [keys.map(({ storeId }) => storeId), joinLines(keys.map(({ externalKey }) => externalKey.toString('hex')))],
  )
  return rows
}

/** Whether anybody at all must not be on file. */
export async function hasSuppressions(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ some: boolean }>('select exists (select from suppressions) as some')
  return rows[0]!.some
}

/** Those of the hashes that stand for people, or domains, who must not be on file. */
export async function findSuppressedHashes(client: Client, hashes: string[]): Promise<Set<string>> {
  const { rows } = await client.query<{ hash: string }>(
    'select hash::text as hash from suppressions where hash = any ($1::bigint[])',
    [formatPgArray(hashes)],
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
         preview = fresh.preview, identities = fresh.identities::bigint[], sealed = decode(fresh.sealed, 'hex')
     from unnest($2::bigint[], $3::smallint[], $4::text[], $5::smallint[], $6::boolean[], $7::boolean[], $8::integer[],
                 string_to_array($9::text, E'\\n'), string_to_array($10::text, E'\\n'),
                 string_to_array($11::text, E'\\n'))
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
      joinLines(column('preview')),
      joinLines(rows.map(({ identities }) => formatPgArray(identities))),
      joinLines(rows.map(({ sealed }) => sealed.toString('hex'))),
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
  rows: StoredStoreRow[],
): Promise<void> {
  await client.query(
    `update stores as s
     set batch = $1::bigint, document_version = $2::smallint, document = fresh.document,
         tokens = fresh.tokens::integer[], next_contact_number = fresh.next_contact_number
     from unnest($3::bigint[], string_to_array($4::text, E'\\n'), string_to_array($5::text, E'\\n'), $6::integer[])
       as fresh (id, document, tokens, next_contact_number)
     where s.id = fresh.id`,
    [
      batch,
      documentVersion,
      rows.map((row) => row.id),
      joinLines(rows.map(({ document }) => document)),
      joinLines(rows.map(({ tokens }) => tokens)),
      rows.map((row) => row.next_contact_number),
    ],
  )
}
