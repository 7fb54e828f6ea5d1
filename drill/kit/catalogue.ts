import { withDatabase } from './embedded.ts'

/** What a catalogue holds, told in a way that does not depend on how it came about: ids and batches are left out. */
export interface CatalogueDigest {
  stores: number
  contacts: number
  hosts: number
  digest: string
}

export function digestCatalogue(dataDir: string): Promise<CatalogueDigest> {
  return withDatabase(dataDir, async (client) => {
    const { rows } = await client.query<CatalogueDigest>(
      `select (select count(*)::integer from stores where mode = 'live') as stores,
              (select count(*)::integer from contacts c join stores s on s.id = c.store_id where s.mode = 'live') as contacts,
              (select count(*)::integer from store_domains) as hosts,
              (select md5(string_agg(md5((s.document::jsonb - 'id')::text), '' order by s.document::jsonb ->> 'domain'))
               from stores s
               where s.mode = 'live') as digest`,
    )
    return rows[0]!
  })
}
