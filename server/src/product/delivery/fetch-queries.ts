/** Statements that fetch what replies hold, beside the version of the catalogue that it is of. */
import { contactsPerStore } from '@storedex/search-index'
import { catalogueVersionSql } from '../../customers/ledger/statement/allowance-queries.ts'
import type { Queryable } from '../../foundation/db/pool.ts'
import type { DeliverEmails } from '../../foundation/encryption/contact-facts.ts'
import type { Mode } from '../../foundation/kernel/ids.ts'
import { servedDocument } from '../../search/engines/postgres/statements.ts'

interface Fetched<Row> {
  version: string
  rows: Row[]
}

type Versioned<Row> = Row & { version: string | null }

/** One row has the version and no item. PostgreSQL sends it first, but does not promise to. */
function readVersioned<Row>(rows: Versioned<Row>[]): Fetched<Row> {
  const at = rows.findIndex(({ version }) => version !== null)
  const [{ version }] = rows.splice(at, 1) as [Versioned<Row>]
  return { version: version!, rows }
}

export interface FetchedDocument {
  id: number
  document: string
}

/** The documents of the stores that exist. */
export async function fetchDocuments(
  db: Queryable,
  mode: Mode,
  storeIds: readonly number[],
  deliverEmails: DeliverEmails,
): Promise<Fetched<FetchedDocument>> {
  const { rows } = await db.query<Versioned<FetchedDocument>>({
    name: 'fetch_documents',
    text: `
select ${catalogueVersionSql} as version, null::bigint as id, null::text as document
union all
select null, s.id, ${servedDocument('s', '$3')}
from stores s
where s.id = any ($1::bigint[]) and s.mode = $2::text`,
    values: [storeIds, mode, deliverEmails],
  })
  return readVersioned(rows)
}

export interface FetchedHost extends FetchedDocument {
  host: string
}

/** The documents of the stores that the hosts lead to, as domain or alias. */
export async function fetchHosts(
  db: Queryable,
  mode: Mode,
  hosts: readonly string[],
  deliverEmails: DeliverEmails,
): Promise<Fetched<FetchedHost>> {
  const { rows } = await db.query<Versioned<FetchedHost>>({
    name: 'fetch_hosts',
    text: `
with resolved as materialized (
  select d.host, d.store_id
  from store_domains d
  where d.mode = $1::text and d.host = any ($2::text[])
)
select ${catalogueVersionSql} as version, null::text as host, null::bigint as id, null::text as document
union all
select null, r.host, s.id, ${servedDocument('s', '$3')}
from resolved r
join stores s on s.id = r.store_id`,
    values: [mode, hosts, deliverEmails],
  })
  return readVersioned(rows)
}

export interface FetchedPreview {
  id: number
  /** JSON up to the value of `revealed`, and that of the store. */
  person: string
  store: string
  is_revealable: boolean
}

/** The previews of the contacts that exist. */
export async function fetchPreviews(
  db: Queryable,
  mode: Mode,
  contactIds: readonly number[],
  deliverEmails: DeliverEmails,
): Promise<Fetched<FetchedPreview>> {
  const { rows } = await db.query<Versioned<FetchedPreview>>({
    name: 'fetch_previews',
    text: `
select ${catalogueVersionSql} as version, null::bigint as id, null::text as person, null::text as store,
       null::boolean as is_revealable
union all
select null, w.contact_id, c.preview, s.preview, c.verified_revealable or c.revealable and $3::text = 'all'
from (select contact_id, contact_id / ${contactsPerStore} as store_id, (contact_id % ${contactsPerStore})::smallint as number
      from unnest($1::bigint[]) as contact_id) w
join contacts c on c.store_id = w.store_id and c.number = w.number
join stores s on s.id = c.store_id
where s.mode = $2::text`,
    values: [contactIds, mode, deliverEmails],
  })
  return readVersioned(rows)
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
