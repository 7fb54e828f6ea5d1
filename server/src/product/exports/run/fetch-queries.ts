/** Statements that fetch what a chunk delivers. */
import type { Queryable } from '../../../foundation/db/pool.ts'
import type { DeliverEmails } from '../../../foundation/encryption/contact-facts.ts'
import type { Mode } from '../../../foundation/kernel/ids.ts'
import { servedDocument } from '../../../search/engines/postgres/statements.ts'

// JSON has no raw line breaks, so one text can carry all documents; splitting it costs less than reading rows.
const separator = "E'\\n'"

export interface FetchedStores {
  ids: number[]
  documents: string[]
}

/** The documents of the stores that exist, in the given order. */
export async function fetchStores(
  db: Queryable,
  mode: Mode,
  storeIds: readonly number[],
  deliverEmails: DeliverEmails,
): Promise<FetchedStores> {
  const { rows } = await db.query<{ ids: string | null; documents: string | null }>({
    name: 'fetch_export_stores',
    text: `
select string_agg(s.id::text, ',' order by ordinal) as ids,
       string_agg(${servedDocument('s', '$3')}, ${separator} order by ordinal) as documents
from unnest($1::bigint[]) with ordinality as requested (store_id, ordinal)
join stores s on s.id = requested.store_id and s.mode = $2::text`,
    values: [storeIds, mode, deliverEmails],
  })
  const { ids, documents } = rows[0]!
  return { ids: ids?.split(',').map(Number) ?? [], documents: documents?.split('\n') ?? [] }
}

/** When the account revealed each of the contacts. */
export async function selectRevealTimes(
  db: Queryable,
  { accountId, mode }: { accountId: number; mode: Mode },
  contactIds: readonly number[],
): Promise<Map<number, Date>> {
  const { rows } = await db.query<{ contact_id: number; revealed_at: Date }>({
    name: 'select_reveal_times',
    text: `
select contact_id, revealed_at
from reveals
where account_id = $1::bigint and mode = $2::text and contact_id = any ($3::bigint[])`,
    values: [accountId, mode, contactIds],
  })
  return new Map(rows.map(({ contact_id, revealed_at }) => [contact_id, revealed_at]))
}
