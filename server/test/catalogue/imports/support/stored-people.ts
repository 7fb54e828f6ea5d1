import type { ContactFacts } from '../../../../src/foundation/encryption/contact-facts.ts'
import { openContact } from '../../../../src/foundation/encryption/keyring.ts'
import { contactKey, type Mode } from '../../../../src/foundation/kernel/ids.ts'
import type { TestCatalogue } from './test-catalogue.ts'

/** A stored contact with its opened facts. */
export interface StoredPerson {
  id: string
  domain: string
  mode: Mode
  storeId: number
  number: number
  role: string | null
  traits: number
  revealable: boolean
  verified_revealable: boolean
  verified_emails: number
  /** The rendered preview, with `revealed` set to false. */
  preview: Record<string, unknown>
  identities: string[]
  facts: ContactFacts
}

/** Returns all stored contacts, ordered by store and number. */
export async function readStoredPeople({ db, context: { ids, seals } }: TestCatalogue): Promise<StoredPerson[]> {
  const { rows } = await db.query(
    `select c.store_id, c.number, s.mode, s.document::json ->> 'domain' as domain, c.role, c.traits,
            c.revealable, c.verified_revealable, c.verified_emails, c.preview, c.identities::text[] as identities,
            c.sealed
     from contacts c
     join stores s on s.id = c.store_id
     order by store_id, number`,
  )
  return rows.map(({ store_id: storeId, number, sealed, preview, ...row }) => ({
    ...row,
    storeId,
    number,
    id: ids.seal('contact', contactKey(storeId, number), row.mode),
    preview: JSON.parse(`${preview}false}`),
    facts: openContact(seals.sealer, storeId, number, sealed),
  }))
}
