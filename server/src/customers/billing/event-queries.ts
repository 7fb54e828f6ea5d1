import type { Queryable } from '../../foundation/db/pool.ts'

export interface BillingEventRow {
  id: string
  type: string
  received_at: Date
  handled_at: Date | null
  outcome: string | null
}

/** Events of the payment provider before a position, the newest first. */
export async function selectBillingEvents(
  db: Queryable,
  before: { receivedAt: Date; id: string } | null,
  limit: number,
): Promise<BillingEventRow[]> {
  const { rows } = await db.query<BillingEventRow>(
    `
select id, type, received_at, handled_at, outcome
from billing_events
where $1::timestamptz is null or (received_at, id) < ($1::timestamptz, $2::text collate "C")
order by received_at desc, id desc
limit $3::integer`,
    [before?.receivedAt ?? null, before?.id ?? null, limit],
  )
  return rows
}
