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
import { viewSql } from '../usage/viewing/view-queries.ts'

interface Statement {
  name: string
  text: string
  values: unknown[]
}

/**
 * The statements that take and that only view the same rows, with the values of all their parameters. Where a view shows more,
 * it has `viewed` parts of its own.
 */
export function deliveryStatements(
  rows: string,
  taken: DeliveryParts,
  viewed: DeliveryParts = taken,
): (charge: DeliveryCharge, ownValues: readonly unknown[]) => Statement {
  const take = { name: `deliver_${rows}`, text: deliverySql(taken) }
  const view = { name: `view_${rows}`, text: viewSql(viewed) }
  return (charge, ownValues) => {
    const values = [...deliveryValues(charge), ...ownValues]
    const { viewedPage } = charge
    return viewedPage === null ? { ...take, values } : { ...view, values: [...values, viewedPage] }
  }
}

export interface DeliveredPage extends MetersTaken {
  /** JSON in the requested order; a text may hold several items, separated by commas. */
  items: readonly string[]
}

interface PageRow extends MetersTaken {
  items: string | null
}

function pageOf({ items, ...taken }: PageRow): DeliveredPage {
  return { ...taken, items: items === null ? [] : [items] }
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
  const { rows } = await db.query<PageRow>(pageOfStores(charge, [storeIds, deliverEmails]))
  return pageOf(rows[0]!)
}

const pageOfStores = deliveryStatements('stores', {
  delivered: `
  select requested.ordinal, s.id as store_id, ${servedDocument('s', '$14')} as item
  from unnest($13::bigint[]) with ordinality as requested (store_id, ordinal)
  join stores s on s.id = requested.store_id and s.mode = $2::text`,
  ownParameters: 2,
  rowId: 'store_id',
  countsRows: true,
  answer: pageOfDelivered,
})

/**
 * SQL for the previews of the existing contacts among the ids of a parameter: `previews (store_id, contact_id, ordinal, opening)`,
 * whose opening says whether the account has revealed the contact and ends where the store's part begins. `reveals` are read on
 * their own, because they are distributed by account. `more` is SQL for further members of the opening.
 */
const previewCtes = (contactIds: string, more = '') => `
revealed as materialized (
  select contact_id from reveals
  where account_id = $1::bigint and mode = $2::text and contact_id = any (${contactIds}::bigint[])
),
previews as materialized (
  select c.store_id, requested.contact_id, requested.ordinal,
         c.preview || case when r.contact_id is null then 'false' else 'true' end ||${more} ',"store":' as opening
  from unnest(${contactIds}::bigint[]) with ordinality as requested (contact_id, ordinal)
  join contacts c
    on c.store_id = requested.contact_id / ${contactsPerStore} and c.number = requested.contact_id % ${contactsPerStore}
  left join revealed r on r.contact_id = requested.contact_id
)`

/**
 * A view also says whether a contact can be revealed: of somebody whose preview names no channel, it tells an address that is
 * not verified from none.
 */
const revealable = (deliverEmails: string) => `
         ',"revealable":' || case when c.verified_revealable or c.revealable and ${deliverEmails}::text = 'all'
                                  then 'true' else 'false' end ||`

/** Fetches the previews of the contacts that exist, and charges them as search rows and, unless viewed, as exports. */
export async function deliverPreviews(
  db: Queryable,
  charge: DeliveryCharge,
  { contactIds, deliverEmails }: { contactIds: number[]; deliverEmails: DeliverEmails },
): Promise<DeliveredPage> {
  const ownValues = charge.viewedPage === null ? [contactIds] : [contactIds, deliverEmails]
  const { rows } = await db.query<PageRow>(pageOfPreviews(charge, ownValues))
  return pageOf(rows[0]!)
}

const takenPreviews: DeliveryParts = {
  delivered: previewsSql(previewCtes('$13')),
  ownParameters: 1,
  rowId: 'contact_id',
  countsRows: true,
  answer: pageOfDelivered,
}
const pageOfPreviews = deliveryStatements('previews', takenPreviews, {
  ...takenPreviews,
  delivered: previewsSql(previewCtes('$13', revealable('$14'))),
  ownParameters: 2,
})

function previewsSql(ctes: string): string {
  return `
  with ${ctes}
  select p.ordinal, s.id as store_id, p.contact_id, p.opening || s.preview || '}' as item
  from previews p
  join stores s on s.id = p.store_id and s.mode = $2::text`
}

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
  const { rows } = await db.query<MetersTaken & (StoreByHost | { host: null })>(
    storesByHost(charge, [hosts, deliverEmails, contactIds]),
  )
  return { ...pickMeters(rows[0]!), stores: rows.filter((row) => row.host !== null) }
}

const takenByHost: DeliveryParts = {
  delivered: byHostSql(previewCtes('$15')),
  ownParameters: 3,
  rowId: 'store_id',
  countsRows: false,
  answer: `
select meters.*, d.host, d.document, d.previews
from meters
left join delivered d on true`,
}
const storesByHost = deliveryStatements('hosts', takenByHost, {
  ...takenByHost,
  delivered: byHostSql(previewCtes('$15', revealable('$14'))),
})

function byHostSql(ctes: string): string {
  return `
  with hosts as materialized (
    select host, store_id from store_domains where mode = $2::text and host = any ($13::text[])
  ),${ctes}
  select h.host, s.id as store_id, ${servedDocument('s', '$14')} as document,
         (select string_agg(p.opening || s.preview || '}', ',' order by p.ordinal)
          from previews p
          where p.store_id = s.id) as previews
  from hosts h
  join stores s on s.id = h.store_id`
}

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
