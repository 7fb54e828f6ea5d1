/** Statements of lookups and enrichments. */
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

/** Admits lookups and enrichments whose stores are all known: they cost nothing. */
export function admitKnownHosts(db: Queryable, delivery: SharedDelivery): Promise<SharedDeliveryReply> {
  return send(db, { name: 'admit_known_hosts', text: knownHostsSql }, sharedDeliveryValues(delivery))
}

const knownHostsSql = sharedDeliverySql({ items: null, fetched: null, countsRows: false }, false)

/**
 * The hosts of lookups and enrichments whose stores are not known, as parallel arrays, and what is known of the stores they
 * probably lead to; beside them, the known stores of others.
 */
export interface SharedHosts {
  /** The number of its request, from 1. */
  requests: number[]
  hosts: string[]
  /** Stores whose documents are known; others are fetched. */
  knownIds: number[]
  exportedIds: number[]
  known: RequestedStores
}

/** Admits lookups, fetches the stores with any of the hosts as domain or alias, and charges the exports. */
export function deliverSharedHosts(
  db: Queryable,
  delivery: SharedDelivery,
  hosts: SharedHosts,
  deliverEmails: DeliverEmails,
): Promise<SharedDeliveryReply> {
  return send(db, statementFor('deliver_shared_hosts', sharedHostsSql, delivery), [
    ...sharedDeliveryValues(delivery),
    arrayLiteral(hosts.requests),
    arrayLiteral(hosts.hosts),
    arrayLiteral(hosts.knownIds),
    arrayLiteral(hosts.exportedIds),
    deliverEmails,
    ...requestedStoresValues(hosts.known),
  ])
}

const sharedHostsSql = deliveryTexts({
  listed: {
    cte: `
resolved as materialized (
  select d.host, d.store_id
  from store_domains d
  where d.mode = $2::text and d.host = any ($28::text[])
)`,
    column: "(select string_agg(store_id || ' ' || host, ',') from resolved)",
  },
  fetched: `
fetched as materialized (
  select s.id as item_id, ${servedDocument('s', '$31')} as item, null::text as store
  from (select distinct store_id from resolved where store_id <> all ($29::bigint[])) r
  join stores s on s.id = r.store_id
)`,
  items: `
items as materialized (
  select r.request, d.store_id, d.store_id = any ($30::bigint[]) as is_exported
  from unnest($27::integer[], $28::text[]) as r (request, host)
  join resolved d on d.host = r.host
  where d.store_id = any ($29::bigint[]) or d.store_id in (select item_id from fetched)
  union all
  select request, store_id, false
  from unnest($32::integer[], $33::bigint[]) as r (request, store_id)
)`,
  countsRows: false,
})
