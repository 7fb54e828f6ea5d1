import pg from 'pg'
import type { Client, Queryable } from '../../foundation/db/pool.ts'
import type { Mode } from '../../foundation/kernel/ids.ts'

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

/** Claims that share a transaction. They are of one account, mode and operation, and no two of one key. */
export type ReplyClaims = readonly [ReplyClaim, ...ReplyClaim[]]

/**
 * Begins a transaction and claims keys in one round trip, without parameters: a text of several statements has none. Returns which
 * of the keys were claimed; a reply is kept under the others. Waits for another transaction that holds a key; after `lockTimeoutMs`
 * PostgreSQL cancels it (`isLockTimeout`). Later statements have the usual lock timeout. `alongside` is SQL to run afterwards.
 */
export async function beginWithClaims(
  client: Client,
  claims: ReplyClaims,
  { lockTimeoutMs, alongside }: { lockTimeoutMs: number; alongside: string | undefined },
): Promise<boolean[]> {
  const [{ accountId, mode, operation }] = claims
  const expiredAt = new Date(Math.min(...claims.map((claim) => claim.expiredAt.getTime())))
  const rows = claims.map(
    ({ keyHash, requestHash, now }) =>
      `(${accountId}, ${text(mode)}, ${text(operation)}, ${bytes(keyHash)}, ${bytes(requestHash)}, ${time(now)})`,
  )
  // Citus must not be told to pass `set local` on to its workers: it would send them this whole text.
  const results = (await client.query(`
begin;
set local lock_timeout = ${lockTimeoutMs};
insert into idempotency as kept (account_id, mode, operation, key_hash, request_hash, claimed_at)
values ${rows.join(',\n')}
on conflict (account_id, mode, operation, key_hash)
do update set request_hash = excluded.request_hash, claimed_at = excluded.claimed_at, contact_ids = null, reply = null
where kept.claimed_at <= ${time(expiredAt)}
returning key_hash;
set local lock_timeout to default;
${alongside ?? ''}`)) as unknown as pg.QueryResult<{ key_hash: Buffer }>[]
  const claimed = new Set(results[2]!.rows.map(({ key_hash }) => key_hash.toString('latin1')))
  return claims.map(({ keyHash }) => claimed.has(keyHash.toString('latin1')))
}

/** Waits until no transaction holds the key of a claim; after `lockTimeoutMs` PostgreSQL cancels it (`isLockTimeout`). */
export async function waitForClaim(client: Client, claim: ReplyClaim, lockTimeoutMs: number): Promise<void> {
  const { accountId, mode, operation, keyHash, requestHash, now } = claim
  await client.query(`
begin;
set local lock_timeout = ${lockTimeoutMs};
insert into idempotency (account_id, mode, operation, key_hash, request_hash, claimed_at)
values (${accountId}, ${text(mode)}, ${text(operation)}, ${bytes(keyHash)}, ${bytes(requestHash)}, ${time(now)})
on conflict (account_id, mode, operation, key_hash) do nothing;
rollback`)
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

/** The row of a claimed key. */
export interface ReplyToKeep {
  keyHash: Buffer
  /** Sealed. */
  reply: Buffer
  contactIds: readonly number[]
}

/**
 * Stores replies under keys that this transaction has claimed, gives up other claims, and commits, in one round trip. If it
 * fails, nothing is committed.
 */
export async function keepAndCommit(
  client: Client,
  { accountId, mode, operation }: Omit<ReplyKey, 'keyHash'>,
  { kept, released }: { kept: readonly ReplyToKeep[]; released: readonly Buffer[] },
): Promise<void> {
  const ofOperation = `account_id = ${accountId} and mode = ${text(mode)} and operation = ${text(operation)}`
  const rows = kept.map(
    ({ keyHash, reply, contactIds }) => `(${bytes(keyHash)}, ${bytes(reply)}, '{${contactIds.join()}}'::bigint[])`,
  )
  const keep = `
update idempotency
set reply = fresh.reply, contact_ids = fresh.contact_ids
from (values ${rows.join(',\n')}) as fresh (key_hash, reply, contact_ids)
where ${ofOperation} and idempotency.key_hash = fresh.key_hash;`
  const release = `
delete from idempotency
where ${ofOperation} and key_hash in (${released.map(bytes).join()});`
  await client.query(`${kept.length > 0 ? keep : ''}${released.length > 0 ? release : ''}
commit`)
}

const text = (value: string) => pg.escapeLiteral(value)
const bytes = (value: Buffer) => `'\\x${value.toString('hex')}'::bytea`
const time = (value: Date) => `'${value.toISOString()}'::timestamptz`

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
  and claimed_at >= (select coalesce(max(claimed_at), '-infinity')
                     from (select claimed_at
                           from idempotency
                           order by claimed_at desc
                           offset $3::integer limit 1) last)`,
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
