import { hostOfEmail, isRoleMailbox, normalizeEmail } from '../kernel/channels/email.ts'
import { normalizePhone } from '../kernel/channels/phone.ts'
import { isProfilePage, normalizeProfile } from '../kernel/channels/profile.ts'
import { createTextHmac } from '../kernel/signer.ts'
import type { ContactFacts, Email } from './contact-facts.ts'

/** The identities of a contact; `record` is the import key. */
type IdentityKind = 'email' | 'phone' | 'profile' | 'domain' | 'record'

export interface Identity {
  kind: IdentityKind
  /** A PostgreSQL bigint in decimal, too wide for a JavaScript number. */
  hash: string
}

/** Keyed hashes of what identifies a person; without the key they cannot be compared with known addresses. */
export interface IdentityHasher {
  /** `normal` is in normal form, so that all spellings of a channel have one hash. */
  hash(kind: IdentityKind, normal: string): Identity
  /** 16 bytes derived from the fields that identify a contact within its store. */
  externalKey(parts: readonly (string | null)[]): Buffer
  /** For a hasher in another thread of the process. */
  readonly secret: Buffer
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
    secret,
  }
}

export interface ContactImportKey {
  storeId: number
  externalKey: Buffer
  /** The store's country, assumed for phone numbers without a country code. */
  country: string | null
}

interface ChannelIdentities {
  /** Personal mailboxes and the profile page: two contacts that share one are the same person. */
  own: Identity[]
  /** Phones, role mailboxes such as info@, and company profiles: different people may share them. */
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
  key: ContactImportKey,
): PersonIdentities {
  const channels = hashChannels(hasher, normalizeChannels(facts, key.country))
  return { ...channels, record: recordIdentity(hasher, key) }
}

/** Channels in normal form. */
export interface NormalChannels {
  emails: { normal: string; type: Email['type'] }[]
  phones: string[]
  profile: string | null
}

/** `country` is the store's, assumed for phone numbers without a country code. */
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

/** The hashes of all identities that these channels give. */
export function listChannelHashes(hasher: IdentityHasher, channels: NormalChannels): string[] {
  const { own, shareable, domains } = hashChannels(hasher, channels)
  return [...own, ...shareable, ...domains].map(({ hash }) => hash)
}
