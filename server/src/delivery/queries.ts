import { contactsPerStore } from '@storedex/search-index'
import type { Queryable } from '../db/pool.ts'
import type { Mode } from '../kernel/ids.ts'
import { servedDocument } from '../search/postgres/statements.ts'
import type { DeliverEmails } from '../search/query/vocabulary.ts'
import { type DeliveryCharge, deliverySql, deliveryValues, type MetersTaken } from '../usage/charge-queries.ts'

/** A page as it is sent: its items in the order asked for, as JSON with commas between; null for none. */
export interface DeliveredPage extends MetersTaken {
  items: string | null
}

const pageOfDelivered = `
select meters.*, (select string_agg(item, ',' order by place) from delivered) as items
from meters`

/** The documents of those of the stores that are there, and what they cost as rows of a search. */
export async function deliverStores(
  db: Queryable,
  charge: DeliveryCharge,
  { storeIds, deliverEmails }: { storeIds: number[]; deliverEmails: DeliverEmails },
): Promise<DeliveredPage> {
  const { rows } = await db.query<DeliveredPage>({
    name: 'deliver_stores',
    text: deliverStoresSql,
    values: [...deliveryValues(charge), storeIds, deliverEmails],
  })
  return rows[0]!
}

const deliverStoresSql = deliverySql({
  delivered: `
  select asked.place, s.id as store_id, ${servedDocument('s', '$9')} as item
  from unnest($8::bigint[]) with ordinality as asked (store_id, place)
  join stores s on s.id = asked.store_id and s.mode = $2::text`,
  countsRows: true,
  answer: pageOfDelivered,
})

/** The contacts that are there of those asked for by `$8`-like `parameter`, as SQL: `asked (contact_id, place)` and `c`. */
const askedContacts = (parameter: string) => `
  unnest(${parameter}::bigint[]) with ordinality as asked (contact_id, place)
  join contacts c
    on c.store_id = asked.contact_id / ${contactsPerStore} and c.number = asked.contact_id % ${contactsPerStore}`

/** A preview of one of them as the account sees it: two rendered parts, and between them whether it has revealed the person. */
const shownPreview = (storePreview: string) => `c.preview || coalesce((
      select 'true' from reveals
      where account_id = $1::bigint and mode = $2::text and contact_id = asked.contact_id
    ), 'false') || ',"store":' || ${storePreview} || '}'`

/** The previews of those of the contacts that are there, and what they cost as rows of a search. */
export async function deliverPreviews(
  db: Queryable,
  charge: DeliveryCharge,
  contactIds: number[],
): Promise<DeliveredPage> {
  const { rows } = await db.query<DeliveredPage>({
    name: 'deliver_previews',
    text: deliverPreviewsSql,
    values: [...deliveryValues(charge), contactIds],
  })
  return rows[0]!
}

const deliverPreviewsSql = deliverySql({
  delivered: `
  select asked.place, s.id as store_id, ${shownPreview('s.preview')} as item
  from ${askedContacts('$8')}
  join stores s on s.id = c.store_id and s.mode = $2::text`,
  countsRows: true,
  answer: pageOfDelivered,
})

/** A store that answers to a host. */
interface StoreAtHost {
  host: string
  document: string
  /** Of its contacts asked for, with commas between; null for none. */
  previews: string | null
}

export interface DeliveredStoresByHost extends MetersTaken {
  stores: StoreAtHost[]
}

/** The stores that answer to any of the hosts, under a domain or an alias, with previews of these contacts of theirs. */
export async function deliverStoresByHost(
  db: Queryable,
  charge: DeliveryCharge,
  { hosts, contactIds, deliverEmails }: { hosts: string[]; contactIds: number[]; deliverEmails: DeliverEmails },
): Promise<DeliveredStoresByHost> {
  const { rows } = await db.query<MetersTaken & (StoreAtHost | { host: null })>({
    name: 'deliver_hosts',
    text: deliverHostsSql,
    values: [...deliveryValues(charge), hosts, deliverEmails, contactIds],
  })
  const { rows_taken, exports_taken } = rows[0]!
  return { rows_taken, exports_taken, stores: rows.filter((row) => row.host !== null) }
}

const deliverHostsSql = deliverySql({
  delivered: `
  select d.host, s.id as store_id, ${servedDocument('s', '$9')} as document, s.preview
  from store_domains d
  join stores s on s.id = d.store_id
  where d.mode = $2::text and d.host = any ($8::text[])`,
  countsRows: false,
  answer: `
select meters.*, d.host, d.document, (
  select string_agg(${shownPreview('d.preview')}, ',' order by asked.place)
  from ${askedContacts('$10')}
  where c.store_id = d.store_id
) as previews
from meters
left join delivered d on true`,
})

/** Which stores answer to any of the hosts, under their domain or an alias. */
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
