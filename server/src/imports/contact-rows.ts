import { unpackTraits } from '@storedex/search-index'
import type { ContactRow } from '../catalogue/contact-queries.ts'
import { sealContact } from '../contacts/sealed-contact.ts'
import { renderPreviewedPerson } from '../delivery/contact-preview.ts'
import { type ContactFacts, isRevealable, traitsOf } from '../encryption/contact-facts.ts'
import { contactKey } from '../kernel/ids.ts'
import { hashesOfPerson } from './contact-hashes.ts'
import type { ContactState } from './contacts/contact-rows.ts'
import type { WriteContext } from './kind.ts'

/** Made one by one as they are drawn, so that PostgreSQL need not wait for all of them to be sealed. */
export function* contactRows({ ids, seals, mode }: WriteContext, states: ContactState[]): Generator<ContactRow> {
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

/** The first letter, and as many asterisks whatever the length. */
function obfuscate(name: string): string {
  const first = /\p{L}/u.exec(name)?.[0] ?? [...name][0]!
  return `${first}***`
}
