import { type Static, Type } from 'typebox'
import {
  type Email,
  emailStatuses,
  emailTypes,
  maxChannels,
  type Phone,
  phoneTypes,
  withOnePrimary,
} from '../../../foundation/encryption/contact-facts.ts'
import type { NormalChannels } from '../../../foundation/encryption/identities.ts'
import { findUnseen, isPlaceholder, normalizeEmail, readEmail } from '../../../foundation/kernel/channels/email.ts'
import { normalizePhone } from '../../../foundation/kernel/channels/phone.ts'
import { normalizeProfile } from '../../../foundation/kernel/channels/profile.ts'
import { ClosedObject } from '../../../foundation/kernel/shapes.ts'
import { nameCharacter } from '../../../foundation/kernel/text/idna.ts'
import { CellFault } from '../cells/cell-fault.ts'
import { isInternationalPhone, readPhone } from '../cells/phones.ts'
import { statusWords } from '../cells/words.ts'
import { badValue, type Fault } from '../fields/faults.ts'
import { mapGiven, OptionalNullable, type PatchField, PlainText, readText } from '../fields/fields.ts'

/** The channels in an import file. */
export const ChannelFields = {
  profile_url: OptionalNullable(PlainText(2_048, 'a public profile, as an http or https URL')),
  emails: OptionalNullable(
    Type.Array(
      ClosedObject({
        email: PlainText(320, 'an email address', 'email'),
        status: OptionalNullable(
          Type.Enum([...emailStatuses], {
            description: 'what is known of the address',
            words: statusWords,
            // An address of unknown standing would pass for one that may be sold.
            restricts: true,
          }),
        ),
        type: OptionalNullable(Type.Enum([...emailTypes], { description: 'whose address it is' })),
        is_primary: OptionalNullable(Type.Boolean({ description: 'whether it is the first to use' })),
      }),
      { maxItems: maxChannels },
    ),
  ),
  phones: OptionalNullable(
    Type.Array(
      ClosedObject({
        phone: PlainText(64, 'a phone number', 'phone'),
        type: OptionalNullable(Type.Enum([...phoneTypes], { description: 'which phone it is' })),
        is_primary: OptionalNullable(Type.Boolean({ description: 'whether it is the first to use' })),
      }),
      { maxItems: maxChannels },
    ),
  ),
}

/** The channels of a record. */
interface ContactChannels {
  emails: PatchField<Email[]>
  /** As given: duplicates can only be found once the store's country is known. */
  phones: PatchField<Phone[]>
  profileUrl: PatchField<string>
  /** All channels in normal form; without phones if any of them depends on the country. */
  normal: NormalChannels
  hasNationalPhones: boolean
}

const Channels = ClosedObject(ChannelFields)
type GivenChannels = Static<typeof Channels>
type Items<Field extends keyof GivenChannels> = NonNullable<GivenChannels[Field]>

export function readChannels(faults: Fault[], record: GivenChannels, cleansPhones: boolean): ContactChannels {
  const normal: NormalChannels = { emails: [], phones: [], profile: null }
  const emails = mapGiven(record.emails, (given) => readEmails(faults, given, normal))
  const phones = mapGiven(record.phones, (given) => readPhones(faults, given, cleansPhones))
  const profileUrl = mapGiven(record.profile_url, (given) => readProfileUrl(faults, given, normal))
  const hasNationalPhones = phones?.some(isNational) ?? false
  if (phones && !hasNationalPhones) normal.phones = phones.flatMap(({ phone }) => normalizePhone(phone, null) ?? [])
  return { emails, phones, profileUrl, normal, hasNationalPhones }
}

/** Removes duplicate addresses and placeholders; makes exactly one primary. Undefined if only placeholders are given. */
function readEmails(faults: Fault[], given: Items<'emails'>, found: NormalChannels): Email[] | undefined {
  const emails = new Map<string, Email>()
  for (const [index, { email, status, type, is_primary }] of given.entries()) {
    const path = `emails[${index}].email`
    const text = readText(faults, path, email)?.trim()
    if (text === undefined) continue
    const address = readEmail(text)
    const normal = address && normalizeEmail(address)
    if (address === null || normal === null) faults.push(notAnAddress(path, text))
    else if (!isPlaceholder(normal))
      addOnce(emails, normal, {
        email: address,
        status: status ?? 'unknown',
        type: type ?? 'unknown',
        is_primary: is_primary ?? false,
      })
  }
  found.emails = Array.from(emails, ([normal, { type }]) => ({ normal, type }))
  return emails.size === 0 && given.length > 0 ? undefined : withOnePrimary([...emails.values()])
}

