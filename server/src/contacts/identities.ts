import { createHmac } from 'node:crypto'
import { normalizeEmail, normalizePhone, normalizeProfile } from './channels.ts'
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
  const digest = (text: string) => createHmac('sha256', secret).update(text).digest()
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

/** Everything the person can be recognised by, each once: channels however spelt, hosts of the emails, the import key. */
export function identitiesOf(hasher: IdentityHasher, facts: ContactFacts, place: ContactPlace): Identity[] {
  const found = new Map<string, Identity>()
  const add = (kind: IdentityKind, normal: string | null) => {
    if (normal === null) return
    const identity = hasher.hash(kind, normal)
    found.set(identity.hash, identity)
  }
  for (const { email } of facts.emails) {
    const normal = normalizeEmail(email)
    add('email', normal)
    add('domain', normal?.slice(normal.lastIndexOf('@') + 1) ?? null)
  }
  for (const { phone } of facts.phones) add('phone', normalizePhone(phone, place.country))
  if (facts.profile_url !== null) add('profile', normalizeProfile(facts.profile_url))
  add('record', `${place.storeId}\n${place.externalKey.toString('hex')}`)
  return [...found.values()]
}
