import { type Email, type Phone, withOnePrimary } from '../encryption/contact-facts.ts'
import type { NormalChannels } from '../encryption/identities.ts'
import { normalizeEmail, normalizePhone, normalizeProfile } from '../kernel/channels.ts'
import type { ContactRecord } from './contacts/contact-record.ts'
import { readPlainText } from './contacts/contact-text.ts'
import { type Patched, when } from './fields.ts'
import { quoted, RecordProblem } from './problem.ts'

/** The ways to reach somebody that a record names. */
export interface ReadChannels {
  emails: Patched<Email[]>
  /** As given: which of them mean the same shows once the store's country is known. */
  phones: Patched<Phone[]>
  profileUrl: Patched<string>
  /** All of them in normal form, phones as far as that does not hang on the country. */
  normal: NormalChannels
  hasNationalPhones: boolean
}

type GivenChannels = Pick<ContactRecord, 'emails' | 'phones' | 'profile_url'>
type Items<Field extends keyof GivenChannels> = NonNullable<GivenChannels[Field]>

export function readChannels(record: GivenChannels): ReadChannels {
  const normal: NormalChannels = { emails: [], phones: [], profile: null }
  const emails = when(record.emails, (given) => readEmails(given, normal))
  const phones = when(record.phones, readPhones)
  const profileUrl = when(record.profile_url, (given) => readProfileUrl(given, normal))
  const hasNationalPhones = phones?.some(isNational) ?? false
  if (phones && !hasNationalPhones) normal.phones = phones.flatMap(({ phone }) => normalizePhone(phone, null) ?? [])
  return { emails, phones, profileUrl, normal, hasNationalPhones }
}

/** Each address once, however spelt; exactly one of them primary. */
function readEmails(given: Items<'emails'>, found: NormalChannels): Email[] {
  const emails = new Map<string, Email>()
  for (const [index, { email, status, type, is_primary }] of given.entries()) {
    const path = `emails[${index}].email`
    const text = readPlainText(path, email).trim()
    const normal = normalizeEmail(text)
    if (normal === null) throw new RecordProblem(`${path}: ${quoted(email)} is not an email address`)
    addOnce(emails, normal, {
      email: text,
      status: status ?? 'unknown',
      type: type ?? 'unknown',
      is_primary: is_primary ?? false,
    })
  }
  found.emails = Array.from(emails, ([normal, { type }]) => ({ normal, type }))
  return withOnePrimary([...emails.values()])
}

/** A number as people write it: with punctuation, as letters on the keys (1-800-FLOWERS), with an extension. */
const writtenPhone = /^(?:tel:)?[\s+(]*\p{Nd}[\p{Nd}A-Z\s()./\p{Pd}]*(?:;?(?:ext[.=]?|x|#)\s*\p{Nd}{1,7})?$/u
const threeDigits = /(?:\p{Nd}.*){3}/u

function readPhones(given: Items<'phones'>): Phone[] {
  return given.map(({ phone, type, is_primary }, index) => {
    const path = `phones[${index}].phone`
    const text = readPlainText(path, phone).trim()
    if (!writtenPhone.test(text) || !threeDigits.test(text))
      throw new RecordProblem(`${path}: ${quoted(phone)} is not a phone number`)
    return { phone: text, type: type ?? 'unknown', is_primary: is_primary ?? false }
  })
}

function isNational({ phone }: Phone): boolean {
  return !/^(?:tel:)?[\s(]*(?:\+|00)/.test(phone)
}

const webUrl = /^https?:\/\//i

function readProfileUrl(given: string, found: NormalChannels): string {
  const url = readPlainText('profile_url', given).trim()
  found.profile = webUrl.test(url) ? normalizeProfile(url) : null
  if (found.profile === null) throw new RecordProblem(`profile_url: ${quoted(given)} is not an http or https URL`)
  return url
}

/** Each number once, exactly one of them primary. */
export function distinctPhones(phones: Phone[], country: string | null): Phone[] {
  if (phones.length < 2) return withOnePrimary(phones)
  const distinct = new Map<string, Phone>()
  for (const entry of phones) addOnce(distinct, normalizePhone(entry.phone, country) ?? entry.phone, entry)
  return withOnePrimary([...distinct.values()])
}

/** The first spelling counts; a repetition can still make it the primary one. */
function addOnce<Channel extends Email | Phone>(
  channels: Map<string, Channel>,
  normal: string,
  channel: Channel,
): void {
  const earlier = channels.get(normal)
  if (!earlier) channels.set(normal, channel)
  else if (channel.is_primary) channels.set(normal, { ...earlier, is_primary: true })
}
