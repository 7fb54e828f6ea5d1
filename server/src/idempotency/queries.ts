import pg from 'pg'
import type { Client, Queryable } from '../db/pool.ts'
import type { Mode } from '../kernel/ids.ts'

/** The primary key of the table. */
export interface ReplyKey {
  accountId: number
  mode: Mode
  operation: string
  keyHash: Buffer
}

export interface ReplyClaim extends ReplyKey {
  requestHash: Buffer
  now: Date
  /** Claims made at this time or earlier have expired. */
  expiredAt: Date
}

/**
 * Claims a key for the transaction; false if a reply is kept under it. Waits for another transaction that holds the key;
 * after `lockTimeoutMs` PostgreSQL cancels the statement (`isLockTimeout`). Later statements have the usual lock timeout.
 */
export async function claimReply(client: Client, claim: ReplyClaim, lockTimeoutMs: number): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'claim_reply',
    // FROM sets lock_timeout before the insert; RETURNING resets it.
    text: `
insert into idempotency as kept (account_id, mode, operation, key_hash, request_hash, claimed_at)
select $1::bigint, $2::text, $3::text, $4::bytea, $5::bytea, $6::timestamptz
from set_config('lock_timeout', $8::text, true)
on conflict (account_id, mode, operation, key_hash)
do update set request_hash = excluded.request_hash, claimed_at = excluded.claimed_at, contact_ids = null, reply = null
where kept.claimed_at <= $7::timestamptz
returning set_config('lock_timeout', null, true)`,
    values: [...replyKeyValues(claim), claim.requestHash, claim.now, claim.expiredAt, String(lockTimeoutMs)],
  })
  return rowCount === 1
}

/** Whether a statement was cancelled by `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '55P03'
}

export interface KeptReplyRow {
  request_hash: Buffer
  /** Sealed; never null, as claim and reply are committed together. */
  reply: Buffer
}

/** Reads the reply kept under a key, unless it has expired. */
export async function readReply(db: Queryable, claim: ReplyClaim): Promise<KeptReplyRow | undefined> {
  const { rows } = await db.query<KeptReplyRow>({
    name: 'read_reply',
    text: `
select request_hash, reply
from idempotency
where account_id = $1::bigint and mode = $2::text and operation = $3::text and key_hash = $4::bytea
  and claimed_at > $5::timestamptz`,
    values: [...replyKeyValues(claim), claim.expiredAt],
  })
  return rows[0]
}

/** Stores the reply under the key that this transaction has claimed. */
export async function keepReply(
  client: Client,
  key: ReplyKey,
  kept: { reply: Buffer; contactIds: number[] },
): Promise<void> {
  await client.query({
    name: 'keep_reply',
    text: `
update idempotency
set reply = $5::bytea, contact_ids = $6::bigint[]
where account_id = $1::bigint and mode = $2::text and operation = $3::text and key_hash = $4::bytea`,
    values: [...replyKeyValues(key), kept.reply, kept.contactIds],
  })
}

/** The parameters $1 to $4 of a statement on one row of `idempotency`. */
export function replyKeyValues({ accountId, mode, operation, keyHash }: ReplyKey): unknown[] {
  return [accountId, mode, operation, keyHash]
}

/**
 * Sets the claim time of replies claimed after `latest` to `now`, about `batchSize` of them; returns how many. Their clock
 * ran ahead: otherwise they would block their keys until a day after that time.
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

/** Deletes the oldest replies claimed at `expiredAt` or earlier, about `batchSize` of them; returns how many. */
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
