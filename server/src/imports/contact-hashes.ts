import { hashesOfChannels, type IdentityHasher, normalizeChannels, recordIdentity } from '../encryption/identities.ts'
import type { ContactState } from './contacts/contact-rows.ts'

/** All that a person is recognised by, each once. */
export function hashesOfPerson(hasher: IdentityHasher, person: Omit<ContactState, 'number'>): string[] {
  const { facts, country, channelHashes } = person
  const hashes = channelHashes ?? hashesOfChannels(hasher, normalizeChannels(facts, country))
  return [...new Set(hashes).add(recordIdentity(hasher, person).hash)]
}
