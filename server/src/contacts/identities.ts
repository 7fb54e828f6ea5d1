import { createTextHmac } from '../kernel/hmac.ts'
import { hostOfEmail, isPage, isRoleMailbox, normalizeEmail, normalizePhone, normalizeProfile } from './channels.ts'
import type { ContactFacts } from './facts.ts'

/** What a person can be recognised by. */
export type IdentityKind = 'email' | 'phone' | 'profile' | 'domain' | 'record'

export interface Identity {
  kind: IdentityKind
  /** A signed 64-bit number in decimal: PostgreSQL's bigint, too wide for a JavaScript number. */
  hash: string
}

/** Keyed hashes that say whether two spellings mean the same person, and nothing to whoever lacks the key. */
export interface IdentityHasher {
  /** `normal` is a channel in normal form. */
  hash(kind: IdentityKind, normal: string): Identity
  /** 16 bytes that stand for what identifies a contact within its store. */
  externalKey(parts: readonly (string | null)[]): Buffer
}

export function createIdentityHasher(secret: Buffer): IdentityHasher {
  const digest = createTextHmac(secret)
  return {
    hash: (kind, normal) => ({ kind, hash: digest(`${kind}\n${normal}`).readBigInt64BE().toString() }),
    externalKey: (parts) => digest(`key\n${JSON.stringify(parts)}`).subarray(0, 16),
  }
}

/** Where a contact belongs, as far as it bears on who the person is. */
export interface ContactPlace {
  storeId: number
  externalKey: Buffer
  /** The store's country: how a phone number without a country code is read. */
  country: string | null
}

/** What a person can be recognised by at any store, told apart by whose it is. */
export interface ChannelIdentities {
  /** Personal mailboxes and the profile page: where one of them stands twice, it is the same person. */
  own: Identity[]
  /** Phones and mailboxes of a role: a switchboard, info@. They may be other people's as well. */
  shareable: Identity[]
  /** The hosts of the emails. */
  domains: Identity[]
}

export interface PersonIdentities extends ChannelIdentities {
  /** The import key. */
  record: Identity
}

export function readIdentities(hasher: IdentityHasher, facts: ContactFacts, place: ContactPlace): PersonIdentities {
  return { ...readChannels(hasher, facts, place.country), record: recordIdentity(hasher, place) }
}

/** `country` is the store's: how a phone number without a country code is read. */
export function readChannels(
  hasher: IdentityHasher,
  { emails, phones, profile_url }: Pick<ContactFacts, 'emails' | 'phones' | 'profile_url'>,
  country: string | null,
): ChannelIdentities {
  const identities: ChannelIdentities = { own: [], shareable: [], domains: [] }
  for (const { email, type } of emails) {
    const normal = normalizeEmail(email)
    if (normal === null) continue
    const isShareable = type === 'role' || isRoleMailbox(normal)
    identities[isShareable ? 'shareable' : 'own'].push(hasher.hash('email', normal))
    identities.domains.push(hasher.hash('domain', hostOfEmail(normal)))
  }
  for (const { phone } of phones) {
    const normal = normalizePhone(phone, country)
    if (normal !== null) identities.shareable.push(hasher.hash('phone', normal))
  }
  const profile = profile_url === null ? null : normalizeProfile(profile_url)
  if (profile !== null) identities[isPage(profile) ? 'own' : 'shareable'].push(hasher.hash('profile', profile))
  return identities
}

export function recordIdentity(
  hasher: IdentityHasher,
  { storeId, externalKey }: Pick<ContactPlace, 'storeId' | 'externalKey'>,
): Identity {
  return hasher.hash('record', `${storeId}\n${externalKey.toString('hex')}`)
}

/** Everything the person can be recognised by, each once: channels however spelt, hosts of the emails, the import key. */
export function identitiesOf(hasher: IdentityHasher, facts: ContactFacts, place: ContactPlace): Identity[] {
  const { own, shareable, record, domains } = readIdentities(hasher, facts, place)
  const identities = [...own, ...shareable, ...domains, record]
  return [...new Map(identities.map((identity) => [identity.hash, identity])).values()]
}
