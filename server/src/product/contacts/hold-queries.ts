/**
 * Locks between what keeps the data of people (replies for an Idempotency-Key, files of exports) and what erases people. What
 * keeps data takes them shared before it reads the contacts. An erasure takes them alone before it deletes what was kept: it then
 * sees all that was kept of its people, and what comes later finds the people gone.
 */
import type { Queryable } from '../../foundation/db/pool.ts'

// An arbitrary fixed number: the first of the lock's two keys, which no other lock has.
const holdNamespace = 1_903_112_041

/**
 * Stores share locks, so that a transaction holds a bounded number of them: the lock table of PostgreSQL has room for 64 per
 * connection (`max_locks_per_transaction`).
 */
const bucketCount = 64

function bucketsOf(storeIds: readonly number[]): number[] {
  return [...new Set(storeIds.map((storeId) => storeId % bucketCount))].sort((a, b) => a - b)
}

/** The locks are taken in ascending order by everybody, so that they cannot deadlock. */
function lockBucketsSql(lock: string, storeIds: readonly number[]): string {
  return `select ${lock}(${holdNamespace}, bucket) from unnest('{${bucketsOf(storeIds).join()}}'::integer[]) as bucket`
}

/**
 * SQL that holds the contacts of the stores until the transaction ends. It must be a statement of its own, before the one that reads
 * the contacts: a statement sees only what was committed before it began, not before it got a lock.
 */
export function holdContactsSql(storeIds: readonly number[]): string {
  return lockBucketsSql('pg_advisory_xact_lock_shared', storeIds)
}

/** Holds the contacts of the stores until the transaction ends; call it before they are read. */
export async function holdContacts(client: Queryable, storeIds: readonly number[]): Promise<void> {
  await client.query(holdContactsSql(storeIds))
}

/** Waits for who holds contacts of the stores, and makes others wait until the transaction ends. */
export async function waitForHolders(client: Queryable, storeIds: readonly number[]): Promise<void> {
  await client.query(lockBucketsSql('pg_advisory_xact_lock', storeIds))
}
