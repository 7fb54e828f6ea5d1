/** Statements on the rows of exports. */
import type { ContactSortKey } from '@storedex/search-index'
import type { WorkbookState } from '@storedex/workbook/write'
import type { Client, Queryable } from '../../foundation/db/pool.ts'
import type { Mode } from '../../foundation/kernel/ids.ts'
import type { ListPosition } from '../../foundation/kernel/list-pages.ts'
import type { ExportPosition, ExportRow } from './export-row.ts'
import type { ExportFailure, ExportStatus, StopReason } from './export-states.ts'

/** The number of exports of an account that may wait. */
export const maxQueued = 20

type StoredRow = Omit<ExportRow, 'after'> & {
  after_score: number | null
  after_store: number | null
  after_contact: number | null
}

const columns = `account_id as "accountId", id, mode, kind, status, layout, query, max_rows as "maxRows",
  max_credits as "maxCredits", max_store_exports as "maxStoreExports", request_id as "requestId", key_id as "keyId",
  person_id as "userId", planned_rows as "plannedRows", period_start as "periodStart",
  reserved_exports as "reservedExports", credits_period_start as "creditsPeriodStart",
  reserved_credits as "reservedCredits", charged_exports as "chargedExports", charged_credits as "chargedCredits",
  after_score, after_store, after_contact, rows, pieces, bytes, sha256, workbook, turn as lease, stopped_by as "stoppedBy", error,
  created_at as "createdAt", finished_at as "finishedAt", expires_at as "expiresAt"`

function toExportRow({ after_score, after_store, after_contact, ...row }: StoredRow): ExportRow {
  const after =
    after_store === null
      ? null
      : ({ negatedScore: after_score!, storeId: after_store, contact: after_contact } as ExportPosition)
  return { ...row, after }
}

export interface ExportKey {
  accountId: number
  id: number
}

/** The places of the queue that are taken. */
export async function selectQueueSlots(db: Queryable, accountId: number): Promise<number[]> {
  const { rows } = await db.query<{ slot: number }>({
    name: 'select_export_slots',
    text: 'select slot from exports where account_id = $1::bigint and slot is not null order by slot',
    values: [accountId],
  })
  return rows.map(({ slot }) => slot)
}

export type NewExport = Pick<
  ExportRow,
  | 'accountId'
  | 'mode'
  | 'kind'
  | 'layout'
  | 'query'
  | 'maxRows'
  | 'maxCredits'
  | 'maxStoreExports'
  | 'requestId'
  | 'keyId'
  | 'userId'
  | 'pieces'
  | 'bytes'
  | 'sha256'
  | 'workbook'
  | 'createdAt'
> & { slot: number; members: readonly number[] | null; bounds: FileBounds }

/** What an account may keep in one mode. */
export interface FileBounds {
  files: number
  bytes: number
}

/**
 * Queues an export, with the first free place among the files that the account keeps. Undefined if its place in the queue or among
 * the files was taken meanwhile, or if the account keeps as much as the bounds allow.
 */
export async function insertExport(client: Client, row: NewExport): Promise<ExportRow | undefined> {
  const { rows } = await client.query<StoredRow>({
    name: 'insert_export',
    text: `
insert into exports (account_id, mode, kind, status, layout, query, members, max_rows, max_credits, max_store_exports,
                     request_id, key_id, person_id, slot, pieces, bytes, sha256, created_at, served_at, workbook, place)
select $1::bigint, $2::text, $3::text, 'queued', $4::jsonb, $5::jsonb, $6::bigint[], $7::integer, $8::integer,
       $9::integer, $10::text, $11::bigint, $12::bigint, $13::smallint, $14::integer, $15::bigint, $16::bytea,
       $17::timestamptz, $17::timestamptz, $20::jsonb, kept.free_place
from (select count(*) as files, coalesce(sum(bytes), 0) as bytes,
             coalesce(min(number) filter (where number < place), count(*) + 1)::integer as free_place
      from (select bytes, place, row_number() over (order by place) as number
            from exports
            where account_id = $1::bigint and mode = $2::text and place is not null) numbered) kept
where kept.files < $18::integer and kept.bytes < $19::bigint
on conflict do nothing
returning ${columns}`,
    values: [
      ...[row.accountId, row.mode, row.kind, JSON.stringify(row.layout), JSON.stringify(row.query)],
      ...[row.members, row.maxRows, row.maxCredits, row.maxStoreExports, row.requestId, row.keyId, row.userId],
      ...[row.slot, row.pieces, row.bytes, row.sha256, row.createdAt, row.bounds.files, row.bounds.bytes],
      row.workbook && JSON.stringify(row.workbook),
    ],
  })
  return rows[0] && toExportRow(rows[0])
}

