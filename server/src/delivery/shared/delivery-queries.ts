/**
 * What the statements have in common that admit, fetch and charge for several requests of an account at once. They are made of
 * the parts in `usage/batch/batch-queries.ts`.
 */

import type { Queryable } from '../../db/pool.ts'
import type { AdmissionOutcome } from '../../usage/batch/batch-outcome.ts'
import {
  admissionColumns,
  admittedCtes,
  amountOfOne,
  arrayLiteral,
  type BatchCharge,
  type BatchTexts,
  batchExportsCte,
  batchSettlementCtes,
  batchValues,
  exportAmounts,
  flushOnlyCharges,
  freeSettlementCtes,
  statementFor,
  takenColumns,
  textsFor,
} from '../../usage/batch/batch-queries.ts'
import { catalogueVersionSql } from './document-cache-queries.ts'

/** A batch of deliveries; its arrays have a value for each request. */
export interface SharedDelivery extends BatchCharge {
  searchRowsAllowance: number
  /** The limits of searches, which must fit into the rows left; 0 for others. */
  rowsAsked: readonly number[]
  rowsBudgets: readonly (number | null)[]
  /** Rows whose documents are known, and whose stores are known to be exported: they are only counted. */
  knownRows: readonly number[]
  /** The version of the catalogue that known documents are of; null when none is used. */
  catalogueVersion: string | null
}

/** Parameters $1 to $26. */
export function sharedDeliveryValues(delivery: SharedDelivery): unknown[] {
  return [
    ...batchValues(delivery),
    delivery.searchRowsAllowance,
    arrayLiteral(delivery.rowsAsked),
    arrayLiteral(delivery.rowsBudgets),
    arrayLiteral(delivery.knownRows),
    delivery.catalogueVersion,
  ]
}

/** The outcome of a batch. */
export interface DeliveryOutcome extends AdmissionOutcome {
  /** The version of the catalogue. */
  version: string
  rows_taken: number
  exports_taken: number
  /** Of each request, separated by commas. */
  rows: string
  exports: string
  /** Of keys with a budget: `key taken`, separated by commas; null for none. */
  key_rows_taken: string | null
  key_exports_taken: string | null
  /** Of hosts: `store host`; of contacts: those that are revealed. Separated by commas; null for none. */
  listed: string | null
}

/** Something that was fetched: a document by its store; a person's part of a preview by its contact, with the store's part. */
interface FetchedItem {
  item_id: number
  item: string
  store: string | null
}

export interface SharedDeliveryReply {
  outcome: DeliveryOutcome
  fetched: FetchedItem[]
}

export interface SharedDeliveryParts {
  /**
   * CTE for `items (request, store_id, is_exported)`; parameters of its own begin at $27. Null if everything is known: then
   * nothing is exported, and only `known_rows` are counted.
   */
  items: string | null
  /** CTEs for `fetched (item_id, item, store)`, before the items; null if nothing is fetched. */
  fetched: string | null
  /** Whether each item counts as a search row. */
  countsRows: boolean
  /** CTE and expression of `listed`. */
  listed?: { cte: string; column: string }
}

/** SQL condition: whether the limits of all searches fit into the rows left, of the account and of keys with a budget. */
const hasRowsLeft = `
      (select sum(rows_asked) from batch) <= $22::integer - coalesce((
        select u.used + u.reserved
        from usage_counters u
        where u.account_id = $1::bigint and u.mode = $2::text and u.meter = 'search_rows'
          and u.period_start = $15::timestamptz), 0)
      and not exists (
        select 1 from batch b
        left join key_counters k
          on k.account_id = $1::bigint and k.key_id = b.counter_key_id and k.meter = 'search_rows'
            and k.period_start = $15::timestamptz
        where b.rows_budget is not null
        group by b.counter_key_id
        having sum(b.rows_asked) > max(b.rows_budget) - coalesce(max(k.used + k.reserved), 0))`

const requestColumns = {
  '$23::integer[]': 'rows_asked',
  '$24::integer[]': 'rows_budget',
  '$25::integer[]': 'known_rows',
}

