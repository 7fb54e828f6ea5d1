/** Statements that replace sealed bytes: contacts, kept replies, pieces of files. Sealed bytes begin with the id of their key. */

import { type ReplyKey, replyKeyValues } from '../../customers/idempotency/queries.ts'
import type { Client, Queryable } from '../../foundation/db/pool.ts'
import type { Mode } from '../../foundation/kernel/ids.ts'

/** `sealed` is null if the newest key sealed it. */
export interface SealedContactRow {
  store_id: number
  number: number
  sealed: Buffer | null
}

/** The next contacts in the order of store and number. */
export async function readSealedContacts(
  client: Client,
  after: { storeId: number; number: number },
  newestPrefix: Buffer,
  limit: number,
): Promise<SealedContactRow[]> {
  const { rows } = await client.query<SealedContactRow>({
    name: 'read_sealed_contacts',
    text: `
select store_id, number,
       case when substring(sealed from 1 for length($3::bytea)) <> $3::bytea then sealed end as sealed
from contacts
where (store_id, number) > ($1::bigint, $2::smallint)
order by store_id, number
limit $4::integer`,
    values: [after.storeId, after.number, newestPrefix, limit],
  })
  return rows
}

export interface ResealedContact {
  storeId: number
  number: number
  before: Buffer
  after: Buffer
}

/** Replaces sealed bytes that are still those of `before`; returns how many rows were. */
export async function replaceSealedContacts(client: Client, rows: readonly ResealedContact[]): Promise<number> {
  const { rowCount } = await client.query({
    name: 'replace_sealed_contacts',
    text: `
update contacts
set sealed = resealed.after
from unnest($1::bigint[], $2::smallint[], $3::bytea[], $4::bytea[]) as resealed (store_id, number, before, after)
where contacts.store_id = resealed.store_id and contacts.number = resealed.number
  and contacts.sealed = resealed.before`,
    values: [
      rows.map(({ storeId }) => storeId),
      rows.map(({ number }) => number),
      rows.map(({ before }) => before),
      rows.map(({ after }) => after),
    ],
  })
  return rowCount ?? 0
}

/** The keys of kept replies that are not sealed with the newest data key. */
export async function readStaleReplyKeys(db: Queryable, newestPrefix: Buffer): Promise<ReplyKeyRow[]> {
  const { rows } = await db.query<ReplyKeyRow>({
    name: 'read_stale_replies',
    text: `
select account_id, mode, operation, key_hash
from idempotency
where reply is not null and substring(reply from 1 for length($1::bytea)) <> $1::bytea
order by account_id, mode, operation, key_hash`,
    values: [newestPrefix],
  })
  return rows
}

export interface ReplyKeyRow {
  account_id: number
  mode: Mode
  operation: string
  key_hash: Buffer
}

export async function readSealedReply(db: Queryable, key: ReplyKey): Promise<Buffer | null> {
  const { rows } = await db.query<{ reply: Buffer | null }>({
    name: 'read_sealed_reply',
    text: `
select reply
from idempotency
where account_id = $1::bigint and mode = $2::text and operation = $3::text and key_hash = $4::bytea`,
    values: replyKeyValues(key),
  })
  return rows[0]?.reply ?? null
}

/** Replaces sealed bytes that are still `before`; returns the number of rows. */
export async function replaceSealedReply(db: Queryable, key: ReplyKey, before: Buffer, after: Buffer): Promise<number> {
  const { rowCount } = await db.query({
    name: 'replace_sealed_reply',
    text: `
update idempotency
set reply = $6::bytea
where account_id = $1::bigint and mode = $2::text and operation = $3::text and key_hash = $4::bytea
  and reply = $5::bytea`,
    values: [...replyKeyValues(key), before, after],
  })
  return rowCount ?? 0
}

/** The key of a piece of an export's file. */
export interface PieceKeyRow {
  account_id: number
  export_id: number
  number: number
}

const pieceKeyValues = ({ account_id, export_id, number }: PieceKeyRow) => [account_id, export_id, number]

/** The keys of sealed pieces of files that are not sealed with the newest data key. */
export async function readStalePieceKeys(db: Queryable, newestPrefix: Buffer): Promise<PieceKeyRow[]> {
  const { rows } = await db.query<PieceKeyRow>({
    name: 'read_stale_pieces',
    text: `
select account_id, export_id, number
from export_chunks
where sealed and substring(bytes from 1 for length($1::bytea)) <> $1::bytea
order by account_id, export_id, number`,
    values: [newestPrefix],
  })
  return rows
}

export async function readSealedPiece(db: Queryable, key: PieceKeyRow): Promise<Buffer | null> {
  const { rows } = await db.query<{ bytes: Buffer }>({
    name: 'read_sealed_piece',
    text: `
select bytes
from export_chunks
where account_id = $1::bigint and export_id = $2::bigint and number = $3::integer`,
    values: pieceKeyValues(key),
  })
  return rows[0]?.bytes ?? null
}

/** Replaces the bytes of a piece, which never change but by this; returns the number of rows. */
export async function replaceSealedPiece(db: Queryable, key: PieceKeyRow, after: Buffer): Promise<number> {
  const { rowCount } = await db.query({
    name: 'replace_sealed_piece',
    text: `
update export_chunks
set bytes = $4::bytea
where account_id = $1::bigint and export_id = $2::bigint and number = $3::integer`,
    values: [...pieceKeyValues(key), after],
  })
  return rowCount ?? 0
}
