import {
  hostOfEmail,
  isProfilePage,
  isRoleMailbox,
  normalizeEmail,
  normalizePhone,
  normalizeProfile,
} from '../kernel/channels.ts'
import { createTextHmac } from '../kernel/signer.ts'
import type { ContactFacts, Email } from './contact-facts.ts'

/** What a person can be recognised by. */
type IdentityKind = 'email' | 'phone' | 'profile' | 'domain' | 'record'

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
  const number = Buffer.alloc(8)
  return {
    hash: (kind, normal) => {
      number.write(digest(`${kind}\n${normal}`), 'binary')
      return { kind, hash: number.readBigInt64BE().toString() }
    },
    externalKey: (parts) => Buffer.from(digest(`key\n${JSON.stringify(parts)}`).slice(0, 16), 'binary'),
  }
}

/** Where a contact belongs, as far as it bears on who the person is. */
export interface ContactImportKey {
  storeId: number
  externalKey: Buffer
  /** The store's country: how a phone number without a country code is read. */
  country: string | null
}

/** What a person can be recognised by at any store, told apart by whose it is. */
interface ChannelIdentities {
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

export function computeIdentities(
  hasher: IdentityHasher,
  facts: ContactFacts,
  place: ContactImportKey,
): PersonIdentities {
  const channels = hashChannels(hasher, normalizeChannels(facts, place.country))
  return { ...channels, record: recordIdentity(hasher, place) }
}

/** Channels in normal form. */
export interface NormalChannels {
  emails: { normal: string; type: Email['type'] }[]
  phones: string[]
  profile: string | null
}

/** `country` is the store's: how a phone number without a country code is read. */
export function normalizeChannels(
  { emails, phones, profile_url }: Pick<ContactFacts, 'emails' | 'phones' | 'profile_url'>,
  country: string | null,
): NormalChannels {
  return {
    emails: emails.flatMap(({ email, type }) => {
      const normal = normalizeEmail(email)
      return normal === null ? [] : [{ normal, type }]
    }),
    phones: phones.flatMap(({ phone }) => normalizePhone(phone, country) ?? []),
    profile: profile_url === null ? null : normalizeProfile(profile_url),
  }
}

function hashChannels(hasher: IdentityHasher, { emails, phones, profile }: NormalChannels): ChannelIdentities {
  const identities: ChannelIdentities = { own: [], shareable: [], domains: [] }
  for (const { normal, type } of emails) {
    const isShareable = type === 'role' || isRoleMailbox(normal)
    identities[isShareable ? 'shareable' : 'own'].push(hasher.hash('email', normal))
    identities.domains.push(hasher.hash('domain', hostOfEmail(normal)))
  }
  for (const normal of phones) identities.shareable.push(hasher.hash('phone', normal))
  if (profile !== null) identities[isProfilePage(profile) ? 'own' : 'shareable'].push(hasher.hash('profile', profile))
  return identities
}

export function recordIdentity(
  hasher: IdentityHasher,
  { storeId, externalKey }: Pick<ContactImportKey, 'storeId' | 'externalKey'>,
): Identity {
  return hasher.hash('record', `${storeId}\n${externalKey.toString('hex')}`)
}

/** What somebody with these channels is recognised by. */
export function listChannelHashes(hasher: IdentityHasher, channels: NormalChannels): string[] {
  const { own, shareable, domains } = hashChannels(hasher, channels)
  return [...own, ...shareable, ...domains].map(({ hash }) => hash)
}