export function sharedDeliverySql(
  { items, fetched, countsRows, listed }: SharedDeliveryParts,
  isAlone: boolean,
): string {
  const condition = `($26::text is null or (select version from catalogue) = $26::text)${countsRows ? ` and ${hasRowsLeft}` : ''}`
  const rows = isAlone
    ? amountOfOne('items')
    : '(select request, count(*)::integer as amount from items group by request)'
  const own = [listed?.cte, fetched, items, items && exportsCtes].filter((cte) => cte).map((cte) => `${cte},`)
  return `
with catalogue as materialized (
  select ${catalogueVersionSql} as version
),
${admittedCtes(requestColumns, condition)},
${own.join('\n')}
spends as materialized (
  select b.request, 'search_rows' as meter, $15::timestamptz as period_start,
         b.known_rows + ${items && countsRows ? 'coalesce(i.amount, 0)' : '0'} as amount, $22::integer as allowance, b.rows_budget as budget
  from batch b
  cross join admitted${items && countsRows ? `\n  left join ${rows} i on i.request = b.request` : ''}
  union all
  select b.request, 'store_exports', $15::timestamptz, ${items ? 'coalesce(e.amount, 0)' : '0'}, $16::integer, b.exports_budget
  from batch b
  cross join admitted${items ? `\n  left join ${exportAmounts(isAlone)} e on e.request = b.request` : ''}
),
${items || countsRows ? batchSettlementCtes : freeSettlementCtes}
select ${admissionColumns}, c.version,
       (select string_agg(amount::text, ',' order by request) from spends where meter = 'search_rows') as rows,
       (select string_agg(amount::text, ',' order by request) from spends where meter = 'store_exports') as exports,
       ${takenColumns('rows', 'search_rows')}, ${takenColumns('exports', 'store_exports')},
       ${listed?.column ?? 'null::text'} as listed, ${flushOnlyCharges},
       null::bigint as item_id, null::text as item, null::text as store
from standing s
cross join catalogue c
left join admitted a on true${fetched ? fetchedRows : ''}`
}

export function deliveryTexts(parts: SharedDeliveryParts): BatchTexts {
  return textsFor((isAlone) => sharedDeliverySql(parts, isAlone))
}

const exportsCtes = `
export_firsts as materialized (
  select store_id, min(request) as request
  from items
  where not is_exported
  group by store_id
),
${batchExportsCte}`

const fetchedRows = `
union all
select null, null, null, null, null, null, null, null, null, null, null, null, null, null, item_id, item, store
from fetched
cross join admitted`

/** Sends a statement of `sharedDeliverySql`. */
export async function send(
  db: Queryable,
  statement: { name: string; text: string },
  values: unknown[],
): Promise<SharedDeliveryReply> {
  const { rows } = await db.query<DeliveryOutcome & FetchedItem>({ values, ...statement })
  // One row has no item: the outcome. PostgreSQL sends it first, but does not promise to.
  const at = rows[0]!.item_id === null ? 0 : rows.findIndex((row) => row.item_id === null)
  const [outcome] = rows.splice(at, 1)
  return { outcome: outcome!, fetched: rows }
}

/** Stores whose documents are known and whose exports are not, as parallel arrays. */
export interface RequestedStores {
  /** The number of its request, from 1. */
  requests: number[]
  storeIds: number[]
}

/** Their parameters. */
export function requestedStoresValues({ requests, storeIds }: RequestedStores): string[] {
  return [arrayLiteral(requests), arrayLiteral(storeIds)]
}

const knownItems = `
items as materialized (
  select request, store_id, false as is_exported
  from unnest($27::integer[], $28::bigint[]) as r (request, store_id)
)`
const exportKnownSql = {
  stores: deliveryTexts({ items: knownItems, fetched: null, countsRows: true }),
  hosts: deliveryTexts({ items: knownItems, fetched: null, countsRows: false }),
}

/** Admits searches for stores, or lookups and enrichments, whose stores have known documents; charges exports, and rows of searches. */
export function exportKnown(
  db: Queryable,
  kind: keyof typeof exportKnownSql,
  delivery: SharedDelivery,
  stores: RequestedStores,
): Promise<SharedDeliveryReply> {
  return send(db, statementFor(`export_known_${kind}`, exportKnownSql[kind], delivery), [
    ...sharedDeliveryValues(delivery),
    ...requestedStoresValues(stores),
  ])
}
