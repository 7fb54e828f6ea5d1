import type { Queryable } from '../db/pool.ts'
import type { Mode } from '../kernel/ids.ts'

export interface ContactWithStoreRow {
  store_id: number
  number: number
  sealed: Buffer
  /** The store as previews show it: JSON. */
  store: string
}

export interface ContactKeys {
  mode: Mode
  storeIds: number[]
  /** The contacts' numbers, beside their stores. */
  numbers: number[]
}

const placedContacts = `
select c.store_id, c.number, c.sealed, s.preview as store
from unnest($1::bigint[], $2::smallint[]) as asked (store_id, number)
join contacts c on c.store_id = asked.store_id and c.number = asked.number
join stores s on s.id = c.store_id
where s.mode = $3::text`

/** The contacts at these places, as far as there are any. */
export async function readContacts(db: Queryable, places: ContactKeys): Promise<ContactWithStoreRow[]> {
  const { rows } = await db.query<ContactWithStoreRow>({
    name: 'read_contacts_at',
    text: placedContacts,
    values: [places.storeIds, places.numbers, places.mode],
  })
  return rows
}

/** The same, held until the end of the transaction: whoever erases one of them waits for it. */
export async function lockContacts(db: Queryable, places: ContactKeys): Promise<ContactWithStoreRow[]> {
  const { rows } = await db.query<ContactWithStoreRow>({
    name: 'hold_contacts_at',
    text: `${placedContacts}
order by c.store_id, c.number
for key share of c`,
    values: [places.storeIds, places.numbers, places.mode],
  })
  return rows
}
