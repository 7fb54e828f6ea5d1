/** Statements of searches for stores. */
import type { Queryable } from '../../db/pool.ts'
import { servedDocument } from '../../search/postgres/statements.ts'
import type { DeliverEmails } from '../../search/query/vocabulary.ts'
import { arrayLiteral, statementFor } from '../../usage/batch/batch-queries.ts'
import {
  deliveryTexts,
  type RequestedStores,
  requestedStoresValues,
  type SharedDelivery,
  type SharedDeliveryReply,
  send,
  sharedDeliverySql,
  sharedDeliveryValues,
} from './delivery-queries.ts'

/** Admits searches whose stores are all known, and charges their rows. */
export function chargeKnownStores(db: Queryable, delivery: SharedDelivery): Promise<SharedDeliveryReply> {
  return send(db, { name: 'charge_known_stores', text: knownStoresSql }, sharedDeliveryValues(delivery))
}

const knownStoresSql = sharedDeliverySql({ items: null, fetched: null, countsRows: true }, false)

/** The stores of searches, as two parallel arrays; those that are only counted (`knownRows`) are not among them. */
export interface SharedStores extends RequestedStores {
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
    ...sharedDeliveryValues(delivery),
    ...requestedStoresValues(stores),
    arrayLiteral(stores.exportedIds),
    arrayLiteral(stores.fetchIds),
    deliverEmails,
  ])
}

const sharedStoresSql = deliveryTexts({
  fetched: `
fetched as materialized (
  select s.id as item_id, ${servedDocument('s', '$31')} as item, null::text as store
  from stores s
  where s.id = any ($30::bigint[]) and s.mode = $2::text
)`,
  items: `
items as materialized (
  -- Subqueries are hashed; an array would be searched from its start for each store.
  select r.request, r.store_id, r.store_id in (select unnest($29::bigint[])) as is_exported
  from unnest($27::integer[], $28::bigint[]) as r (request, store_id)
  where r.store_id not in (select unnest($30::bigint[])) or r.store_id in (select item_id from fetched)
)`,
  countsRows: true,
})
