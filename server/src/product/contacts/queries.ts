import type { Queryable } from '../../foundation/db/pool.ts'
import type { Mode } from '../../foundation/kernel/ids.ts'

export interface ContactWithStoreRow {
  store_id: number
  number: number
  sealed: Buffer
  /** JSON, as previews show the store. */
  store: string
}

export interface ContactKeys {
  mode: Mode
  storeIds: number[]
  /** The number of each contact within its store, parallel to `storeIds`. */
  numbers: number[]
}

/** Reads contacts; keys without a contact are left out. For data that is kept, call `holdContacts` before. */
export async function readContacts(db: Queryable, keys: ContactKeys): Promise<ContactWithStoreRow[]> {
  const { rows } = await db.query<ContactWithStoreRow>({
    name: 'read_contacts',
    text: `
select c.store_id, c.number, c.sealed, s.preview as store
from unnest((select $1::bigint[]), (select $2::smallint[])) as requested (store_id, number)
join contacts c on c.store_id = requested.store_id and c.number = requested.number
join stores s on s.id = c.store_id
where s.mode = $3::text`,
    values: [keys.storeIds, keys.numbers, keys.mode],
  })
  return rows
}