function notAnAddress(path: string, text: string): Fault {
  const unseen = findUnseen(text)
  const hint = unseen === null || unseen === ' ' ? null : `it has ${nameCharacter(unseen)}; write it anew`
  return badValue(path, text, 'is not an email address', hint)
}

/** A phone number as people write it: with punctuation, letters (1-800-FLOWERS) and an extension. */
const writtenPhone = /^(?:tel:)?[\s+(]*\p{Nd}[\p{Nd}A-Z\s()./\p{Pd}]*(?:;?(?:ext[.=]?|x|#)\s*\p{Nd}{1,7})?$/u
const threeDigits = /(?:\p{Nd}.*){3}/u

/** Phones to be cleaned are checked once the country of their store is known. */
function readPhones(faults: Fault[], given: Items<'phones'>, cleansPhones: boolean): Phone[] {
  return given.flatMap(({ phone, type, is_primary }, index) => {
    const path = `phones[${index}].phone`
    const text = readText(faults, path, phone)?.trim()
    if (text === undefined) return []
    if (!cleansPhones && !(writtenPhone.test(text) && threeDigits.test(text))) {
      faults.push(badValue(path, phone, 'is not a phone number'))
      return []
    }
    return { phone: text, type: type ?? 'unknown', is_primary: is_primary ?? false }
  })
}

function isNational({ phone }: Phone): boolean {
  return !isInternationalPhone(phone)
}

const webUrl = /^https?:\/\//i

function readProfileUrl(faults: Fault[], given: string, found: NormalChannels): string | undefined {
  const url = readText(faults, 'profile_url', given)?.trim()
  if (url === undefined) return undefined
  found.profile = webUrl.test(url) ? normalizeProfile(url) : null
  if (found.profile === null) faults.push(badValue('profile_url', given, 'is not an http or https URL'))
  return url
}

/** Writes phones as E.164, those without country code with the rules of the store's country; leaves out bad ones. */
export function completePhones<Patch extends { phones: PatchField<Phone[]> }>(
  patch: Patch,
  country: string | null,
): { patch: Patch; faults: Fault[] } {
  const faults: Fault[] = []
  const phones = patch.phones?.flatMap((entry, index) => {
    if (!isNational(entry)) return entry
    try {
      return { ...entry, phone: readPhone(entry.phone, country) }
    } catch (error) {
      if (!(error instanceof CellFault)) throw error
      faults.push(badValue(`phones[${index}].phone`, entry.phone, error.reason, error.hint))
      return []
    }
  })
  return { patch: { ...patch, phones: phones && phones.length > 0 ? phones : undefined }, faults }
}

/** Phones that are to be cleaned and are none in any country. */
export function hopelessPhones({
  phones,
  cleansPhones,
}: {
  phones: PatchField<Phone[]>
  cleansPhones: boolean
}): Fault[] {
  if (!cleansPhones) return []
  return (phones ?? []).flatMap(({ phone }, index) => {
    const isPossible = isInternationalPhone(phone) || (writtenPhone.test(phone) && threeDigits.test(phone))
    return isPossible ? [] : badValue(`phones[${index}].phone`, phone, 'is not a phone number')
  })
}

/** Removes duplicate numbers; makes exactly one primary. */
export function deduplicatePhones(phones: Phone[], country: string | null): Phone[] {
  if (phones.length < 2) return withOnePrimary(phones)
  const distinct = new Map<string, Phone>()
  for (const entry of phones) addOnce(distinct, normalizePhone(entry.phone, country) ?? entry.phone, entry)
  return withOnePrimary([...distinct.values()])
}

/** Keeps the first spelling; a duplicate can still make it primary. */
function addOnce<Channel extends Email | Phone>(
  channels: Map<string, Channel>,
  normal: string,
  channel: Channel,
): void {
  const earlier = channels.get(normal)
  if (!earlier) channels.set(normal, channel)
  else if (channel.is_primary) channels.set(normal, { ...earlier, is_primary: true })
}
