import type { Queryable } from '../db/pool.ts'
import { type Charge, chargeValues, exportsCte, settlementCtes } from './charge-queries.ts'

export interface RevealCharge extends Charge {
  /** Distinct. */
  storeIds: number[]
  /** Distinct, ascending, not empty: reveals are locked in one order by every request. */
  contactIds: number[]
  creditsPeriodStart: Date
  creditsAllowance: number
}

export interface RevealRow {
  contact_id: number
  /** Null for a contact that another request revealed at the same moment, unseen by this statement. */
  revealed_at: Date | null
  is_new: boolean
  /** Used and reserved of either meter, the same in every row. */
  credits_taken: number
  exports_taken: number
}

/**
 * Charges a reveal in one statement: inserts the contacts that are new to the account, marks the stores exported, counts
 * both and writes the ledger. A row for each contact says whether it is new. When a meter would pass its allowance nothing
 * of it happened (`isAllowanceExceeded`).
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
    ],
  })
  return rows
}

const chargeRevealsSql = `
with revealed as (
  insert into reveals (account_id, mode, contact_id, revealed_at)
  select $1::bigint, $2::text, contact_id, $3::timestamptz
  from unnest($8::bigint[]) as contact_id
  on conflict do nothing
  returning contact_id, revealed_at
),
${exportsCte('unnest($7::bigint[]) as store_id')},
spends (meter, period_start, amount, allowance) as (
  values ('contact_credits', $9::timestamptz, (select count(*)::integer from revealed), $10::integer),
         ('store_exports', $5::timestamptz, (select count(*)::integer from exported), $6::integer)
),
${settlementCtes}
select asked.contact_id,
       coalesce(fresh.revealed_at, known.revealed_at) as revealed_at,
       fresh.contact_id is not null as is_new,
       (select taken from balances where meter = 'contact_credits') as credits_taken,
       (select taken from balances where meter = 'store_exports') as exports_taken
from unnest($8::bigint[]) as asked (contact_id)
left join revealed fresh on fresh.contact_id = asked.contact_id
left join reveals known
  on known.account_id = $1::bigint and known.mode = $2::text and known.contact_id = asked.contact_id
    and known.contact_id = any ($8::bigint[])`

/** The same rows for contacts that are revealed already, all of one later moment. */
export async function readReveals(db: Queryable, charge: RevealCharge): Promise<RevealRow[]> {
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
                   and period_start = $5::timestamptz), 0) as exports_taken
from reveals
where account_id = $1::bigint and mode = $2::text and contact_id = any ($3::bigint[])`,
    values: [charge.accountId, charge.mode, charge.contactIds, charge.creditsPeriodStart, charge.periodStart],
  })
  return rows
}
