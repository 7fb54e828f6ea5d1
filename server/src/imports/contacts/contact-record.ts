import type { Seniority } from '@storedex/search-index'
import { type Static, Type } from 'typebox'
import {
  type Email,
  emailStatuses,
  emailTypes,
  fullNameOf,
  maxChannels,
  type Phone,
  phoneTypes,
  withOnePrimary,
} from '../../encryption/contact-facts.ts'
import { listChannelHashes, type NormalChannels } from '../../encryption/identities.ts'
import { normalizeEmail, normalizePhone, normalizeProfile } from '../../kernel/channels.ts'
import { ClosedObject } from '../../kernel/shapes.ts'
import { CellFault } from '../cells/cell-fault.ts'
import { isInternationalPhone, readPhone } from '../cells/phones.ts'
import { badValue, type Fault, fault } from '../faults.ts'
import {
  HostText,
  mapGiven,
  NameText,
  OptionalNullable,
  type PatchField,
  PlainText,
  readHost,
  readText,
  TaxonomyText,
} from '../fields.ts'
import type { ReadContext } from '../import-kind.ts'
import { compileShapeCheck } from '../shape-check.ts'
import { describeSharedPage, sharedHostHint } from '../stores/shared-hosts.ts'
import { readPreviewText, requireNoChannels } from './contact-text.ts'

