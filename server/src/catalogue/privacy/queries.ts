import { isWindowOpenSql } from '../../customers/ledger/window-queries.ts'
import type { Client, Queryable } from '../../foundation/db/pool.ts'
import { formatPgArray } from '../writing/queries.ts'

/** A window to count a request in. */
export interface RequestWindow {
  kind: string
  /** Keyed hash of what the window bounds. */
  subject: Buffer
  allowed: number
}

export interface NewPrivacyRequest {
  tokenHash: Buffer
  sealedEmail: Buffer
  now: Date
  expiresAt: Date
}

const isOpen = isWindowOpenSql('w.started_at', 'excluded.started_at', '1 hour')

/**
 * Counts a request in fixed hours, and stores it if none of them is full; returns whether it was stored. A full hour is
 * written, too, so that a refused request costs about the same. Hours are locked in the order of their kind.
 */
export async function insertCountedRequest(
  db: Queryable,
  windows: readonly RequestWindow[],
  request: NewPrivacyRequest,
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'insert_privacy_request',
    text: `
with wanted as (
  select * from unnest($1::text[], $2::bytea[], $3::integer[]) as t (kind, subject, allowed)
),
counted as (
  insert into attempt_windows as w (kind, subject, started_at, used)
  select kind, subject, $4::timestamptz, 1 from wanted order by kind
  on conflict (kind, subject) do update set
    started_at = case when ${isOpen} then w.started_at else excluded.started_at end,
    used       = case when ${isOpen} then least(w.used, ($3::integer[])[array_position($1::text[], w.kind)]) + 1
                      else 1 end
  returning kind, used
)
insert into privacy_requests (token_hash, sealed_email, requested_at, expires_at)
select $5::bytea, $6::bytea, $4::timestamptz, $7::timestamptz
where not exists (select 1 from counted join wanted using (kind) where used > allowed)`,
    values: [
      windows.map(({ kind }) => kind),
      windows.map(({ subject }) => subject),
      windows.map(({ allowed }) => allowed),
      request.now,
      request.tokenHash,
      request.sealedEmail,
      request.expiresAt,
    ],
  })
  return rowCount === 1
}

export interface LivePrivacyRequestRow {
  id: number
  sealed_email: Buffer
  requested_at: Date
  expires_at: Date
  /** Whether the link may still be used; it was counted if so. */
  counted: boolean
}

/** Counts a use of a link that is alive, and records its first opening; undefined for any other token. */
export async function useRequest(
  db: Queryable,
  tokenHash: Buffer,
  { now, allowed }: { now: Date; allowed: number },
): Promise<LivePrivacyRequestRow | undefined> {
  const { rows } = await db.query<LivePrivacyRequestRow>({
    name: 'use_privacy_request',
    text: `
with live as (
  select id, sealed_email, requested_at, expires_at
  from privacy_requests
  where token_hash = $1::bytea and ended_at is null and expires_at > $2::timestamptz
),
counted as (
  insert into attempt_windows as w (kind, subject, started_at, used)
  select 'privacy link', $1::bytea, $2::timestamptz, 1 from live
  on conflict (kind, subject) do update set used = w.used + 1
  where w.used < $3::integer
  returning used
),
opened as (
  update privacy_requests p
  set opened_at = $2::timestamptz
  from live, counted
  where p.id = live.id and p.opened_at is null
)
select live.*, exists (select 1 from counted) as counted from live`,
    values: [tokenHash, now, allowed],
  })
  return rows[0]
}

/** The outcome of a request if it expires now: 'kept' or 'nothing_held'. */
export async function updateExpectedOutcome(
  db: Queryable,
  id: number,
  outcome: 'kept' | 'nothing_held',
): Promise<void> {
  await db.query('update privacy_requests set outcome = $2::text where id = $1::bigint and ended_at is null', [
    id,
    outcome,
  ])
}

export interface EndedRequest {
  outcome: 'erased' | 'nothing_held' | 'mail_failed'
  erased: number | null
  now: Date
}

