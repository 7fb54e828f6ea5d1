/** Statements that read the history of a store, newest first. */
import type { Queryable } from '../../foundation/db/pool.ts'
import type { Mode } from '../../foundation/kernel/ids.ts'
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

/** Reads a page of the history of a store that was paid for. */
export async function selectHistory(db: Queryable, mode: Mode, query: HistoryQuery): Promise<StoreChangeRow[]> {
  const { rows } = await db.query<StoreChangeRow>({
    name: 'select_history',
    text: changesOf('(select d.store_id from store_domains d where d.mode = $1::text and d.host = $2::text)', 3),
    values: [mode, query.host, ...positionValues(query)],
  })
  return rows
}
