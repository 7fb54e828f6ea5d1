import type { Queryable } from '../../foundation/db/pool.ts'
import type { KeyPart } from '../../foundation/kernel/api-key.ts'
import type { Mode } from '../../foundation/kernel/ids.ts'
import type { BudgetColumns, Budgets } from '../auth/budgets.ts'
import type { Scope } from '../auth/caller.ts'

export interface KeyRow extends BudgetColumns {
  id: number
  account_id: number
  mode: Mode
  name: string
  shown_first: string
  shown_last: string
  scopes: Scope[]
  created_at: Date
  expires_at: Date | null
  revoked_at: Date | null
  suspended_at: Date | null
  /** Precise to the hour. */
  last_used_at: Date | null
  /** The key under which its spending is counted: the first of a chain of rotations, else itself. */
  counter_key_id: number
}

const keyColumns = `id, account_id, mode, name, shown_first, shown_last, scopes, created_at, expires_at, revoked_at,
       suspended_at, last_used_at, coalesce(counter_key_id, id) as counter_key_id, budget_contact_credits,
       budget_store_exports, budget_search_rows`

export interface NewKeyRow {
  accountId: number
  mode: Mode
  name: string
  secretHash: Buffer
  shownFirst: string
  shownLast: string
  scopes: readonly Scope[]
  createdAt: Date
  expiresAt: Date | null
  budgets: Budgets
  /** The key under which its spending is counted; null for itself. */
  counterKeyId: number | null
}

/** Inserts a key for an account with API access; undefined, without a key, for another account. */
export async function insertKeyWithAccess(db: Queryable, key: NewKeyRow): Promise<KeyRow | undefined> {
  return insertKey(db, key, (values) => `select ${values} from accounts where id = $1::bigint and access_open`)
}

/** Inserts the replacement of a key in a rotation, whatever the account's access. */
export async function insertReplacementKey(db: Queryable, key: NewKeyRow): Promise<KeyRow> {
  return (await insertKey(db, key, (values) => `values (${values})`))!
}

const newKeyValues = `
  $1::bigint, $2::text, $3::text, $4::bytea, $5::text, $6::text, $7::text[], $8::timestamptz, $9::timestamptz,
  $10::bigint, $11::integer, $12::integer, $13::integer`

async function insertKey(
  db: Queryable,
  key: NewKeyRow,
  source: (values: string) => string,
): Promise<KeyRow | undefined> {
  const { rows } = await db.query<KeyRow>(
    `
insert into api_keys (account_id, mode, name, secret_hash, shown_first, shown_last, scopes, created_at, expires_at,
                      counter_key_id, budget_contact_credits, budget_store_exports, budget_search_rows)
${source(newKeyValues)}
returning ${keyColumns}`,
    [
      key.accountId,
      key.mode,
      key.name,
      key.secretHash,
      key.shownFirst,
      key.shownLast,
      key.scopes,
      key.createdAt,
      key.expiresAt,
      key.counterKeyId,
      key.budgets.contact_credits,
      key.budgets.store_exports,
      key.budgets.search_rows,
    ],
  )
  return rows[0]
}

export async function selectKeysOf(db: Queryable, accountId: number): Promise<KeyRow[]> {
  const { rows } = await db.query<KeyRow>(
    `select ${keyColumns} from api_keys where account_id = $1::bigint order by id`,
    [accountId],
  )
  return rows
}

/** Keys of an account, newest first: all of them, those that are active or suspended, or those that ended. */
export async function selectNewestKeys(
  db: Queryable,
  page: { accountId: number; state: 'usable' | 'ended' | null; now: Date; before: number | null; limit: number },
): Promise<KeyRow[]> {
  const { rows } = await db.query<KeyRow>(
    `
select ${keyColumns}
from api_keys
where account_id = $1::bigint and id < coalesce($4::bigint, ${Number.MAX_SAFE_INTEGER})
  and ($2::text is null
       or ($2::text = 'ended') = (revoked_at is not null or coalesce(expires_at <= $3::timestamptz, false)))
order by id desc
limit $5::integer`,
    [page.accountId, page.state, page.now, page.before, page.limit],
  )
  return rows
}

export async function selectKeyByHash(db: Queryable, secretHash: Buffer): Promise<KeyRow | undefined> {
  const { rows } = await db.query<KeyRow>(`select ${keyColumns} from api_keys where secret_hash = $1::bytea`, [
    secretHash,
  ])
  return rows[0]
}

