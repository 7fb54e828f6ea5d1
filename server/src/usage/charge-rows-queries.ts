/** The charge of rows that a transaction names to the caller: search rows, and for a person the rows of the hour. */
import { isWindowOpenSql } from '../auth/queries.ts'
import type { Client } from '../db/pool.ts'
import { type DeliveryCharge, deliveryValues, type MetersTaken, metersCte, settlementCtes } from './charge-queries.ts'
import { viewedRowsAllowance } from './viewing/view-queries.ts'

const isOpen = isWindowOpenSql('w.started_at', '$3::timestamptz', '1 hour')

/**
 * Counts rows for the account, the key and the person, and writes the ledger. If one of them would exceed its allowance, a
 * check constraint fails the statement and with it the transaction (`isAllowanceExceeded`, `isViewingExceeded`).
 */
export async function spendRows(client: Client, charge: DeliveryCharge, rowCount: number): Promise<MetersTaken> {
  const { rows } = await client.query<MetersTaken>({
    name: 'spend_rows',
    text: `
with spends (meter, period_start, amount, allowance, budget) as (
  values ('search_rows', $5::timestamptz, $13::integer, $11::integer, $12::integer),
         ('store_exports', $5::timestamptz, 0, $6::integer, $10::integer)
),
${settlementCtes},
-- The join makes the counters come first, in the order of a view (\`viewSql\`).
viewed as (
  insert into person_windows as w (person_id, started_at, rows_viewed, allowance)
  select $8::bigint, $3::timestamptz, s.amount, ${viewedRowsAllowance}
  from spends s
  join counted c on c.meter = s.meter
  where $8::bigint is not null
  on conflict (person_id) do update set
    started_at  = case when ${isOpen} then w.started_at else excluded.started_at end,
    rows_viewed = case when ${isOpen} then w.rows_viewed + excluded.rows_viewed else excluded.rows_viewed end,
    allowance   = excluded.allowance
),
${metersCte()}
select * from meters`,
    values: [...deliveryValues(charge), rowCount],
  })
  return rows[0]!
}
