import { normalizeEmail, normalizePhone, normalizeProfile } from '../contacts/channels.ts'
import type { Email, Phone } from '../contacts/facts.ts'
import type { ContactRecord } from './contact-record.ts'
import { readPlainText } from './contact-text.ts'
import { quoted, RecordProblem } from './problem.ts'

type Given<Field extends keyof ContactRecord> = NonNullable<ContactRecord[Field]>

/** Each address once, however spelt; exactly one of them primary. */
export function readEmails(given: Given<'emails'>): Email[] {
  const emails = new Map<string, Email>()
  for (const [index, { email, status, type, is_primary }] of given.entries()) {
    const path = `emails[${index}].email`
    const text = readPlainText(path, email).trim()
    const normal = normalizeEmail(text)
    if (normal === null) throw new RecordProblem(`${path}: ${quoted(email)} is not an email address`)
    const entry = {
      email: text,
      status: status ?? 'unknown',
      type: type ?? 'unknown',
      is_primary: is_primary ?? false,
    }
    addOnce(emails, normal, entry)
  }
  return withOnePrimary([...emails.values()])
}

/** A number as people write it: with punctuation, as letters on the keys (1-800-FLOWERS), with an extension. */
const phone = /^(?:tel:)?[\s+(]*\p{Nd}[\p{Nd}A-Z\s()./\p{Pd}]*(?:;?(?:ext[.=]?|x|#)\s*\p{Nd}{1,7})?$/u

/** As given: which of them mean the same shows once the store's country is known. */
export function readPhones(given: Given<'phones'>): Phone[] {
  return given.map(({ phone: number, type, is_primary }, index) => {
    const path = `phones[${index}].phone`
    const text = readPlainText(path, number).trim()
    if (!phone.test(text) || normalizePhone(text, null) === null)
      throw new RecordProblem(`${path}: ${quoted(number)} is not a phone number`)
    return { phone: text, type: type ?? 'unknown', is_primary: is_primary ?? false }
  })
}

/** Whether what number it is hangs on the country it is dialled in. */
export function isNational({ phone }: Phone): boolean {
  return !/^[\s(]*(?:\+|00)/.test(phone)
}

/** Each number once, exactly one of them primary. */
export function distinctPhones(phones: Phone[], country: string | null): Phone[] {
  if (phones.length < 2) return withOnePrimary(phones)
  const distinct = new Map<string, Phone>()
  for (const entry of phones) addOnce(distinct, normalizePhone(entry.phone, country) ?? entry.phone, entry)
  return withOnePrimary([...distinct.values()])
}

export function readProfileUrl(given: string): string {
  const text = readPlainText('profile_url', given).trim()
  if (!isWebUrl(text) || normalizeProfile(text) === null)
    throw new RecordProblem(`profile_url: ${quoted(given)} is not an http or https URL`)
  return text
}

function isWebUrl(text: string): boolean {
  try {
    return /^https?:$/.test(new URL(text).protocol)
  } catch {
    return false
  }
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

/** Exactly one of a list that is not empty: the first that says so, or else the first. */
function withOnePrimary<Channel extends Email | Phone>(channels: Channel[]): Channel[] {
  const primary = Math.max(
    0,
    channels.findIndex((channel) => channel.is_primary),
  )
  return channels.map((channel, index) => ({ ...channel, is_primary: index === primary }))
}