/** Ends a request; returns false if it has ended already. The address goes, and the link is dead. */
export async function endRequest(db: Queryable, tokenHash: Buffer, end: EndedRequest): Promise<boolean> {
  const { rowCount } = await db.query(
    `
update privacy_requests
set ended_at = $2::timestamptz, outcome = $3::text, erased = $4::integer, sealed_email = null
where token_hash = $1::bytea and ended_at is null and expires_at > $2::timestamptz`,
    [tokenHash, end.now, end.outcome, end.erased],
  )
  return rowCount === 1
}

/** Ends the requests whose links have expired, and deletes those made before `deleteBefore`. */
export async function endExpiredRequests(db: Queryable, now: Date, deleteBefore: Date): Promise<void> {
  await db.query(
    `
update privacy_requests
set ended_at = expires_at, outcome = coalesce(outcome, case when opened_at is null then 'expired' else 'kept' end),
    sealed_email = null
where ended_at is null and expires_at <= $1::timestamptz`,
    [now],
  )
  await db.query('delete from privacy_requests where requested_at < $1::timestamptz', [deleteBefore])
}

/** Sets the bound of a transaction that reads all contacts, and keeps it from writing. */
export async function prepareReading(client: Client): Promise<void> {
  await client.query(`
    select set_config(name, value, true)
    from (values ('statement_timeout', '60s'), ('transaction_read_only', 'on')) as settings (name, value)`)
}

export interface HeldContactRow {
  store_id: number
  number: number
  /** The public preview as JSON, up to the value of "revealed". */
  preview: string
  added_at: Date | null
  domain: string
  store_name: string
}

/** Reads the parts of live contacts that are in clear, with their stores. */
export async function readHeldContacts(
  client: Client,
  contacts: readonly { store_id: number; number: number }[],
): Promise<HeldContactRow[]> {
  const { rows } = await client.query<HeldContactRow>(
    `
select c.store_id, c.number, c.preview, c.added_at, s.document::json ->> 'domain' as domain,
       s.document::json ->> 'name' as store_name
from unnest($1::bigint[], $2::smallint[]) with ordinality as held (store_id, number, place)
join contacts c on c.store_id = held.store_id and c.number = held.number
join stores s on s.id = c.store_id
order by held.place`,
    [contacts.map(({ store_id }) => store_id), contacts.map(({ number }) => number)],
  )
  return rows
}

/** How many accounts revealed each contact. Reads all reveals: their index begins with the account. */
export async function countRevealingAccounts(client: Client, contactKeys: number[]): Promise<Map<number, number>> {
  const { rows } = await client.query<{ contact_id: number; accounts: number }>(
    `
select contact_id, count(distinct account_id) as accounts
from reveals
where mode = 'live' and contact_id = any ($1::bigint[])
group by contact_id`,
    [contactKeys],
  )
  return new Map(rows.map(({ contact_id, accounts }) => [contact_id, accounts]))
}

export interface AddressUseRow {
  suppressed_since: Date | null
  /** Whether a user of the console has the address. */
  signs_in: boolean
  /** Whether a customer gave the address as their contact. */
  is_customer: boolean
}

export async function readAddressUse(
  client: Client,
  { hash, email }: { hash: string; email: string },
): Promise<AddressUseRow> {
  const { rows } = await client.query<AddressUseRow>(
    `
select (select added_at from suppressions where hash = any ($1::bigint[])) as suppressed_since,
       exists (select 1 from people where email = lower($2::text)) as signs_in,
       exists (select 1 from accounts where lower(email) = lower($2::text)) as is_customer`,
    [formatPgArray([hash]), email],
  )
  return rows[0]!
}

export interface PrivacyRequestLogRow {
  id: number
  requested_at: Date
  expires_at: Date
  opened_at: Date | null
  ended_at: Date | null
  outcome: 'erased' | 'nothing_held' | 'kept' | 'expired' | 'mail_failed' | null
  erased: number | null
}

/** Requests of the privacy page with an id below `beforeId`, the newest first. No column identifies the person. */
export async function selectPrivacyRequests(
  db: Queryable,
  beforeId: number | null,
  limit: number,
): Promise<PrivacyRequestLogRow[]> {
  const { rows } = await db.query<PrivacyRequestLogRow>(
    `
select id, requested_at, expires_at, opened_at, ended_at, outcome, erased
from privacy_requests
where $1::bigint is null or id < $1::bigint
order by id desc
limit $2::integer`,
    [beforeId, limit],
  )
  return rows
}
