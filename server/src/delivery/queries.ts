import { contactsPerStore } from '@storedex/search-index'
import type { Queryable } from '../db/pool.ts'
import type { Mode } from '../kernel/ids.ts'
import { servedDocument } from '../search/postgres/statements.ts'
import type { DeliverEmails } from '../search/query/vocabulary.ts'
import {
  type DeliveryCharge,
  type DeliveryParts,
  deliverySql,
  deliveryValues,
  type MetersTaken,
  pickMeters,
} from '../usage/charge-queries.ts'
import { viewSql } from '../usage/view-queries.ts'

interface Statement {
  name: string
  text: string
}

/** The statements that take and that only view the same rows. */
export function deliveryStatements(rows: string, parts: DeliveryParts): (charge: DeliveryCharge) => Statement {
  const take = { name: `deliver_${rows}`, text: deliverySql(parts) }
  const view = { name: `view_${rows}`, text: viewSql(parts) }
  return ({ isView }) => (isView ? view : take)
}

export interface DeliveredPage extends MetersTaken {
  /** JSON in the requested order, separated by commas; null for none. */
  items: string | null
}

const pageOfDelivered = `
select meters.*, (select string_agg(item, ',' order by ordinal) from delivered) as items
from meters`

/** Fetches the documents of the stores that exist, and charges them as search rows and, unless viewed, as exports. */
export async function deliverStores(
  db: Queryable,
  charge: DeliveryCharge,
  { storeIds, deliverEmails }: { storeIds: number[]; deliverEmails: DeliverEmails },
): Promise<DeliveredPage> {
  const { rows } = await db.query<DeliveredPage>({
    ...pageOfStores(charge),
    values: [...deliveryValues(charge), storeIds, deliverEmails],
  })
  return rows[0]!
}

const pageOfStores = deliveryStatements('stores', {
  delivered: `
  select requested.ordinal, s.id as store_id, ${servedDocument('s', '$14')} as item
  from unnest($13::bigint[]) with ordinality as requested (store_id, ordinal)
  join stores s on s.id = requested.store_id and s.mode = $2::text`,
  countsRows: true,
  answer: pageOfDelivered,
})

/** SQL for the existing contacts among the ids of a parameter such as `$13`: `requested (contact_id, ordinal)` and `c`. */
const requestedContacts = (parameter: string) => `
  unnest(${parameter}::bigint[]) with ordinality as requested (contact_id, ordinal)
  join contacts c
    on c.store_id = requested.contact_id / ${contactsPerStore} and c.number = requested.contact_id % ${contactsPerStore}`

/** SQL for a contact's preview: its two rendered parts, and between them whether the account has revealed it. */
const joinedPreview = (storePreview: string) => `c.preview || coalesce((
      select 'true' from reveals
      where account_id = $1::bigint and mode = $2::text and contact_id = requested.contact_id
    ), 'false') || ',"store":' || ${storePreview} || '}'`

/** Fetches the previews of the contacts that exist, and charges them as search rows and, unless viewed, as exports. */
export async function deliverPreviews(
  db: Queryable,
  charge: DeliveryCharge,
  contactIds: number[],
): Promise<DeliveredPage> {
  const { rows } = await db.query<DeliveredPage>({
    ...pageOfPreviews(charge),
    values: [...deliveryValues(charge), contactIds],
  })
  return rows[0]!
}

const pageOfPreviews = deliveryStatements('previews', {
  delivered: `
  select requested.ordinal, s.id as store_id, ${joinedPreview('s.preview')} as item
  from ${requestedContacts('$13')}
  join stores s on s.id = c.store_id and s.mode = $2::text`,
  countsRows: true,
  answer: pageOfDelivered,
})

interface StoreByHost {
  host: string
  document: string
  /** Of its requested contacts, separated by commas; null for none. */
  previews: string | null
}

export interface DeliveredStoresByHost extends MetersTaken {
  stores: StoreByHost[]
}

/**
 * Fetches the stores with any of the hosts as domain or alias, and previews of the given contacts; charges the exports, or
 * a search row for each store when they are viewed.
 */
export async function deliverStoresByHost(
  db: Queryable,
  charge: DeliveryCharge,
  { hosts, contactIds, deliverEmails }: { hosts: string[]; contactIds: number[]; deliverEmails: DeliverEmails },
): Promise<DeliveredStoresByHost> {
  const { rows } = await db.query<MetersTaken & (StoreByHost | { host: null })>({
    ...storesByHost(charge),
    values: [...deliveryValues(charge), hosts, deliverEmails, contactIds],
  })
  return { ...pickMeters(rows[0]!), stores: rows.filter((row) => row.host !== null) }
}

const storesByHost = deliveryStatements('hosts', {
  delivered: `
  select d.host, s.id as store_id, ${servedDocument('s', '$14')} as document, s.preview
  from store_domains d
  join stores s on s.id = d.store_id
  where d.mode = $2::text and d.host = any ($13::text[])`,
  countsRows: false,
  answer: `
select meters.*, d.host, d.document, (
  select string_agg(${joinedPreview('d.preview')}, ',' order by requested.ordinal)
  from ${requestedContacts('$15')}
  where c.store_id = d.store_id
) as previews
from meters
left join delivered d on true`,
})

/** The ids of the stores with any of the hosts as domain or alias. */
export async function findStoreIds(db: Queryable, mode: Mode, hosts: string[]): Promise<number[]> {
  const { rows } = await db.query<{ store_id: number }>({
    name: 'find_store_ids',
    text: `
select distinct store_id from store_domains
where mode = $1::text and host = any ($2::text[])`,
    values: [mode, hosts],
  })
  return rows.map((row) => row.store_id)
}