/** Selects the newest keys whose stored characters fit. */
export async function selectKeysByShownPart(
  db: Queryable,
  { mode, first, last }: KeyPart,
  limit: number,
): Promise<KeyRow[]> {
  const { rows } = await db.query<KeyRow>(
    `
select ${keyColumns}
from api_keys
where ($1::text is null or mode = $1::text)
  and starts_with(shown_first, $2::text) and ($3::text = '' or shown_last = $3::text)
order by id desc
limit $4::integer`,
    [mode, first, last, limit],
  )
  return rows
}

export async function selectKey(db: Queryable, id: number): Promise<KeyRow | undefined> {
  const { rows } = await db.query<KeyRow>(`select ${keyColumns} from api_keys where id = $1::bigint`, [id])
  return rows[0]
}

/**
 * Selects a key and locks it until the end of the transaction, so that changes of a key are serialized. Locks the key that it
 * is counted under before: rotations and changes of budgets, which concern all keys of a chain, come one after the other.
 */
export async function lockKey(db: Queryable, id: number): Promise<KeyRow | undefined> {
  const { rows } = await db.query<KeyRow>(
    `
select ${keyColumns}
from api_keys
where id in ($1::bigint, (select counter_key_id from api_keys where id = $1::bigint))
order by api_keys.id
for no key update`,
    [id],
  )
  return rows.find((row) => row.id === id)
}

export type KeyEndDates = Pick<KeyRow, 'expires_at' | 'revoked_at' | 'suspended_at'>

export async function updateKeyEndDates(db: Queryable, id: number, ends: KeyEndDates): Promise<KeyRow> {
  const { rows } = await db.query<KeyRow>(
    `
update api_keys
set expires_at = $2::timestamptz, revoked_at = $3::timestamptz, suspended_at = $4::timestamptz
where id = $1::bigint
returning ${keyColumns}`,
    [id, ends.expires_at, ends.revoked_at, ends.suspended_at],
  )
  return rows[0]!
}

/** Sets the scopes of a key. Undefined, without a change, if it would gain a scope and its account has no API access. */
export async function updateScopes(db: Queryable, id: number, scopes: readonly Scope[]): Promise<KeyRow | undefined> {
  const { rows } = await db.query<KeyRow>(
    `
update api_keys
set scopes = $2::text[]
where id = $1::bigint
  and (scopes @> $2::text[] or exists (select 1 from accounts a where a.id = api_keys.account_id and a.access_open))
returning ${keyColumns}`,
    [id, scopes],
  )
  return rows[0]
}

/** Sets the budgets of a key, and of those it shares its counters with. The caller has locked the key. */
export async function updateBudgets(db: Queryable, key: KeyRow, budgets: Budgets): Promise<void> {
  await db.query(
    `
update api_keys
set budget_contact_credits = $3::integer, budget_store_exports = $4::integer, budget_search_rows = $5::integer
where account_id = $1::bigint and $2::bigint in (id, counter_key_id)`,
    [key.account_id, key.counter_key_id, budgets.contact_credits, budgets.store_exports, budgets.search_rows],
  )
}

/** How many keys of an account are active or suspended. */
export async function countUsableKeys(db: Queryable, accountId: number, now: Date): Promise<number> {
  const { rows } = await db.query<{ usable: number }>(
    `
select count(*) as usable
from api_keys
where account_id = $1::bigint and revoked_at is null and (expires_at is null or expires_at > $2::timestamptz)`,
    [accountId, now],
  )
  return rows[0]!.usable
}

/** Whether a user of the console revoked a key, and not the command line: the audit log tells. */
export async function wasRevokedByUser(
  db: Queryable,
  key: { accountId: number; publicId: string; revokedAt: Date },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `
select 1 from audit_log
where account_id = $1::bigint and person_id is not null and action = 'key.revoked' and target = $2::text
  and at = $3::timestamptz`,
    [key.accountId, key.publicId, key.revokedAt],
  )
  return rowCount !== 0
}

/** Revokes all keys of an account; returns how many. */
export async function revokeKeysOf(db: Queryable, accountId: number, now: Date): Promise<number> {
  const { rowCount } = await db.query(
    'update api_keys set revoked_at = $2::timestamptz where account_id = $1::bigint and revoked_at is null',
    [accountId, now],
  )
  return rowCount ?? 0
}
