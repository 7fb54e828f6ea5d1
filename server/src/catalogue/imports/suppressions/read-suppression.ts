import { isUtf8 } from 'node:buffer'
import type { Identity, IdentityHasher } from '../../../foundation/encryption/identities.ts'
import { normalizeEmail, normalizeMailHost } from '../../../foundation/kernel/channels/email.ts'
import { normalizePhone } from '../../../foundation/kernel/channels/phone.ts'
import { isProfilePage, normalizeProfile } from '../../../foundation/kernel/channels/profile.ts'
import { RecordError } from '../fields/faults.ts'
import { isBlank, type Line } from '../source/lines.ts'

/** The parsed line of a suppression list. */
export interface Suppression {
  identities: Identity[]
  /** The host if the line names a whole site; contacts of the store with this host are suppressed too. */
  host: string | null
}

export function isBlankOrComment(line: Line): boolean {
  return isBlank(line) || /^\s*#/.test(line.bytes.toString('latin1', 0, 1_000))
}

const maxLength = 2_048

/**
 * Parses one email, phone, profile URL or domain; the format decides which. Throws `RecordError` for any other text.
 */
export function readSuppression({ bytes, isTruncated }: Line, hasher: IdentityHasher): Suppression {
  if (isTruncated || bytes.length > maxLength) throw new RecordError(`longer than ${maxLength} bytes`)
  if (!isUtf8(bytes)) throw new RecordError('not valid UTF-8')
  const text = bytes.toString('utf8').normalize('NFKC').trim()
  if (/^mailto:|^[^/]*[^/*]@/i.test(text) && !/^(?:https?:)?\/\//i.test(text)) return readEmail(text, hasher)
  if (phoneLike.test(text)) return readPhone(text, hasher)
  return readSite(text.replace(/^\*?@/, ''), hasher)
}

function readEmail(text: string, hasher: IdentityHasher): Suppression {
  const email = normalizeEmail(text)
  if (email === null) throw new RecordError('not an email address')
  return { identities: [hasher.hash('email', email)], host: null }
}

const phoneLike = /^(?:tel:)?[\p{Nd}+\s()./\p{Pd}]+(?:(?:ext\.?|x|#|;ext=)\s*\p{Nd}+)?$/iu

function readPhone(text: string, hasher: IdentityHasher): Suppression {
  const phone = normalizePhone(text, null)
  if (!phone?.startsWith('+')) throw new RecordError('a phone number needs its country code, as in +49 30 123456')
  return { identities: [hasher.hash('phone', phone)], host: null }
}

/** A page is a profile. A whole site is a domain, and may also be a person's homepage. */
function readSite(text: string, hasher: IdentityHasher): Suppression {
  const site = normalizeProfile(text)
  if (site === null) throw new RecordError('neither an email, a phone, a profile URL nor a domain')
  const profile = hasher.hash('profile', site)
  if (isProfilePage(site)) return { identities: [profile], host: null }
  const mailHost = normalizeMailHost(site)
  return { identities: [profile, hasher.hash('domain', mailHost ?? site)], host: site }
}
