import type { DeliverEmails } from '../../foundation/encryption/contact-facts.ts'
import { type ContactFacts, deliverableEmails, fullNameOf } from '../../foundation/encryption/contact-facts.ts'
import { type ContactSeals, openContact } from '../../foundation/encryption/keyring.ts'
import { contactKey, splitContactKey } from '../../foundation/kernel/ids.ts'
import { formatTime } from '../../foundation/kernel/time.ts'
import type { ContactKeys, ContactWithStoreRow } from './queries.ts'
import type { Contact } from './schema.ts'

/** A contact whose seal was opened. */
export interface OpenedContact {
  /** Internal id. */
  key: number
  storeId: number
  facts: ContactFacts
  store: { id: string; domain: string; name: string }
}

export function openContactRow({ sealer }: ContactSeals, row: ContactWithStoreRow): OpenedContact {
  return {
    key: contactKey(row.store_id, row.number),
    storeId: row.store_id,
    facts: openContact(sealer, row.store_id, row.number, row.sealed),
    store: JSON.parse(row.store),
  }
}

export function contactKeysOf(mode: ContactKeys['mode'], contactIds: readonly number[]): ContactKeys {
  const keys = contactIds.map(splitContactKey)
  return { mode, storeIds: keys.map(({ storeId }) => storeId), numbers: keys.map(({ number }) => number) }
}

/** A contact with its channels, as an account that has revealed it reads it. `id` is the public id. */
export function describeContact(
  id: string,
  { facts, store }: Pick<OpenedContact, 'facts' | 'store'>,
  { revealedAt, isNew }: { revealedAt: Date; isNew: boolean },
  deliverEmails: DeliverEmails,
): Contact {
  return {
    id,
    object: 'contact',
    full_name: fullNameOf(facts),
    first_name: facts.first_name,
    last_name: facts.last_name,
    title: facts.title,
    role: facts.role,
    seniority: facts.seniority,
    profile_url: facts.profile_url,
    reveal_status: isNew ? 'newly_revealed' : 'already_revealed',
    charged: isNew,
    emails: deliverableEmails(facts, deliverEmails),
    phones: facts.phones,
    store,
    revealed_at: formatTime(revealedAt),
  }
}
