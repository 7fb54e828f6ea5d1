/** Statements of searches for contacts. */
import { contactsPerStore } from '@storedex/search-index'
import type { Queryable } from '../../db/pool.ts'
import { arrayLiteral, statementFor } from '../../usage/batch/batch-queries.ts'
import {
  deliveryTexts,
  type SharedDelivery,
  type SharedDeliveryReply,
  send,
  sharedDeliverySql,
  sharedDeliveryValues,
} from './delivery-queries.ts'

/** Whether each contact is revealed is read in the same statement as the charge; $27 are the contacts. */
const revealed = {
  cte: `
revealed as materialized (
  select contact_id
  from reveals
  where account_id = $1::bigint and mode = $2::text and contact_id = any ($27::bigint[])
)`,
  column: "(select string_agg(contact_id::text, ',') from revealed)",
}

/** Admits searches for contacts whose previews and exports are all known, charges their rows, and lists who is revealed. */
export function chargeKnownPreviews(
  db: Queryable,
  delivery: SharedDelivery,
  contactIds: readonly number[],
): Promise<SharedDeliveryReply> {
  const values = [...sharedDeliveryValues(delivery), arrayLiteral(contactIds)]
  return send(db, { name: 'charge_known_previews', text: knownPreviewsSql }, values)
}

const knownPreviewsSql = sharedDeliverySql({ items: null, fetched: null, countsRows: true, listed: revealed }, false)

/** The contacts of searches. */
export interface SharedContacts {
  /** All, each once. */
  contactIds: readonly number[]
  /** Those that are not only counted (`knownRows`), as parallel arrays: the number of the request, from 1, and the contact. */
  requests: number[]
  requestedIds: number[]
  /** Stores that are known to be exported. */
  exportedStoreIds: number[]
  /** Those whose previews are not known, each once. */
  fetchIds: number[]
}

/** Admits searches for contacts, fetches the previews of those that exist, and charges rows and exports. */
export function deliverSharedPreviews(
  db: Queryable,
  delivery: SharedDelivery,
  contacts: SharedContacts,
): Promise<SharedDeliveryReply> {
  return send(db, statementFor('deliver_shared_previews', sharedPreviewsSql, delivery), [
    ...sharedDeliveryValues(delivery),
    arrayLiteral(contacts.contactIds),
    arrayLiteral(contacts.requests),
    arrayLiteral(contacts.requestedIds),
    arrayLiteral(contacts.exportedStoreIds),
    arrayLiteral(contacts.fetchIds),
  ])
}

const sharedPreviewsSql = deliveryTexts({
  listed: revealed,
  fetched: `
wanted as materialized (
  select contact_id, contact_id / ${contactsPerStore} as store_id, (contact_id % ${contactsPerStore})::smallint as number
  from unnest($31::bigint[]) as contact_id
),
fetched as materialized (
  select w.contact_id as item_id, c.preview as item, s.preview as store
  from wanted w
  join contacts c on c.store_id = w.store_id and c.number = w.number
  join stores s on s.id = c.store_id
  where s.mode = $2::text
)`,
  items: `
items as materialized (
  select r.request, r.store_id, r.store_id in (select unnest($30::bigint[])) as is_exported
  from (select request, contact_id, contact_id / ${contactsPerStore} as store_id
        from unnest($28::integer[], $29::bigint[]) as given (request, contact_id)) r
  where r.contact_id not in (select unnest($31::bigint[])) or r.contact_id in (select item_id from fetched)
)`,
  countsRows: true,
})
