/** Statements that read the history of a store, newest first. */
import type { Queryable } from '../db/pool.ts'
import type { Mode } from '../kernel/ids.ts'
import { type DeliveryCharge, type MetersTaken, pickMeters } from '../usage/charge-queries.ts'
import { deliveryStatements } from './queries.ts'
import type { StoreChangeRow } from './store-history.ts'

/** The last change that was read. */
interface ChangePosition {
  batch: number
  field: number
}

export interface HistoryQuery {
  /** The store's domain or an alias. */
  host: string
  after: ChangePosition | null
  limit: number
}

export interface DeliveredHistory extends MetersTaken {
  /** Whether a store has the host. */
  isKnown: boolean
  changes: StoreChangeRow[]
}

/** SQL for the changes of the stores in `found`; its parameters begin at the given number. */
const changesOf = (found: string, first: number) => `
select c.batch, c.field, c.at, c.before, c.after, c.added, c.removed
from store_changes c
where c.store_id = ${found} and (c.batch, c.field) < ($${first}::bigint, $${first + 1}::smallint)
order by c.batch desc, c.field desc
limit $${first + 2}::integer`

// A comparison of rows is a bound of the index; the first page begins at the highest possible batch.
const positionValues = ({ after, limit }: HistoryQuery) => [
  after?.batch ?? Number.MAX_SAFE_INTEGER,
  after?.field ?? 0,
  limit,
]

const chargedHistory = deliveryStatements('history', {
  delivered: `
  select d.store_id
  from store_domains d
  where d.mode = $2::text and d.host = $13::text`,
  ownParameters: 4,
  rowId: 'store_id',
  countsRows: false,
  answer: `
select meters.*, exists (select 1 from delivered) as is_known, c.*
from meters
left join (${changesOf('(select store_id from delivered)', 14)}) c on true
order by c.batch desc, c.field desc`,
})

type ChargedRow = MetersTaken & { is_known: boolean } & (StoreChangeRow | { batch: null })

/** Reads a page of the history of the store with the host, and charges the store as an export or, when viewed, a row. */
export async function deliverHistory(
  db: Queryable,
  charge: DeliveryCharge,
  query: HistoryQuery,
): Promise<DeliveredHistory> {
  const { rows } = await db.query<ChargedRow>(chargedHistory(charge, [query.host, ...positionValues(query)]))
  const [first] = rows
  return { ...pickMeters(first!), isKnown: first!.is_known, changes: rows.filter((row) => row.batch !== null) }
}

/** Reads a page of the history of a store that was paid for. */
export async function selectHistory(db: Queryable, mode: Mode, query: HistoryQuery): Promise<StoreChangeRow[]> {
  const { rows } = await db.query<StoreChangeRow>({
    name: 'select_history',
    text: changesOf('(select d.store_id from store_domains d where d.mode = $1::text and d.host = $2::text)', 3),
    values: [mode, query.host, ...positionValues(query)],
  })
  return rows
}
