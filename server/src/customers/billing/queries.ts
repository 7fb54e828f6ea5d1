import type { Queryable } from '../../foundation/db/pool.ts'
import type { Scope } from '../auth/caller.ts'
import type { SubscriptionState } from './subscription-state.ts'

/** Serializes syncs of one account until the end of the transaction, without locking its row. */
export async function lockBillingOfAccount(db: Queryable, accountId: number): Promise<void> {
  await db.query(`select pg_advisory_xact_lock(hashtextextended('billing of account ' || $1::bigint, 0))`, [accountId])
}

export async function selectCustomerId(db: Queryable, accountId: number): Promise<string | null> {
  const { rows } = await db.query<{ customer_id: string | null }>(
    'select customer_id from accounts where id = $1::bigint',
    [accountId],
  )
  return rows[0]?.customer_id ?? null
}

export interface TrialLinkKeyRow {
  account_id: number
  scopes: Scope[]
  expires_at: Date | null
  revoked_at: Date | null
  suspended_at: Date | null
}

/** The columns of an API key that decide what its trial link may do. */
export async function selectTrialLinkKey(db: Queryable, keyId: number): Promise<TrialLinkKeyRow | undefined> {
  const { rows } = await db.query<TrialLinkKeyRow>({
    name: 'select_trial_key',
    text: 'select account_id, scopes, expires_at, revoked_at, suspended_at from api_keys where id = $1::bigint',
    values: [keyId],
  })
  return rows[0]
}

export async function selectAccountIdByCustomer(db: Queryable, customerId: string): Promise<number | null> {
  const { rows } = await db.query<{ id: number }>('select id from accounts where customer_id = $1::text', [customerId])
  return rows[0]?.id ?? null
}

/** Ids of accounts with a customer, in ascending order, greater than `afterId`. */
export async function selectAccountIdsWithCustomer(db: Queryable, afterId: number, limit: number): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>(
    'select id from accounts where customer_id is not null and id > $1::bigint order by id limit $2::integer',
    [afterId, limit],
  )
  return rows.map(({ id }) => id)
}

export async function updateSubscriptionState(
  db: Queryable,
  accountId: number,
  state: SubscriptionState,
  readAt: Date,
): Promise<void> {
  await db.query(
    `
update accounts
set plan = $2::text, billing = $3::text, status = $4::text, trial_started_at = $5::timestamptz,
    trial_ends_at = $6::timestamptz, period_anchor = $7::timestamptz, subscription_id = $8::text,
    cancel_at_period_end = $9::boolean, current_period_end = $10::timestamptz, has_payment_method = $11::boolean,
    billing_problem = $12::text, provider_read_at = $13::timestamptz
where id = $1::bigint`,
    [
      accountId,
      state.plan,
      state.billing,
      state.status,
      state.trialStartedAt,
      state.trialEndsAt,
      state.periodAnchor,
      state.subscriptionId,
      state.cancelAtPeriodEnd,
      state.currentPeriodEnd,
      state.hasPaymentMethod,
      state.billingConflict,
      readAt,
    ],
  )
}

/** Stores an event if it is new; returns whether it was handled before. */
export async function recordBillingEvent(
  db: Queryable,
  event: { id: string; type: string },
  receivedAt: Date,
): Promise<{ isHandled: boolean }> {
  const { rows } = await db.query<{ is_handled: boolean }>(
    `
insert into billing_events (id, type, received_at) values ($1::text, $2::text, $3::timestamptz)
on conflict (id) do update set type = billing_events.type
returning handled_at is not null as is_handled`,
    [event.id, event.type, receivedAt],
  )
  return { isHandled: rows[0]!.is_handled }
}

/** `other_mode`: an event of Stripe's live mode reached a service with a test key, or the reverse. */
export type BillingEventOutcome = 'synced' | 'unknown_account' | 'unknown_type' | 'other_mode'

export async function updateBillingEventOutcome(
  db: Queryable,
  id: string,
  outcome: BillingEventOutcome,
  handledAt: Date,
): Promise<void> {
  await db.query(
    'update billing_events set handled_at = $3::timestamptz, outcome = $2::text where id = $1::text and handled_at is null',
    [id, outcome, handledAt],
  )
}

/** Deletes events received before `from` or after `to`; the latter were dated by a clock that ran ahead. */
export async function deleteBillingEventsOutside(db: Queryable, { from, to }: { from: Date; to: Date }): Promise<void> {
  await db.query('delete from billing_events where received_at < $1::timestamptz or received_at > $2::timestamptz', [
    from,
    to,
  ])
}

// Any fixed number that differs from the advisory locks of the database layer.
const reconciliationLock = 7_305_111_203

/** Takes the session-level lock of the reconciliation; false if another session holds it. */
export async function tryLockReconciliation(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ is_ours: boolean }>('select pg_try_advisory_lock($1::bigint) as is_ours', [
    reconciliationLock,
  ])
  return rows[0]!.is_ours
}

/**
 * Sets an account's customer if it is still `replaced` (null: none yet); of concurrent calls the first wins. Returns the
 * customer that the account has now.
 */
export async function setCustomerIfUnchanged(
  db: Queryable,
  accountId: number,
  customerId: string,
  replaced: string | null,
): Promise<string> {
  const { rows } = await db.query<{ customer_id: string }>(
    `update accounts
     set customer_id = case when customer_id is not distinct from $3::text then $2::text else customer_id end
     where id = $1::bigint
     returning customer_id`,
    [accountId, customerId, replaced],
  )
  return rows[0]!.customer_id
}
