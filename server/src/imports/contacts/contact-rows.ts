import type { ContactFacts } from '../../encryption/contact-facts.ts'
import type { ContactPlace } from '../../encryption/identities.ts'
import { distinctPhones } from '../contact-channels.ts'
import { patched, when } from '../fields.ts'
import type { ContactPatch } from './contact-record.ts'

/** A person in their place, as they are or will be on file. */
export interface ContactState extends ContactPlace {
  number: number
  facts: ContactFacts
  /** What the channels are recognised by; null where several records or the database brought them. */
  channelHashes: string[] | null
}

const nobody: ContactFacts = {
  external_id: null,
  first_name: null,
  last_name: null,
  full_name: null,
  title: null,
  role: null,
  seniority: 'other',
  profile_url: null,
  emails: [],
  phones: [],
}

/**
 * What is known of a person after a record: what it leaves out stays as it was, lists are replaced whole. The country
 * is the store's, by which phone numbers are compared.
 */
export function applyContactPatch(
  before: ContactFacts | null,
  patch: ContactPatch,
  country: string | null,
): ContactFacts {
  const facts = before ?? nobody
  return {
    external_id: patch.externalId,
    first_name: patched(patch.firstName, facts.first_name, null),
    last_name: patched(patch.lastName, facts.last_name, null),
    full_name: patched(patch.fullName, facts.full_name, null),
    title: patched(patch.title, facts.title, null),
    role: patched(patch.role, facts.role, null),
    seniority: patched(patch.seniority, facts.seniority, 'other'),
    profile_url: patched(patch.profileUrl, facts.profile_url, null),
    emails: patched(patch.emails, facts.emails, []),
    phones: patched(
      when(patch.phones, (phones) => distinctPhones(phones, country)),
      facts.phones,
      [],
    ),
  }
}
