/** Statements on reserved amounts of meters: taken before the work that spends them, and spent or released by it. */
import type { Meter } from '../accounts/plans.ts'
import type { Client } from '../db/pool.ts'
import type { Mode } from '../kernel/ids.ts'
import type { Spender } from './charge-queries.ts'

export interface MeterKey {
  accountId: number
  mode: Mode
  meter: Meter
  periodStart: Date
}

const keyValues = ({ accountId, mode, meter, periodStart }: MeterKey) => [accountId, mode, meter, periodStart]

const isMeter = `account_id = $1::bigint and mode = $2::text and meter = $3::text and period_start = $4::timestamptz`

/**
 * Reserves as much of `wanted` as the allowance leaves, and returns that amount. The counter stays locked until the end of
 * the transaction; counters are locked in the order of their names.
 */
export async function reserveAmount(
  client: Client,
  meter: MeterKey,
  { wanted, allowance }: { wanted: number; allowance: number },
): Promise<number> {
  if (wanted <= 0 || allowance <= 0) return 0
  await client.query({
    name: 'create_counter',
    text: `
insert into usage_counters (account_id, mode, meter, period_start, used, allowance)
values ($1::bigint, $2::text, $3::text, $4::timestamptz, 0, $5::integer)
on conflict do nothing`,
    values: [...keyValues(meter), allowance],
  })
  const { rows } = await client.query<{ taken: number }>({
    name: 'lock_counter',
    text: `select used + reserved as taken from usage_counters where ${isMeter} for no key update`,
    values: keyValues(meter),
  })
  const amount = Math.min(wanted, Math.max(0, allowance - rows[0]!.taken))
  if (amount === 0) return 0
  await client.query({
    name: 'reserve_amount',
    text: `
update usage_counters set reserved = reserved + $5::integer, allowance = $6::integer
where ${isMeter}`,
    values: [...keyValues(meter), amount, allowance],
  })
  return amount
}

/** Gives a reserved amount back. */
export async function releaseAmount(client: Client, meter: MeterKey, amount: number): Promise<void> {
  if (amount === 0) return
  await client.query({
    name: 'release_amount',
    text: `update usage_counters set reserved = reserved - $5::integer where ${isMeter}`,
    values: [...keyValues(meter), amount],
  })
}

/**
 * Spends a reserved amount: it becomes used, with an entry of the ledger. The allowance is not consulted again: what was
 * reserved was promised.
 */
export async function spendReserved(
  client: Client,
  meter: MeterKey,
  { amount, requestId, now, keyId, personId }: Spender & { amount: number; requestId: string; now: Date },
): Promise<void> {
  if (amount === 0) return
  const { rowCount } = await client.query({
    name: 'spend_reserved',
    text: `
with spent as (
  update usage_counters set used = used + $5::integer, reserved = reserved - $5::integer
  where ${isMeter}
  returning account_id
)
insert into ledger (account_id, mode, meter, period_start, amount, request_id, spent_at, key_id, person_id)
select $1::bigint, $2::text, $3::text, $4::timestamptz, $5::integer, $6::text, $7::timestamptz, $8::bigint, $9::bigint
from spent`,
    values: [...keyValues(meter), amount, requestId, now, keyId, personId],
  })
  if (rowCount !== 1) throw new Error(`nothing is reserved of ${meter.meter}`)
}
