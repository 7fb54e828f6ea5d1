import { type Pool, transact } from '../../foundation/db/pool.ts'
import type { ContactFacts } from '../../foundation/encryption/contact-facts.ts'
import type { Identity, PersonIdentities } from '../../foundation/encryption/identities.ts'
import type { ContactSeals } from '../../foundation/encryption/keyring.ts'
import { normalizeEmail } from '../../foundation/kernel/channels/email.ts'
import { contactKey, type IdSealer } from '../../foundation/kernel/ids.ts'
import { findSamePeople } from '../erasure/erase-people.ts'
import { findPeopleByHashes } from '../erasure/queries.ts'
import type { HeldContactRow } from './queries.ts'
import * as queries from './queries.ts'
import { type HeldContact, maxShownContacts, type PrivacyDataReply } from './schema.ts'

type HeldData = Pick<PrivacyDataReply, 'suppressed_since' | 'signs_in' | 'is_customer' | 'contacts_total' | 'contacts'>

interface ReadingContext {
  db: Pool
  ids: IdSealer
  seals: ContactSeals
}

/**
 * Reads what is on file about an address: every contact that `eraseContacts` would erase for it. A record that holds the
 * address as its person's own is shown completely. Of the others, which the address proves nothing about, only the
 * address itself and what customers see without paying: people who share a mailbox such as info@, and records that are
 * the same person by another mailbox or a profile.
 */
export function readHeldData({ db, ids, seals }: ReadingContext, email: string): Promise<HeldData> {
  return transact(db, async (client) => {
    await queries.prepareReading(client)
    const { hash } = seals.identities.hash('email', normalizeEmail(email)!)
    const people = await findSamePeople(client, seals, await findPeopleByHashes(client, [hash]))
    const shown = people.slice(0, maxShownContacts)
    const rows = await queries.readHeldContacts(
      client,
      shown.map(({ row }) => row),
    )
    const accounts = await queries.countRevealingAccounts(
      client,
      shown.map(({ row }) => contactKey(row.store_id, row.number)),
    )
    const personOf = new Map(shown.map((person) => [contactKey(person.row.store_id, person.row.number), person]))
    const contacts = rows.map((row) => {
      const key = contactKey(row.store_id, row.number)
      const { facts, identities } = personOf.get(key)!
      const match = matchOf(identities, hash)
      return {
        id: ids.seal('contact', key, 'live'),
        match,
        store: { domain: row.domain, name: row.store_name },
        added_at: row.added_at?.toISOString() ?? null,
        revealed_to_accounts: accounts.get(key) ?? 0,
        ...(match === 'address' ? { ...facts, withheld: 0 } : previewFacts(facts, row, email)),
      }
    })
    const { suppressed_since, ...use } = await queries.readAddressUse(client, { hash, email })
    return {
      suppressed_since: suppressed_since?.toISOString() ?? null,
      ...use,
      contacts_total: people.length,
      contacts,
    }
  })
}

function matchOf({ own, shareable }: PersonIdentities, hash: string): HeldContact['match'] {
  const isIn = (identities: readonly Identity[]) => identities.some((identity) => identity.hash === hash)
  if (isIn(own)) return 'address'
  return isIn(shareable) ? 'shared_mailbox' : 'same_person'
}

type ShownFacts = Omit<HeldContact, 'id' | 'match' | 'store' | 'added_at' | 'revealed_to_accounts'>

/** The facts that anybody may see, and the address itself. */
function previewFacts({ role, seniority, ...facts }: ContactFacts, row: HeldContactRow, email: string): ShownFacts {
  const preview = JSON.parse(`${row.preview}false}`) as {
    first_name: string | null
    last_name_obfuscated: string | null
    title: string | null
  }
  const normal = normalizeEmail(email)
  const emails = facts.emails.filter((each) => normalizeEmail(each.email) === normal)
  return {
    external_id: null,
    full_name: null,
    first_name: preview.first_name,
    last_name: preview.last_name_obfuscated,
    title: preview.title,
    role,
    seniority,
    profile_url: null,
    emails,
    phones: [],
    withheld: facts.emails.length - emails.length + facts.phones.length + (facts.profile_url === null ? 0 : 1),
  }
}
