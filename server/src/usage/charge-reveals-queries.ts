import type { Queryable } from '../db/pool.ts'
import { type Charge, chargeValues, exportsCte, settlementCtes } from './charge-queries.ts'

export interface RevealCharge extends Charge {
  /** Distinct. */
  storeIds: number[]
  /** Distinct, not empty, and ascending, so that concurrent reveals cannot deadlock. */
  contactIds: number[]
  creditsPeriodStart: Date
  creditsAllowance: number
}

/** Used and reserved amounts. */
export interface RevealMeters {
  credits_taken: number
  exports_taken: number
  /** Of the key, where it has a budget. */
  key_credits_taken: number
  key_exports_taken: number
}

/** The meters are the same in every row. */
export interface RevealRow extends RevealMeters {
  contact_id: number
  /** Null if a concurrent request revealed the contact after this statement's snapshot. */
  revealed_at: Date | null
  is_new: boolean
}

/**
 * Charges a reveal in one statement: inserts new reveals and exports, counts both and writes the ledger. Returns a row per
 * contact. If a meter would exceed its allowance or the key's budget, the whole statement fails (`isAllowanceExceeded`).
 */
export async function chargeReveals(db: Queryable, charge: RevealCharge): Promise<RevealRow[]> {
  const { rows } = await db.query<RevealRow>({
    name: 'charge_reveals',
    text: chargeRevealsSql,
    values: [
      ...chargeValues(charge),
      charge.storeIds,
      charge.contactIds,
      charge.creditsPeriodStart,
      charge.creditsAllowance,
      charge.budgets.contact_credits,
    ],
  })
  return rows
}

const chargeRevealsSql = `
with revealed as (
  insert into reveals (account_id, mode, contact_id, revealed_at, key_id, person_id)
  select $1::bigint, $2::text, contact_id, $3::timestamptz, $7::bigint, $8::bigint
  from unnest($12::bigint[]) as contact_id
  on conflict do nothing
  returning contact_id, revealed_at
),
${exportsCte('unnest($11::bigint[]) as store_id')},
spends (meter, period_start, amount, allowance, budget) as (
  values ('contact_credits', $13::timestamptz, (select count(*)::integer from revealed), $14::integer, $15::integer),
         ('store_exports', $5::timestamptz, (select count(*)::integer from exported), $6::integer, $10::integer)
),
${settlementCtes}
select requested.contact_id,
       coalesce(fresh.revealed_at, known.revealed_at) as revealed_at,
       fresh.contact_id is not null as is_new,
       (select taken from balances where meter = 'contact_credits') as credits_taken,
       (select taken from balances where meter = 'store_exports') as exports_taken,
       (select key_taken from balances where meter = 'contact_credits') as key_credits_taken,
       (select key_taken from balances where meter = 'store_exports') as key_exports_taken
from unnest($12::bigint[]) as requested (contact_id)
left join revealed fresh on fresh.contact_id = requested.contact_id
left join reveals known
  on known.account_id = $1::bigint and known.mode = $2::text and known.contact_id = requested.contact_id
    and known.contact_id = any ($12::bigint[])`

/** Reads the same rows for contacts that are already revealed. */
export async function readReveals(
  db: Queryable,
  charge: Pick<
    RevealCharge,
    'accountId' | 'mode' | 'contactIds' | 'creditsPeriodStart' | 'periodStart' | 'counterKeyId'
  >,
): Promise<RevealRow[]> {
  const { rows } = await db.query<RevealRow>({
    name: 'read_reveals',
    text: `
select contact_id, revealed_at, false as is_new,
       coalesce((select used + reserved
                 from usage_counters
                 where account_id = $1::bigint and mode = $2::text and meter = 'contact_credits'
                   and period_start = $4::timestamptz), 0) as credits_taken,
       coalesce((select used + reserved
                 from usage_counters
                 where account_id = $1::bigint and mode = $2::text and meter = 'store_exports'
                   and period_start = $5::timestamptz), 0) as exports_taken,
       coalesce((select used + reserved
                 from key_counters
                 where account_id = $1::bigint and key_id = $6::bigint and meter = 'contact_credits'
                   and period_start = $4::timestamptz), 0) as key_credits_taken,
       coalesce((select used + reserved
                 from key_counters
                 where account_id = $1::bigint and key_id = $6::bigint and meter = 'store_exports'
                   and period_start = $5::timestamptz), 0) as key_exports_taken
from reveals
where account_id = $1::bigint and mode = $2::text and contact_id = any ($3::bigint[])`,
    values: [
      ...[charge.accountId, charge.mode, charge.contactIds, charge.creditsPeriodStart, charge.periodStart],
      charge.counterKeyId,
    ],
  })
  return rows
}
