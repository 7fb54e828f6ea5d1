/** Statements of the contact import. */

import type { Client } from '../../../foundation/db/pool.ts'
import type { Mode } from '../../../foundation/kernel/ids.ts'
import { copyLines, copyNull, escapeText } from '../../writing/bulk-insert.ts'
import { formatPgArray, joinLines, keptApart } from '../../writing/queries.ts'

/** Returns the store id of each known host. */
export async function mapHostsToStoreIds(client: Client, mode: Mode, hosts: string[]): Promise<Map<string, number>> {
  const { rows } = await client.query<{ host: string; store_id: number }>(
    'select host, store_id from store_domains where mode = $1::text and host = any ($2::text[])',
    [mode, hosts],
  )
  return new Map(rows.map((row) => [row.host, row.store_id]))
}

/** Returns the hosts of each store: domain and aliases. */
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
  /** In PostgreSQL's array format: `{1,2}`. */
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

/** Whether there are any suppressions. */
export async function hasSuppressions(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ some: boolean }>('select exists (select 1 from suppressions) as some')
  return rows[0]!.some
}

/** Returns which of the hashes are suppressed. */
export async function findSuppressedHashes(client: Client, hashes: string[]): Promise<Set<string>> {
  const { rows } = await client.query<{ hash: string }>(
    'select hash::text as hash from suppressions where hash = any ($1::bigint[])',
    [formatPgArray(hashes)],
  )
  return new Set(rows.map((row) => row.hash))
}

/** The columns of `contacts` that differ between the rows of a chunk. */
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

/** Inserts contacts with COPY; `rows` is consumed as fast as PostgreSQL accepts them. */
export async function bulkInsertContacts(
  client: Client,
  previewVersion: number,
  now: Date,
  rows: Iterable<ContactRow>,
): Promise<void> {
  const constants = `${previewVersion}\t${now.toISOString()}\t`
  await copyLines(
    client,
    `copy contacts (preview_version, added_at, store_id, number, external_key, role, traits, revealable,
                    verified_revealable, verified_emails, preview, identities, sealed) from stdin`,
    rows,
    (row) =>
      `${constants}${row.storeId}\t${row.number}\t${bytes(row.externalKey)}\t${row.role ?? copyNull}\t${
        row.traits
      }\t${row.revealable}\t${row.verifiedRevealable}\t${row.verifiedEmails}\t${escapeText(
        row.preview,
      )}\t${formatPgArray(row.identities)}\t${bytes(row.sealed)}\n`,
  )
}

/** A bytea in hex format; its backslash is escaped. */
function bytes(value: Buffer): string {
  return `\\\\x${value.toString('hex')}`
}

export async function updateContacts(client: Client, previewVersion: number, rows: ContactRow[]): Promise<void> {
  const column = <K extends keyof ContactRow>(name: K) => rows.map((row) => row[name])
  await client.query(
    `update contacts as c
     set preview_version = $1::smallint, role = fresh.role, traits = fresh.traits, revealable = fresh.revealable,
         verified_revealable = fresh.verified_revealable, verified_emails = fresh.verified_emails,
         preview = fresh.preview, identities = fresh.identities, sealed = fresh.sealed
     from (
       select store_id, number, role, traits, revealable, verified_revealable, verified_emails, preview,
              identities::bigint[] as identities, decode(sealed, 'hex') as sealed
       from unnest($2::bigint[], $3::smallint[], $4::text[], $5::smallint[], $6::boolean[], $7::boolean[], $8::integer[],
                   string_to_array($9::text, E'\\n'), string_to_array($10::text, E'\\n'),
                   string_to_array($11::text, E'\\n'))
         as given (store_id, number, role, traits, revealable, verified_revealable, verified_emails, preview, identities,
                   sealed)
       ${keptApart}
     ) as fresh
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
