import pg from 'pg'
import type { Client, Queryable } from '../db/pool.ts'
import type { Mode } from '../kernel/ids.ts'

/** Which request of whom; the table's key. */
export interface ReplyKey {
  accountId: number
  mode: Mode
  operation: string
  keyHash: Buffer
}

export interface ReplyClaim extends ReplyKey {
  requestHash: Buffer
  now: Date
  /** What was claimed at this moment or before is kept no longer. */
  expiredAt: Date
}

/**
 * Claims a key for the transaction; false when a reply is kept under it. Waits while another transaction holds the key, but
 * no longer than given: then PostgreSQL ends the statement (`isLockTimeout`). Later statements wait as long as ever.
 */
export async function claimReply(client: Client, claim: ReplyClaim, patienceMs: number): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'claim_reply',
    // The row to insert comes from setting the patience, and the row that was inserted takes it back.
    text: `
insert into idempotency as kept (account_id, mode, operation, key_hash, request_hash, claimed_at)
select $1::bigint, $2::text, $3::text, $4::bytea, $5::bytea, $6::timestamptz
from set_config('lock_timeout', $8::text, true)
on conflict (account_id, mode, operation, key_hash)
do update set request_hash = excluded.request_hash, claimed_at = excluded.claimed_at, contact_ids = null, reply = null
where kept.claimed_at <= $7::timestamptz
returning set_config('lock_timeout', null, true)`,
    values: [...placeValues(claim), claim.requestHash, claim.now, claim.expiredAt, String(patienceMs)],
  })
  return rowCount === 1
}

/** Whether a statement ended because it waited for others as long as it may. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '55P03'
}

export interface KeptReplyRow {
  request_hash: Buffer
  /** Sealed. Never missing: claim and reply commit together. */
  reply: Buffer
}

/** What is kept under a key, unless it is too old. */
export async function readReply(db: Queryable, claim: ReplyClaim): Promise<KeptReplyRow | undefined> {
  const { rows } = await db.query<KeptReplyRow>({
    name: 'read_reply',
    text: `
select request_hash, reply
from idempotency
where account_id = $1::bigint and mode = $2::text and operation = $3::text and key_hash = $4::bytea
  and claimed_at > $5::timestamptz`,
    values: [...placeValues(claim), claim.expiredAt],
  })
  return rows[0]
}

/** Keeps the reply under the key that the transaction has claimed. */
export async function keepReply(
  client: Client,
  place: ReplyKey,
  kept: { reply: Buffer; contactIds: number[] },
): Promise<void> {
  await client.query({
    name: 'keep_reply',
    text: `
update idempotency
set reply = $5::bytea, contact_ids = $6::bigint[]
where account_id = $1::bigint and mode = $2::text and operation = $3::text and key_hash = $4::bytea`,
    values: [...placeValues(place), kept.reply, kept.contactIds],
  })
}

function placeValues({ accountId, mode, operation, keyHash }: ReplyKey): unknown[] {
  return [accountId, mode, operation, keyHash]
}

/**
 * Dates replies that were claimed after `latest` back to `now`, about `batchSize` of them; says how many. Their clock ran
 * ahead: without this they would be kept, and their keys be taken, until a day after that moment has come.
 */
export async function redateFutureReplies(
  db: Queryable,
  { now, latest }: { now: Date; latest: Date },
  batchSize: number,
): Promise<number> {
  const { rowCount } = await db.query({
    name: 'redate_future_replies',
    text: `
update idempotency
set claimed_at = $1::timestamptz
where claimed_at > $2::timestamptz
  and claimed_at >= coalesce((select claimed_at
                              from idempotency
                              order by claimed_at desc
                              offset $3::integer limit 1), '-infinity'::timestamptz)`,
    values: [now, latest, batchSize],
  })
  return rowCount ?? 0
}

/** Deletes the oldest replies of those claimed at `expiredAt` or before, about `batchSize` of them; says how many. */
export async function deleteExpiredReplies(db: Queryable, expiredAt: Date, batchSize: number): Promise<number> {
  const { rowCount } = await db.query({
    name: 'delete_expired_replies',
    text: `
delete from idempotency
where claimed_at <= least($1::timestamptz,
                          (select claimed_at from idempotency order by claimed_at offset $2::integer limit 1))`,
    values: [expiredAt, batchSize],
  })
  return rowCount ?? 0
}
