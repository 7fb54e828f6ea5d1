/** Reads the live catalogue as the judge compares it. */
import type { Pool } from '../../../server/src/foundation/db/pool.ts'
import type { ContactSeals } from '../../../server/src/foundation/encryption/keyring.ts'
import { openContact } from '../../../server/src/foundation/encryption/keyring.ts'
import { flatten } from '../flatten.ts'
import type { Values } from '../truth.ts'

const pageSize = 5_000

export async function* readStores(db: Pool): AsyncGenerator<{ id: number; values: Values }> {
  for (let last = 0; ; ) {
    const { rows } = await db.query<{
      id: number
      document: string
      active_ads: number | null
      aliases: string[] | null
    }>(
      `select s.id, s.document, s.active_ads,
              (select array_agg(host order by host) from store_domains d where d.store_id = s.id and not d.canonical) as aliases
       from stores s
       where s.mode = 'live' and s.id > $1::bigint
       order by s.id
       limit $2::integer`,
      [last, pageSize],
    )
    for (const { id, document, active_ads, aliases } of rows) {
      const { id: _id, object: _object, contacts_summary: _summary, ...fields } = JSON.parse(document)
      yield { id, values: flatten({ ...fields, active_ads, aliases }) }
    }
    if (rows.length < pageSize) return
    last = rows.at(-1)!.id
  }
}

export async function* readContacts(
  db: Pool,
  { sealer }: ContactSeals,
  domains: ReadonlyMap<number, string>,
): AsyncGenerator<Values> {
  for (let last = [0, 0]; ; ) {
    const { rows } = await db.query<{ store_id: number; number: number; sealed: Buffer }>(
      `select store_id, number, sealed
       from contacts
       where (store_id, number) > ($1::bigint, $2::integer)
       order by store_id, number
       limit $3::integer`,
      [last[0], last[1], pageSize],
    )
    for (const { store_id: storeId, number, sealed } of rows) {
      // The sandbox's contacts are in the same table.
      const domain = domains.get(storeId)
      if (domain !== undefined) yield { store_domain: domain, ...flatten(openContact(sealer, storeId, number, sealed)) }
    }
    if (rows.length < pageSize) return
    last = [rows.at(-1)!.store_id, rows.at(-1)!.number]
  }
}
