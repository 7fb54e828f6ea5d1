import { unpackTraits } from '@storedex/search-index'
import { type ContactFacts, isRevealable, traitsOf } from '../../../foundation/encryption/contact-facts.ts'
import {
  type ContactImportKey,
  type IdentityHasher,
  listChannelHashes,
  normalizeChannels,
  recordIdentity,
} from '../../../foundation/encryption/identities.ts'
import { sealContact } from '../../../foundation/encryption/keyring.ts'
import { contactKey } from '../../../foundation/kernel/ids.ts'
import { renderPreviewedPerson } from '../../../product/delivery/contact-preview.ts'
import { mapGiven, patchField } from '../fields/fields.ts'
import type { WriteContext } from '../records/import-kind.ts'
import { deduplicatePhones } from './contact-channels.ts'
import type { ContactPatch } from './contact-record.ts'
import type { ContactRow } from './queries.ts'

/** A contact as it is or will be stored. */
export interface ContactState extends ContactImportKey {
  number: number
  facts: ContactFacts
  /** Identity hashes of the channels; null if the channels come from several records or from the database. */
  channelHashes: string[] | null
}

const emptyFacts: ContactFacts = {
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
 * Applies a record: missing fields keep their value, lists are replaced. `country` is the store's; it decides which phone
 * numbers are equal.
 */
export function applyContactPatch(
  before: ContactFacts | null,
  patch: ContactPatch,
  country: string | null,
): ContactFacts {
  const facts = before ?? emptyFacts
  return {
    external_id: patch.externalId,
    first_name: patchField(patch.firstName, facts.first_name, null),
    last_name: patchField(patch.lastName, facts.last_name, null),
    full_name: patchField(patch.fullName, facts.full_name, null),
    title: patchField(patch.title, facts.title, null),
    role: patchField(patch.role, facts.role, null),
    seniority: patchField(patch.seniority, facts.seniority, 'other'),
    profile_url: patchField(patch.profileUrl, facts.profile_url, null),
    emails: patchField(patch.emails, facts.emails, []),
    phones: patchField(
      mapGiven(patch.phones, (phones) => deduplicatePhones(phones, country)),
      facts.phones,
      [],
    ),
  }
}

/** A generator: PostgreSQL works while the next rows are sealed. */
export function* buildContactRows({ ids, seals, mode }: WriteContext, states: ContactState[]): Generator<ContactRow> {
  const keys = states.map(({ storeId, number }) => contactKey(storeId, number))
  const publicIds = ids.sealMany('contact', keys, mode)
  for (const [index, state] of states.entries()) {
    const { storeId, number, externalKey, facts } = state
    const traits = traitsOf(facts)
    yield {
      storeId,
      number,
      externalKey,
      role: facts.role,
      traits,
      revealable: isRevealable(facts, 'all'),
      verifiedRevealable: isRevealable(facts, 'verified'),
      verifiedEmails: facts.emails.filter(({ status }) => status === 'verified').length,
      preview: previewOf(publicIds[index]!, facts, traits),
      identities: hashesOfPerson(seals.identities, state),
      sealed: sealContact(seals.sealer, storeId, number, facts),
    }
  }
}

function previewOf(id: string, facts: ContactFacts, packedTraits: number): string {
  const { seniority, hasVerifiedEmail, hasPhone, hasProfile } = unpackTraits(packedTraits)
  return renderPreviewedPerson({
    id,
    object: 'contact_preview',
    first_name: facts.first_name,
    last_name_obfuscated: facts.last_name === null ? null : obfuscate(facts.last_name),
    role: facts.role,
    seniority,
    title: facts.title,
    has_verified_email: hasVerifiedEmail,
    has_phone: hasPhone,
    has_profile: hasProfile,
  })
}

/** The first letter and three asterisks, which hide the length. */
function obfuscate(name: string): string {
  const first = /\p{L}/u.exec(name)?.[0] ?? [...name][0]!
  return `${first}***`
}

/** Returns all identity hashes of a contact, without duplicates. */
export function hashesOfPerson(hasher: IdentityHasher, person: Omit<ContactState, 'number'>): string[] {
  const { facts, country, channelHashes } = person
  const hashes = channelHashes ?? listChannelHashes(hasher, normalizeChannels(facts, country))
  return [...new Set(hashes).add(recordIdentity(hasher, person).hash)]
}
