import { randomBytes } from 'node:crypto'
import { transact } from '../../src/db/pool.ts'
import type { Deps } from '../../src/deps.ts'
import { refreshStoreSummaries } from '../../src/imports/refresh.ts'

export interface TestContact {
  first_name: string
  last_name_obfuscated?: string
  role?: string
  seniority: 'executive' | 'decision_maker' | 'other'
  has_verified_email?: boolean
  has_phone?: boolean
  has_profile?: boolean
  revealable?: boolean
}

/** Puts invented people on file at a store and lets the store sum them up. Their sealed part is noise. */
export async function insertContacts(deps: Deps, domain: string, contacts: TestContact[]): Promise<void> {
  await transact(deps.db, async (client) => {
    const { rows } = await client.query<{ store_id: number }>(
      "select store_id from store_domains where mode = 'live' and host = $1",
      [domain],
    )
    const storeId = rows[0]!.store_id
    for (const [number, contact] of contacts.entries())
      await client.query(
        `insert into contacts (store_id, number, external_key, first_name, last_name_obfuscated, role, seniority, title,
           has_verified_email, has_phone, has_profile, revealable, verified_emails, sealed)
         values ($1, $2, $3, $4, $5, $6, $7, null, $8, $9, $10, $11, $12, $13)`,
        [
          storeId,
          number,
          randomBytes(16),
          contact.first_name,
          contact.last_name_obfuscated ?? null,
          contact.role ?? null,
          contact.seniority,
          contact.has_verified_email ?? false,
          contact.has_phone ?? false,
          contact.has_profile ?? false,
          contact.revealable ?? true,
          contact.has_verified_email ? 1 : 0,
          randomBytes(64),
        ],
      )
    await refreshStoreSummaries(client, [storeId])
  })
}