export async function selectExport(
  db: Queryable,
  { accountId, id }: ExportKey,
  mode: Mode,
): Promise<ExportRow | undefined> {
  const { rows } = await db.query<StoredRow>({
    name: 'select_export',
    text: `select ${columns} from exports where account_id = $1::bigint and id = $2::bigint and mode = $3::text`,
    values: [accountId, id, mode],
  })
  return rows[0] && toExportRow(rows[0])
}

/** Exports after a position, the newest first. */
export async function selectExports(
  db: Queryable,
  { accountId, mode, after, limit }: { accountId: number; mode: Mode; after: ListPosition | null; limit: number },
): Promise<ExportRow[]> {
  const { rows } = await db.query<StoredRow>({
    name: 'select_exports',
    text: `
select ${columns}
from exports
where account_id = $1::bigint and mode = $2::text
  and ($3::timestamptz is null or (created_at, id) < ($3::timestamptz, $4::bigint))
order by created_at desc, id desc
limit $5::integer`,
    values: [accountId, mode, after?.at ?? null, after?.row ?? null, limit],
  })
  return rows.map(toExportRow)
}

/** Reads an export and locks it until the end of the transaction. Contacts and stores are locked before, counters after. */
export async function lockExport(client: Client, { accountId, id }: ExportKey): Promise<ExportRow | undefined> {
  const { rows } = await client.query<StoredRow>({
    name: 'lock_export',
    text: `select ${columns} from exports where account_id = $1::bigint and id = $2::bigint for no key update`,
    values: [accountId, id],
  })
  return rows[0] && toExportRow(rows[0])
}

export async function selectExportMembers(db: Queryable, { accountId, id }: ExportKey): Promise<number[]> {
  const { rows } = await db.query<{ members: string | null }>({
    name: 'select_export_members',
    text: `select array_to_string(members, ',') as members from exports where account_id = $1::bigint and id = $2::bigint`,
    values: [accountId, id],
  })
  const text = rows[0]?.members ?? ''
  return text === '' ? [] : text.split(',').map(Number)
}

/**
 * The exports that a server may take: those that wait, of each account the first, unless one of it runs; and running ones
 * that no server has. A lease that ends later than `latestLease` was written by a wrong clock.
 */
export async function selectClaimable(
  db: Queryable,
  { now, latestLease, limit }: { now: Date; latestLease: Date; limit: number },
): Promise<ExportKey[]> {
  const { rows } = await db.query<ExportKey>({
    name: 'select_claimable_exports',
    text: `
select account_id as "accountId", id
from exports e
where status in ('queued', 'running')
  and (lease_until is null or lease_until <= $1::timestamptz or lease_until > $2::timestamptz)
  and (status = 'running'
       or not exists (select 1
                      from exports other
                      where other.account_id = e.account_id and other.id <> e.id
                        and (other.status = 'running' or (other.status = 'queued' and other.id < e.id))))
order by served_at, account_id, id
limit $3::integer`,
    values: [now, latestLease, limit],
  })
  return rows
}

export interface ExportClaim extends ExportKey {
  server: string
  now: Date
  leaseUntil: Date
  latestLease: Date
}

/** Takes an export; undefined if another server has it. Fails on the unique index if another one of the account runs. */
export async function claimExport(db: Queryable, claim: ExportClaim): Promise<ExportRow | undefined> {
  const { rows } = await db.query<StoredRow>({
    name: 'claim_export',
    text: `
update exports
set status = 'running', slot = null, turn = turn + 1, lease_server = $3::text, lease_until = $5::timestamptz,
    served_at = $4::timestamptz, started_at = coalesce(started_at, $4::timestamptz)
where account_id = $1::bigint and id = $2::bigint and status in ('queued', 'running')
  and (lease_until is null or lease_until <= $4::timestamptz or lease_until > $6::timestamptz)
returning ${columns}`,
    values: [claim.accountId, claim.id, claim.server, claim.now, claim.leaseUntil, claim.latestLease],
  })
  return rows[0] && toExportRow(rows[0])
}

export interface ExportLease extends ExportKey {
  lease: number
}

