/** Statements on reserved amounts of meters: taken before the work that spends them, and spent or released by it. */

import type { Client } from '../../foundation/db/pool.ts'
import type { Mode } from '../../foundation/kernel/ids.ts'
import type { Meter } from '../accounts/plans.ts'
import { counterKeySql } from '../auth/budget-queries.ts'
import { leftWithinBudget } from '../auth/budgets.ts'

export interface MeterKey {
  accountId: number
  mode: Mode
  meter: Meter
  periodStart: Date
  /** The key that spends, which is counted too; null for a person. */
  keyId: number | null
}

const keyValues = ({ accountId, mode, meter, periodStart }: MeterKey) => [accountId, mode, meter, periodStart]

const isMeter = `account_id = $1::bigint and mode = $2::text and meter = $3::text and period_start = $4::timestamptz`

// The account's counter is always locked before the key's, so keys need no lock order of their own.
const countedKey = counterKeySql('$2::bigint')
const isKeyMeter = `account_id = $1::bigint and key_id = ${countedKey} and meter = $3::text and period_start = $4::timestamptz`
const keyMeterValues = ({ accountId, keyId, meter, periodStart }: MeterKey) => [accountId, keyId, meter, periodStart]

/**
 * Reserves as much of `wanted` as the allowance and the key's budget leave, and returns that amount. The counters stay locked
 * until the end of the transaction; counters are locked in the order of their names.
 */
export async function reserveAmount(
  client: Client,
  meter: MeterKey,
  { wanted, allowance, budget }: { wanted: number; allowance: number; budget: number | null },
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
  const left = Math.max(0, allowance - rows[0]!.taken)
  const keyTaken = budget === null ? 0 : await readKeyTaken(client, meter)
  const amount = Math.min(wanted, leftWithinBudget(left, budget, keyTaken))
  if (amount === 0) return 0
  await client.query({
    name: 'reserve_amount',
    text: `
update usage_counters set reserved = reserved + $5::integer, allowance = $6::integer
where ${isMeter}`,
    values: [...keyValues(meter), amount, allowance],
  })
  if (meter.keyId !== null)
    await client.query({
      name: 'reserve_of_key',
      text: `
insert into key_counters as k (account_id, key_id, meter, period_start, used, reserved, budget)
select $1::bigint, ${countedKey}, $3::text, $4::timestamptz, 0, $5::integer, $6::integer
on conflict (account_id, key_id, meter, period_start)
do update set reserved = k.reserved + excluded.reserved, budget = excluded.budget`,
      values: [...keyMeterValues(meter), amount, budget],
    })
  return amount
}

async function readKeyTaken(client: Client, meter: MeterKey): Promise<number> {
  const { rows } = await client.query<{ taken: number }>({
    name: 'read_key_taken',
    text: `select used + reserved as taken from key_counters where ${isKeyMeter}`,
    values: keyMeterValues(meter),
  })
  return rows[0]?.taken ?? 0
}

/** Gives a reserved amount back. */
export async function releaseAmount(client: Client, meter: MeterKey, amount: number): Promise<void> {
  if (amount === 0) return
  await client.query({
    name: 'release_amount',
    text: `update usage_counters set reserved = reserved - $5::integer where ${isMeter}`,
    values: [...keyValues(meter), amount],
  })
  if (meter.keyId !== null)
    await client.query({
      name: 'release_of_key',
      // A server of before budgets may have reserved without the key.
      text: `update key_counters set reserved = greatest(reserved - $5::integer, 0) where ${isKeyMeter}`,
      values: [...keyMeterValues(meter), amount],
    })
}
