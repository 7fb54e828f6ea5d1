import type { Queryable } from '../../db/pool.ts'
import type { AdmissionOutcome } from './batch-outcome.ts'
import {
  admissionColumns,
  admittedCtes,
  amountOfOne,
  amountsOf,
  arrayLiteral,
  type BatchCharge,
  batchExportsCte,
  batchSettlementCtes,
  batchValues,
  exportAmounts,
  flushOnlyCharges,
  keyOf,
  spentAtOf,
  statementFor,
  takenColumns,
  textsFor,
} from './batch-queries.ts'

/** A batch of reveals. */
export interface SharedRevealCharge extends BatchCharge {
  creditsPeriodStart: Date
  creditsAllowance: number
  /** Of each request. */
  creditsBudgets: readonly (number | null)[]
  /** The contacts of all requests, each once, and the number of the first request that asks for it, from 1. */
  contactIds: readonly number[]
  contactRequests: readonly number[]
  /** The stores that are not known to be exported, likewise. */
  storeIds: readonly number[]
  storeRequests: readonly number[]
}

/** The outcome of a batch. */
export interface SharedRevealOutcome extends AdmissionOutcome {
  credits_taken: number
  exports_taken: number
  /** Contacts that are new to the account, separated by commas; null for none. */
  revealed: string | null
  /** Contacts that it had: `contact milliseconds`, separated by commas; null for none. */
  known: string | null
  /** Stores that are new in the period, separated by commas; null for none. */
  exported: string | null
  /** Of keys with a budget: `key taken`, separated by commas; null for none. */
  key_credits_taken: string | null
  key_exports_taken: string | null
}

/**
 * Admits reveals, inserts new reveals and exports, counts both and writes the ledger, in one statement for several requests. If
 * the replies are kept, the commit is always flushed to disk, and otherwise only if something is charged.
 */
export async function chargeSharedReveals(
  db: Queryable,
  charge: SharedRevealCharge,
  { isKept }: { isKept: boolean },
): Promise<SharedRevealOutcome> {
  const { rows } = await db.query<SharedRevealOutcome>({
    ...(isKept
      ? statementFor('charge_kept_reveals', keptRevealsSql, charge)
      : statementFor('charge_shared_reveals', sharedRevealsSql, charge)),
    values: [
      ...batchValues(charge),
      charge.creditsPeriodStart,
      charge.creditsAllowance,
      arrayLiteral(charge.creditsBudgets),
      arrayLiteral(charge.contactIds),
      arrayLiteral(charge.contactRequests),
      arrayLiteral(charge.storeIds),
      arrayLiteral(charge.storeRequests),
    ],
  })
  return rows[0]!
}

function chargeSql(isAlone: boolean, furtherColumns: string): string {
  const credits = isAlone ? amountOfOne('revealed') : amountsOf('asked', 'contact_id', 'revealed')
  return `
with ${admittedCtes({ '$24::integer[]': 'credits_budget' })},
asked as (
  select contact_id, request
  from unnest($25::bigint[], $26::integer[]) as each (contact_id, request)
),
revealed as (
  -- In ascending order, so that concurrent reveals cannot deadlock.
  insert into reveals (account_id, mode, contact_id, revealed_at, key_id, person_id)
  select $1::bigint, $2::text, k.contact_id, ${spentAtOf('k.request')}, ${keyOf('k.request')}, null
  from asked k
  cross join admitted
  order by k.contact_id
  on conflict do nothing
  returning contact_id
),
export_firsts as (
  select store_id, request
  from unnest($27::bigint[], $28::integer[]) as each (store_id, request)
),
${batchExportsCte},
spends as materialized (
  select b.request, 'contact_credits' as meter, $22::timestamptz as period_start, coalesce(amount, 0) as amount,
         $23::integer as allowance, b.credits_budget as budget
  from batch b
  cross join admitted
  left join ${credits} amounts on amounts.request = b.request
  union all
  select b.request, 'store_exports', $15::timestamptz, coalesce(amount, 0), $16::integer, b.exports_budget
  from batch b
  cross join admitted
  left join ${exportAmounts(isAlone)} amounts on amounts.request = b.request
),
${batchSettlementCtes},
known as (
  select contact_id, revealed_at
  from reveals
  where account_id = $1::bigint and mode = $2::text and contact_id = any ($25::bigint[])
)
select ${admissionColumns},
       (select string_agg(contact_id::text, ',') from revealed) as revealed,
       (select string_agg(contact_id || ' ' || (extract(epoch from revealed_at) * 1000)::bigint, ',') from known) as known,
       (select string_agg(store_id::text, ',') from exported) as exported,
       ${takenColumns('credits', 'contact_credits')}, ${takenColumns('exports', 'store_exports')}${furtherColumns}
from standing s
left join admitted a on true`
}

const sharedRevealsSql = textsFor((isAlone) => chargeSql(isAlone, `, ${flushOnlyCharges}`))
const keptRevealsSql = textsFor((isAlone) => chargeSql(isAlone, ''))