/** A contact in an import file. A missing field keeps the stored value; null clears it. */
export const ContactRecord = ClosedObject({
  store_domain: HostText('the store: its domain, another host of it, or a URL; the key, with external_id'),
  external_id: OptionalNullable(PlainText(200, 'your own id of the contact, unique within its store')),
  first_name: OptionalNullable(NameText(500, 'the first name; previews show it')),
  last_name: OptionalNullable(NameText(500, 'the last name')),
  full_name: OptionalNullable(NameText(500, 'the full name, if it is not first and last name')),
  title: OptionalNullable(NameText(500, 'the job title; previews show it')),
  role: OptionalNullable(TaxonomyText('role', 'what the person works on')),
  seniority: OptionalNullable(TaxonomyText('seniority', 'how senior the person is')),
  profile_url: OptionalNullable(PlainText(2_048, 'a public profile, as an http or https URL')),
  emails: OptionalNullable(
    Type.Array(
      ClosedObject({
        email: PlainText(320, 'an email address', 'email'),
        status: OptionalNullable(Type.Enum([...emailStatuses], { description: 'what is known of the address' })),
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
})

export type ContactRecord = Static<typeof ContactRecord>

/** The changes of a record, as canonical values. */
export interface ContactPatch {
  /** Any host of the store. */
  storeHost: string
  /** A keyed hash of what identifies the contact within the store. */
  externalKey: Buffer
  /** Part of the key, so every record of the contact has the same. */
  externalId: string | null
  firstName: PatchField<string>
  lastName: PatchField<string>
  fullName: PatchField<string>
  title: PatchField<string>
  role: PatchField<string>
  seniority: PatchField<Seniority>
  profileUrl: PatchField<string>
  emails: PatchField<Email[]>
  phones: PatchField<Phone[]>
  /** Identity hashes of the record's channels; null if they depend on the store's country. */
  channelHashes: string[] | null
  /** Whether phones without country code are to be completed with the store's. */
  cleansPhones: boolean
}

export const checkContactShape = compileShapeCheck(ContactRecord)

/**
 * Reads the values of a record of valid shape and adds what is wrong to `faults`; the patch counts only if nothing was
 * added. Nothing is guessed, truncated or dropped.
 */
export function readContactRecord(
  value: object,
  { resolver, seals, cleansPhones }: ReadContext,
  faults: Fault[],
): ContactPatch {
  const record = value as ContactRecord
  // Missing only if the caller has already found it at fault.
  const storeHost = record.store_domain === undefined ? '' : (readStoreHost(faults, record.store_domain) ?? '')
  const names = {
    firstName: mapGiven(record.first_name, (name) => readPreviewText(faults, 'first_name', name)),
    lastName: mapGiven(record.last_name, (name) => readText(faults, 'last_name', name)),
    fullName: mapGiven(record.full_name, (name) => readText(faults, 'full_name', name)),
    title: mapGiven(record.title, (title) => readPreviewText(faults, 'title', title)),
  }
  const externalId = mapGiven(record.external_id, (id) => readText(faults, 'external_id', id)) ?? null
  const { normal, hasNationalPhones, ...channels } = readChannels(faults, record, cleansPhones)
  const role = mapGiven(record.role, (value) => resolver.resolve(faults, 'role', 'role', value))
  const key = keyOf(externalId, normal.emails[0]?.normal, names)
  if (key === null && faults.length === 0)
    faults.push(fault('', 'the person cannot be identified: external_id, an email or a name is needed'))
  return {
    storeHost,
    externalKey: seals.identities.externalKey(key ?? []),
    externalId,
    ...names,
    role: mapGiven(role, (value) => requireNoChannels(faults, 'role', value)),
    seniority: mapGiven(
      record.seniority,
      (value) => resolver.resolve(faults, 'seniority', 'seniority', value) as Seniority | undefined,
    ),
    ...channels,
    channelHashes: hasNationalPhones ? null : listChannelHashes(seals.identities, normal),
    cleansPhones: cleansPhones && hasNationalPhones,
  }
}

function readStoreHost(faults: Fault[], text: string): string | undefined {
  const host = readHost(faults, 'store_domain', text)
  const shared = host === undefined ? null : describeSharedPage(text, host)
  if (shared === null) return host
  faults.push(fault('store_domain', shared, { value: text, hint: sharedHostHint }))
  return undefined
}

/** Returns what identifies the contact within the store. The first part is the kind, so kinds never collide. */
function keyOf(
  externalId: string | null,
  email: string | undefined,
  { firstName, lastName, fullName, title }: Pick<ContactPatch, 'firstName' | 'lastName' | 'fullName' | 'title'>,
): (string | null)[] | null {
  if (externalId !== null) return ['external_id', externalId]
  if (email !== undefined) return ['email', email]
  const name = fullNameOf({
    full_name: fullName ?? null,
    first_name: firstName ?? null,
    last_name: lastName ?? null,
  })
  return name === null ? null : ['name', name, title ?? null]
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

type GivenChannels = Pick<ContactRecord, 'emails' | 'phones' | 'profile_url'>
type Items<Field extends keyof GivenChannels> = NonNullable<GivenChannels[Field]>

function readChannels(faults: Fault[], record: GivenChannels, cleansPhones: boolean): ContactChannels {
  const normal: NormalChannels = { emails: [], phones: [], profile: null }
  const emails = mapGiven(record.emails, (given) => readEmails(faults, given, normal))
  const phones = mapGiven(record.phones, (given) => readPhones(faults, given, cleansPhones))
  const profileUrl = mapGiven(record.profile_url, (given) => readProfileUrl(faults, given, normal))
  const hasNationalPhones = phones?.some(isNational) ?? false
  if (phones && !hasNationalPhones) normal.phones = phones.flatMap(({ phone }) => normalizePhone(phone, null) ?? [])
  return { emails, phones, profileUrl, normal, hasNationalPhones }
}

/** Removes duplicate addresses; makes exactly one primary. */
function readEmails(faults: Fault[], given: Items<'emails'>, found: NormalChannels): Email[] {
  const emails = new Map<string, Email>()
  for (const [index, { email, status, type, is_primary }] of given.entries()) {
    const path = `emails[${index}].email`
    const text = readText(faults, path, email)?.trim()
    if (text === undefined) continue
    const normal = normalizeEmail(text)
    if (normal === null) {
      faults.push(badValue(path, email, 'is not an email address'))
      continue
    }
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
export function completePhones(patch: ContactPatch, country: string | null): { patch: ContactPatch; faults: Fault[] } {
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
export function hopelessPhones({ phones, cleansPhones }: ContactPatch): Fault[] {
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