/** Extends the lease. False if the export has ended or another server has it. */
export async function renewLease(db: Queryable, { accountId, id, lease }: ExportLease, until: Date): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'renew_export_lease',
    text: `
update exports set lease_until = $4::timestamptz
where account_id = $1::bigint and id = $2::bigint and turn = $3::bigint and status = 'running'`,
    values: [accountId, id, lease, until],
  })
  return rowCount === 1
}

/** Gives the export up, so that any server can take it. */
export async function releaseLease(db: Queryable, { accountId, id, lease }: ExportLease, now: Date): Promise<void> {
  await db.query({
    name: 'release_export_lease',
    text: `
update exports set lease_server = null, lease_until = null, served_at = $4::timestamptz
where account_id = $1::bigint and id = $2::bigint and turn = $3::bigint and status = 'running'`,
    values: [accountId, id, lease, now],
  })
}

/** Adds a chunk to an export that this transaction has locked. */
export async function advanceExport(
  client: Client,
  { accountId, id }: ExportKey,
  chunk: {
    rows: number
    storeExports: number
    credits: number
    pieces: number
    bytes: number
    sha256: Buffer
    workbook: WorkbookState | null
    after: ContactSortKey | ExportPosition | null
  },
): Promise<void> {
  const { after } = chunk
  await client.query({
    name: 'advance_export',
    text: `
update exports
set rows = rows + $3::integer, charged_exports = charged_exports + $4::integer,
    reserved_exports = reserved_exports - $4::integer, charged_credits = charged_credits + $5::integer,
    reserved_credits = reserved_credits - $5::integer, pieces = $6::integer, bytes = $7::bigint, sha256 = $8::bytea,
    after_score = $9::double precision, after_store = $10::bigint, after_contact = $11::integer, workbook = $12::jsonb
where account_id = $1::bigint and id = $2::bigint`,
    values: [
      ...[accountId, id, chunk.rows, chunk.storeExports, chunk.credits, chunk.pieces, chunk.bytes, chunk.sha256],
      ...[after?.negatedScore ?? null, after?.storeId ?? null, after?.contact ?? null],
      chunk.workbook && JSON.stringify(chunk.workbook),
    ],
  })
}

export interface ExportEnd {
  status: ExportStatus
  stoppedBy: StopReason | null
  error: ExportFailure | null
  at: Date
  expiresAt: Date
  /** The length of the whole file. */
  pieces: number
  bytes: number
}

/** Ends an export that this transaction has locked; its reservation has to be released in the same transaction. */
export async function endExport(client: Client, { accountId, id }: ExportKey, end: ExportEnd): Promise<void> {
  await client.query({
    name: 'end_export',
    text: `
update exports
set status = $3::text, stopped_by = $4::text, error = $5::text, finished_at = $6::timestamptz,
    expires_at = $7::timestamptz, slot = null, members = null, lease_server = null, lease_until = null,
    reserved_exports = 0, reserved_credits = 0, pieces = $8::integer, bytes = $9::bigint, workbook = null,
    place = case when $3::text <> 'expired' then place end
where account_id = $1::bigint and id = $2::bigint`,
    values: [...[accountId, id, end.status, end.stoppedBy, end.error, end.at, end.expiresAt, end.pieces, end.bytes]],
  })
}

/** Records what the export has reserved and in which periods; null starts over with a new plan. */
export async function updateReservation(
  client: Client,
  { accountId, id }: ExportKey,
  reserved: Pick<
    ExportRow,
    'periodStart' | 'reservedExports' | 'creditsPeriodStart' | 'reservedCredits' | 'plannedRows'
  >,
): Promise<void> {
  await client.query({
    name: 'update_export_reservation',
    text: `
update exports
set period_start = $3::timestamptz, reserved_exports = $4::integer, credits_period_start = $5::timestamptz,
    reserved_credits = $6::integer, planned_rows = $7::integer
where account_id = $1::bigint and id = $2::bigint`,
    values: [
      ...[accountId, id, reserved.periodStart, reserved.reservedExports],
      ...[reserved.creditsPeriodStart, reserved.reservedCredits, reserved.plannedRows],
    ],
  })
}

/** Numbers for metrics. */
export async function countOpenExports(db: Queryable): Promise<{ queued: number; running: number }> {
  const { rows } = await db.query<{ queued: number; running: number }>({
    name: 'count_open_exports',
    text: `
select count(*) filter (where status = 'queued')::integer as queued,
       count(*) filter (where status = 'running')::integer as running
from exports
where status in ('queued', 'running')`,
  })
  return rows[0]!
}
