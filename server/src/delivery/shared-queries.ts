/** The statements that admit, fetch and charge for several requests of an account at once: `usage/batch/batch-queries.ts`. */

import { contactsPerStore } from '@storedex/search-index'
import type { Queryable } from '../db/pool.ts'
import { servedDocument } from '../search/postgres/statements.ts'
import type { DeliverEmails } from '../search/query/vocabulary.ts'
import type { AdmissionOutcome } from '../usage/batch/batch-outcome.ts'
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
} from '../usage/batch/batch-queries.ts'
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
function deliveryValues(delivery: SharedDelivery): unknown[] {
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
  /** Of hosts: `store host`, separated by commas; null for none. */
  resolved: string | null
}

/** Something that was fetched: a document by its store, a preview by its contact. */
interface FetchedItem {
  item_id: number
  item: string
}

export interface SharedDeliveryReply {
  outcome: DeliveryOutcome
  fetched: FetchedItem[]
}

interface SharedDeliveryParts {
  /**
   * CTEs for `fetched (item_id, item)` and `items (request, store_id, is_exported)`; their own parameters begin at $27. Null if
   * everything is known: then nothing is fetched or exported, and only `known_rows` are counted.
   */
  items: string | null
  /** Whether each item counts as a search row. */
  countsRows: boolean
  /** `store host` of what hosts lead to. */
  resolved?: string
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

function sharedDeliverySql(
  { items, countsRows, resolved = 'null::text' }: SharedDeliveryParts,
  isAlone: boolean,
): string {
  const condition = `($26::text is null or (select version from catalogue) = $26::text)${countsRows ? ` and ${hasRowsLeft}` : ''}`
  const rows = isAlone
    ? amountOfOne('items')
    : '(select request, count(*)::integer as amount from items group by request)'
  return `
with catalogue as materialized (
  select ${catalogueVersionSql} as version
),
${admittedCtes(requestColumns, condition)},
${items ? `${items},\n${exportsCtes},` : ''}
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
       ${resolved} as resolved, ${flushOnlyCharges},
       null::bigint as item_id, null::text as item
from standing s
cross join catalogue c
left join admitted a on true${items ? fetchedRows : ''}`
}

function deliveryTexts(parts: SharedDeliveryParts): BatchTexts {
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
select null, null, null, null, null, null, null, null, null, null, null, null, null, null, item_id, item
from fetched
cross join admitted`

async function send(
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

/** Admits searches whose stores are all known, and charges their rows. */
export function chargeKnownStores(db: Queryable, delivery: SharedDelivery): Promise<SharedDeliveryReply> {
  return send(db, { name: 'charge_known_stores', text: knownStoresSql }, deliveryValues(delivery))
}

const knownStoresSql = sharedDeliverySql({ items: null, countsRows: true }, false)

/** Admits lookups and enrichments whose stores are all known: they cost nothing. */
export function admitKnownHosts(db: Queryable, delivery: SharedDelivery): Promise<SharedDeliveryReply> {
  return send(db, { name: 'admit_known_hosts', text: knownHostsSql }, deliveryValues(delivery))
}

const knownHostsSql = sharedDeliverySql({ items: null, countsRows: false }, false)

/** The stores of searches, as two parallel arrays; those that are only counted (`knownRows`) are not among them. */
export interface SharedStores {
  /** The number of its request, from 1. */
  requests: number[]
  storeIds: number[]
  exportedIds: number[]
  /** Those whose documents are not known, each once. */
  fetchIds: number[]
}

/** Admits searches for stores, fetches the documents of those that exist, and charges rows and exports. */
export function deliverSharedStores(
  db: Queryable,
  delivery: SharedDelivery,
  stores: SharedStores,
  deliverEmails: DeliverEmails,
): Promise<SharedDeliveryReply> {
  return send(db, statementFor('deliver_shared_stores', sharedStoresSql, delivery), [
    ...deliveryValues(delivery),
    arrayLiteral(stores.requests),
    arrayLiteral(stores.storeIds),
    arrayLiteral(stores.exportedIds),
    arrayLiteral(stores.fetchIds),
    deliverEmails,
  ])
}

const sharedStoresSql = deliveryTexts({
  items: `
fetched as materialized (
  select s.id as item_id, ${servedDocument('s', '$31')} as item
  from stores s
  where s.id = any ($30::bigint[]) and s.mode = $2::text
),
items as materialized (
  -- Subqueries are hashed; an array would be searched from its start for each store.
  select r.request, r.store_id, r.store_id in (select unnest($29::bigint[])) as is_exported
  from unnest($27::integer[], $28::bigint[]) as r (request, store_id)
  where r.store_id not in (select unnest($30::bigint[])) or r.store_id in (select item_id from fetched)
)`,
  countsRows: true,
})

/** The hosts of lookups and enrichments that are not known, as parallel arrays, and what is known of the stores they probably lead to. */
export interface SharedHosts {
  /** The number of its request, from 1. */
  requests: number[]
  hosts: string[]
  /** Stores whose documents are known; others are fetched. */
  knownIds: number[]
  exportedIds: number[]
}

/** Admits lookups, fetches the stores with any of the hosts as domain or alias, and charges the exports. */
export function deliverSharedHosts(
  db: Queryable,
  delivery: SharedDelivery,
  hosts: SharedHosts,
  deliverEmails: DeliverEmails,
): Promise<SharedDeliveryReply> {
  return send(db, statementFor('deliver_shared_hosts', sharedHostsSql, delivery), [
    ...deliveryValues(delivery),
    arrayLiteral(hosts.requests),
    arrayLiteral(hosts.hosts),
    arrayLiteral(hosts.knownIds),
    arrayLiteral(hosts.exportedIds),
    deliverEmails,
  ])
}

const sharedHostsSql = deliveryTexts({
  items: `
resolved as materialized (
  select d.host, d.store_id
  from store_domains d
  where d.mode = $2::text and d.host = any ($28::text[])
),
fetched as materialized (
  select s.id as item_id, ${servedDocument('s', '$31')} as item
  from (select distinct store_id from resolved where store_id <> all ($29::bigint[])) r
  join stores s on s.id = r.store_id
),
items as materialized (
  select r.request, d.store_id, d.store_id = any ($30::bigint[]) as is_exported
  from unnest($27::integer[], $28::text[]) as r (request, host)
  join resolved d on d.host = r.host
  where d.store_id = any ($29::bigint[]) or d.store_id in (select item_id from fetched)
)`,
  countsRows: false,
  resolved: "(select string_agg(store_id || ' ' || host, ',') from resolved)",
})

/** The contacts of searches, as parallel arrays. */
export interface SharedContacts {
  /** The number of its request, from 1. */
  requests: number[]
  contactIds: number[]
  /** Whether the contact's store is known to be exported. */
  areExported: boolean[]
}

/** Admits searches for contacts, fetches the previews of those that exist, and charges rows and exports. */
export function deliverSharedPreviews(
  db: Queryable,
  delivery: SharedDelivery,
  contacts: SharedContacts,
): Promise<SharedDeliveryReply> {
  return send(db, statementFor('deliver_shared_previews', sharedPreviewsSql, delivery), [
    ...deliveryValues(delivery),
    arrayLiteral(contacts.requests),
    arrayLiteral(contacts.contactIds),
    arrayLiteral(contacts.areExported),
  ])
}

const sharedPreviewsSql = deliveryTexts({
  items: `
wanted as materialized (
  select contact_id, contact_id / ${contactsPerStore} as store_id, (contact_id % ${contactsPerStore})::smallint as number
  from unnest($28::bigint[]) as contact_id
  group by contact_id
),
revealed as materialized (
  select contact_id
  from reveals
  where account_id = $1::bigint and mode = $2::text and contact_id = any ($28::bigint[])
),
found as materialized (
  select w.contact_id, c.preview, s.preview as store
  from wanted w
  join contacts c on c.store_id = w.store_id and c.number = w.number
  join stores s on s.id = c.store_id
  where s.mode = $2::text
),
fetched as materialized (
  select f.contact_id as item_id,
         f.preview || case when r.contact_id is null then 'false' else 'true' end || ',"store":' || f.store || '}' as item
  from found f
  left join revealed r on r.contact_id = f.contact_id
),
items as materialized (
  select r.request, r.contact_id / ${contactsPerStore} as store_id, r.is_exported
  from unnest($27::integer[], $28::bigint[], $29::boolean[]) as r (request, contact_id, is_exported)
  where r.contact_id in (select item_id from fetched)
)`,
  countsRows: true,
})
