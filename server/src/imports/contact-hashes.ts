import {
  hashChannels,
  type IdentityHasher,
  type NormalChannels,
  normalizeChannels,
  recordIdentity,
} from '../contacts/identities.ts'
import type { ContactState } from './merge-contact.ts'

/** What somebody with these channels is recognised by. */
export function hashesOfChannels(hasher: IdentityHasher, channels: NormalChannels): string[] {
  const { own, shareable, domains } = hashChannels(hasher, channels)
  return [...own, ...shareable, ...domains].map(({ hash }) => hash)
}

/** All that a person is recognised by, each once. */
export function hashesOfPerson(hasher: IdentityHasher, person: Omit<ContactState, 'number'>): string[] {
  const { facts, country, channelHashes } = person
  const hashes = channelHashes ?? hashesOfChannels(hasher, normalizeChannels(facts, country))
  return [...new Set(hashes).add(recordIdentity(hasher, person).hash)]
}
