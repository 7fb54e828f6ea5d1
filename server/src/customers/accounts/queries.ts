import type { Queryable } from '../../foundation/db/pool.ts'
import type { Account, AccountTerms, BillingConflict } from './account.ts'
import type { LimitOverrides, PlanSlug } from './plans.ts'

/** The columns of an account that decide its rights. */
export interface TermsRow {
  plan: PlanSlug
  status: string
  trial_started_at: Date | null
  trial_ends_at: Date | null
  period_anchor: Date
  limits: LimitOverrides
  created_at: Date
  subscription_id: string | null
  has_payment_method: boolean
  plan_in_force: PlanSlug
  trialing: boolean
  access_open: boolean
  suspended_at: Date | null
  closed_at: Date | null
}

export function toAccountTerms(row: TermsRow): AccountTerms {
  return {
    plan: row.plan,
    status: row.status,
    planInForce: row.plan_in_force,
    trialing: row.trialing,
    accessOpen: row.access_open,
    trialStartedAt: row.trial_started_at,
    trialEndsAt: row.trial_ends_at,
    periodAnchor: row.period_anchor,
    limits: row.limits,
    createdAt: row.created_at,
    subscriptionId: row.subscription_id,
    hasPaymentMethod: row.has_payment_method,
    suspendedAt: row.suspended_at,
    closedAt: row.closed_at,
  }
}

/** The columns of an account. */
export interface AccountRow extends TermsRow {
  id: number
  name: string
  email: string | null
  billing: 'monthly' | 'annual' | null
  customer_id: string | null
  cancel_at_period_end: boolean
  current_period_end: Date | null
  billing_problem: BillingConflict | null
}

const accountColumnNames =
  'id name email plan status billing trial_started_at trial_ends_at period_anchor limits created_at plan_in_force trialing access_open customer_id subscription_id cancel_at_period_end current_period_end has_payment_method billing_problem suspended_at closed_at'.split(
    ' ',
  )
const accountColumns = accountColumnNames.join(', ')

/** The columns of an `AccountRow`, for a statement that joins the accounts under this alias. */
export function accountColumnsOf(alias: string): string {
  return accountColumnNames.map((name) => `${alias}.${name}`).join(', ')
}

export function accountOf(row: AccountRow): Account {
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    billing: row.billing,
    customerId: row.customer_id,
    cancelAtPeriodEnd: row.cancel_at_period_end,
    currentPeriodEnd: row.current_period_end,
    billingConflict: row.billing_problem,
    ...toAccountTerms(row),
  }
}

/** The fields that an operator sets; the others are derived or set once. */
export type GrantedTerms = Pick<
  Account,
  'plan' | 'status' | 'billing' | 'trialStartedAt' | 'trialEndsAt' | 'periodAnchor' | 'limits'
>

export async function insertAccount(
  db: Queryable,
  account: GrantedTerms & Pick<Account, 'name' | 'email' | 'createdAt'>,
): Promise<Account> {
  const { rows } = await db.query<AccountRow>(
    `
insert into accounts
  (name, email, plan, status, billing, trial_started_at, trial_ends_at, period_anchor, limits, created_at)
values ($1::text, $2::text, $3::text, $4::text, $5::text, $6::timestamptz, $7::timestamptz, $8::timestamptz, $9::jsonb,
        $10::timestamptz)
returning ${accountColumns}`,
    [
      account.name,
      account.email,
      account.plan,
      account.status,
      account.billing,
      account.trialStartedAt,
      account.trialEndsAt,
      account.periodAnchor,
      JSON.stringify(account.limits),
      account.createdAt,
    ],
  )
  return accountOf(rows[0]!)
}

export async function selectAccount(db: Queryable, id: number): Promise<Account | undefined> {
  const { rows } = await db.query<AccountRow>(`select ${accountColumns} from accounts where id = $1::bigint`, [id])
  return rows[0] && accountOf(rows[0])
}

/** The oldest account with this address; addresses need not be unique. */
export async function selectAccountByEmail(db: Queryable, email: string): Promise<Account | undefined> {
  const { rows } = await db.query<AccountRow>(
    `select ${accountColumns} from accounts where email = $1::text order by id limit 1`,
    [email],
  )
  return rows[0] && accountOf(rows[0])
}

/** Selects an account and locks it until the end of the transaction, so that concurrent changes are both applied. */
export async function lockAccount(db: Queryable, id: number): Promise<Account | undefined> {
  const { rows } = await db.query<AccountRow>(
    `select ${accountColumns} from accounts where id = $1::bigint for no key update`,
    [id],
  )
  return rows[0] && accountOf(rows[0])
}

export async function updateTerms(
  db: Queryable,
  id: number,
  terms: GrantedTerms & Pick<Account, 'subscriptionId'>,
): Promise<Account> {
  const { rows } = await db.query<AccountRow>(
    `
update accounts
set plan = $2::text, status = $3::text, billing = $4::text, trial_started_at = $5::timestamptz,
    trial_ends_at = $6::timestamptz, period_anchor = $7::timestamptz, limits = $8::jsonb, subscription_id = $9::text
where id = $1::bigint
returning ${accountColumns}`,
    [
      id,
      terms.plan,
      terms.status,
      terms.billing,
      terms.trialStartedAt,
      terms.trialEndsAt,
      terms.periodAnchor,
      JSON.stringify(terms.limits),
      terms.subscriptionId,
    ],
  )
  return accountOf(rows[0]!)
}

/** Sets or ends the suspension of an account. */
export async function updateSuspension(db: Queryable, id: number, suspendedAt: Date | null): Promise<Account> {
  const { rows } = await db.query<AccountRow>(
    `update accounts set suspended_at = $2::timestamptz where id = $1::bigint returning ${accountColumns}`,
    [id, suspendedAt],
  )
  return accountOf(rows[0]!)
}
