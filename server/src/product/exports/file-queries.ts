/** Statements on the files of exports. */
import type { Client, Queryable } from '../../foundation/db/pool.ts'
import type { Mode } from '../../foundation/kernel/ids.ts'
import type { ExportKey } from './queries.ts'

/** A piece that is to be stored; its bytes lie at `storedAt` in those of its chunk. */
export interface NewPiece {
  number: number
  startsAt: number
  size: number
  storedAt: number
  storedSize: number
}

export interface NewPieces {
  pieces: readonly NewPiece[]
  sealed: boolean
  /** The people of the chunk; null for none. */
  contactIds: readonly number[] | null
  /** The stored bytes of all pieces. */
  bytes: Buffer
}

export async function insertPieces(
  client: Client,
  { accountId, id }: ExportKey,
  { pieces, sealed, contactIds, bytes }: NewPieces,
): Promise<void> {
  await client.query({
    name: 'insert_export_pieces',
    text: `
insert into export_chunks (account_id, export_id, number, starts_at, size, sealed, contact_ids, bytes)
select $1::bigint, $2::bigint, number, starts_at, size, $8::boolean,
       case when number = $10::integer then $9::bigint[] end,
       substring($11::bytea from stored_at + 1 for stored_size)
from unnest($3::integer[], $4::bigint[], $5::integer[], $6::integer[], $7::integer[])
  as piece (number, starts_at, size, stored_at, stored_size)`,
    values: [
      ...[accountId, id, pieces.map((piece) => piece.number), pieces.map((piece) => piece.startsAt)],
      ...[pieces.map((piece) => piece.size), pieces.map((piece) => piece.storedAt)],
      ...[pieces.map((piece) => piece.storedSize), sealed, contactIds, pieces[0]?.number ?? 0, bytes],
    ],
  })
}

export interface PieceRow {
  number: number
  starts_at: number
  size: number
  sealed: boolean
  bytes: Buffer
}

/** Reads the piece with a number; undefined if the file has been removed, or ends before. */
export async function selectPiece(
  db: Queryable,
  { accountId, id }: ExportKey,
  number: number,
): Promise<PieceRow | undefined> {
  const { rows } = await db.query<PieceRow>({
    name: 'select_export_piece',
    text: `
select number, starts_at, size, sealed, bytes
from export_chunks
where account_id = $1::bigint and export_id = $2::bigint and number = $3::integer`,
    values: [accountId, id, number],
  })
  return rows[0]
}

/** The number of the piece that has the byte at an offset. */
export async function findPieceAt(
  db: Queryable,
  { accountId, id }: ExportKey,
  offset: number,
): Promise<number | undefined> {
  const { rows } = await db.query<{ number: number }>({
    name: 'find_export_piece',
    text: `
select number
from export_chunks
where account_id = $1::bigint and export_id = $2::bigint
  and starts_at <= $3::bigint and starts_at + size > $3::bigint`,
    values: [accountId, id, offset],
  })
  return rows[0]?.number
}

/** Marks exports whose files have expired, the oldest first; returns how many. */
export async function expireExports(db: Queryable, now: Date, limit: number): Promise<number> {
  const { rowCount } = await db.query({
    name: 'expire_exports',
    text: `
update exports
set status = 'expired', place = null
where status in ('ready', 'canceled', 'failed')
  and expires_at <= least($1::timestamptz,
                          (select expires_at
                           from exports
                           where status in ('ready', 'canceled', 'failed')
                           order by expires_at
                           offset $2::integer limit 1))`,
    values: [now, limit],
  })
  return rowCount ?? 0
}

interface FileOwner {
  accountId: number
  mode: Mode
}

/** Marks the files of an account that have expired, so that they hold no place any more; returns how many. */
export async function expireOwnExports(client: Client, { accountId, mode }: FileOwner, now: Date): Promise<number> {
  const { rowCount } = await client.query({
    name: 'expire_own_exports',
    text: `
update exports
set status = 'expired', place = null
where account_id = $1::bigint and mode = $2::text and place is not null
  and status in ('ready', 'canceled', 'failed') and expires_at <= $3::timestamptz`,
    values: [accountId, mode, now],
  })
  return rowCount ?? 0
}

/** The files that an account keeps, those that are being written included. */
export async function countKeptFiles(
  db: Queryable,
  { accountId, mode }: FileOwner,
): Promise<{ files: number; bytes: number }> {
  const { rows } = await db.query<{ files: number; bytes: number }>({
    name: 'count_kept_export_files',
    text: `
select count(*)::integer as files, coalesce(sum(bytes), 0)::bigint as bytes
from exports
where account_id = $1::bigint and mode = $2::text and place is not null`,
    values: [accountId, mode],
  })
  return rows[0]!
}

export interface OldFile {
  id: number
  createdAt: Date
  expiresAt: Date
}

/** The oldest files of an account that are complete. */
export async function selectOldestFiles(
  db: Queryable,
  { accountId, mode }: FileOwner,
  limit: number,
): Promise<OldFile[]> {
  const { rows } = await db.query<OldFile>({
    name: 'select_oldest_export_files',
    text: `
select id, created_at as "createdAt", expires_at as "expiresAt"
from exports
where account_id = $1::bigint and mode = $2::text and place is not null and finished_at is not null
order by created_at, id
limit $3::integer`,
    values: [accountId, mode, limit],
  })
  return rows
}

/** Exports that have expired and still have pieces. */
export async function selectFilesToRemove(db: Queryable, limit: number): Promise<ExportKey[]> {
  const { rows } = await db.query<ExportKey>({
    name: 'select_expired_export_files',
    text: `
select c.account_id as "accountId", c.export_id as id
from export_chunks c
join exports e on e.account_id = c.account_id and e.id = c.export_id
where c.number = 0 and e.status = 'expired'
limit $1::integer`,
    values: [limit],
  })
  return rows
}

/** Deletes the last pieces of a file, so that the first one tells that there are others; returns how many. */
export async function deletePieces(db: Queryable, { accountId, id }: ExportKey, limit: number): Promise<number> {
  const { rowCount } = await db.query({
    name: 'delete_export_pieces',
    text: `
delete from export_chunks
where account_id = $1::bigint and export_id = $2::bigint
  and number > (select max(number)
                from export_chunks
                where account_id = $1::bigint and export_id = $2::bigint) - $3::integer`,
    values: [accountId, id, limit],
  })
  return rowCount ?? 0
}

/** The exports whose files hold any of the contacts. */
export async function selectExportsWithContacts(client: Client, contactIds: readonly number[]): Promise<ExportKey[]> {
  const { rows } = await client.query<ExportKey>(
    `
select distinct account_id as "accountId", export_id as id
from export_chunks
where contact_ids is not null
  and exists (select 1 from unnest(contact_ids) as held (contact_id) where held.contact_id = any ($1::bigint[]))
order by account_id, export_id`,
    [contactIds],
  )
  return rows
}

/** Deletes the whole file of an export. */
export async function deleteFile(client: Client, { accountId, id }: ExportKey): Promise<void> {
  await client.query('delete from export_chunks where account_id = $1::bigint and export_id = $2::bigint', [
    accountId,
    id,
  ])
}

/** Marks an export that has ended: its file is gone. */
export async function markExpired(client: Client, { accountId, id }: ExportKey): Promise<void> {
  await client.query(
    "update exports set status = 'expired', place = null where account_id = $1::bigint and id = $2::bigint",
    [accountId, id],
  )
}
