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
import {
  compileShapeCheck,
  HostText,
  mapGiven,
  NonEmptyText,
  OptionalNullable,
  type PatchField,
  quoteForReason,
  RecordError,
  readHost,
  TaxonomyText,
} from '../fields.ts'
import type { ReadContext } from '../import-kind.ts'
import { readPreviewText, readSingleLineText, requireNoChannels } from './contact-text.ts'

/** A contact in an import file. A missing field keeps the stored value; null clears it. */
export const ContactRecord = ClosedObject({
  store_domain: HostText,
  external_id: OptionalNullable(NonEmptyText(200)),
  first_name: OptionalNullable(NonEmptyText(500)),
  last_name: OptionalNullable(NonEmptyText(500)),
  full_name: OptionalNullable(NonEmptyText(500)),
  title: OptionalNullable(NonEmptyText(500)),
  role: OptionalNullable(TaxonomyText),
  seniority: OptionalNullable(TaxonomyText),
  profile_url: OptionalNullable(NonEmptyText(2_048)),
  emails: OptionalNullable(
    Type.Array(
      ClosedObject({
        email: NonEmptyText(320),
        status: OptionalNullable(Type.Enum([...emailStatuses])),
        type: OptionalNullable(Type.Enum([...emailTypes])),
        is_primary: OptionalNullable(Type.Boolean()),
      }),
      { maxItems: maxChannels },
    ),
  ),
  phones: OptionalNullable(
    Type.Array(
      ClosedObject({
        phone: NonEmptyText(64),
        type: OptionalNullable(Type.Enum([...phoneTypes])),
        is_primary: OptionalNullable(Type.Boolean()),
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
}

const checkShape = compileShapeCheck(ContactRecord)

/** Checks one record; throws `RecordError` for an invalid one. Nothing is guessed, truncated or dropped. */
export function readContactRecord(value: unknown, { resolver, seals }: ReadContext): ContactPatch {
  const problem = checkShape(value)
  if (problem !== null) throw new RecordError(problem)
  const record = value as ContactRecord
  const storeHost = readHost('store_domain', record.store_domain)
  const names = {
    firstName: mapGiven(record.first_name, (name) => readPreviewText('first_name', name)),
    lastName: mapGiven(record.last_name, (name) => readSingleLineText('last_name', name)),
    fullName: mapGiven(record.full_name, (name) => readSingleLineText('full_name', name)),
    title: mapGiven(record.title, (title) => readPreviewText('title', title)),
  }
  const externalId = mapGiven(record.external_id, (id) => readSingleLineText('external_id', id)) ?? null
  const { normal, hasNationalPhones, ...channels } = readChannels(record)
  return {
    storeHost,
    externalKey: seals.identities.externalKey(keyOf(externalId, normal.emails[0]?.normal, names)),
    externalId,
    ...names,
    role: mapGiven(record.role, (value) => requireNoChannels('role', resolver.resolve('role', 'role', value))),
    seniority: mapGiven(record.seniority, (value) => resolver.resolve('seniority', 'seniority', value) as Seniority),
    ...channels,
    channelHashes: hasNationalPhones ? null : listChannelHashes(seals.identities, normal),
  }
}

/** Returns what identifies the contact within the store. The first part is the kind, so kinds never collide. */
function keyOf(
  externalId: string | null,
  email: string | undefined,
  { firstName, lastName, fullName, title }: Pick<ContactPatch, 'firstName' | 'lastName' | 'fullName' | 'title'>,
): (string | null)[] {
  if (externalId !== null) return ['external_id', externalId]
  if (email !== undefined) return ['email', email]
  const name = fullNameOf({
    full_name: fullName ?? null,
    first_name: firstName ?? null,
    last_name: lastName ?? null,
  })
  if (name !== null) return ['name', name, title ?? null]
  throw new RecordError('the person cannot be identified: external_id, an email or a name is needed')
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

function readChannels(record: GivenChannels): ContactChannels {
  const normal: NormalChannels = { emails: [], phones: [], profile: null }
  const emails = mapGiven(record.emails, (given) => readEmails(given, normal))
  const phones = mapGiven(record.phones, readPhones)
  const profileUrl = mapGiven(record.profile_url, (given) => readProfileUrl(given, normal))
  const hasNationalPhones = phones?.some(isNational) ?? false
  if (phones && !hasNationalPhones) normal.phones = phones.flatMap(({ phone }) => normalizePhone(phone, null) ?? [])
  return { emails, phones, profileUrl, normal, hasNationalPhones }
}

/** Removes duplicate addresses; makes exactly one primary. */
function readEmails(given: Items<'emails'>, found: NormalChannels): Email[] {
  const emails = new Map<string, Email>()
  for (const [index, { email, status, type, is_primary }] of given.entries()) {
    const path = `emails[${index}].email`
    const text = readSingleLineText(path, email).trim()
    const normal = normalizeEmail(text)
    if (normal === null) throw new RecordError(`${path}: ${quoteForReason(email)} is not an email address`)
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

function readPhones(given: Items<'phones'>): Phone[] {
  return given.map(({ phone, type, is_primary }, index) => {
    const path = `phones[${index}].phone`
    const text = readSingleLineText(path, phone).trim()
    if (!writtenPhone.test(text) || !threeDigits.test(text))
      throw new RecordError(`${path}: ${quoteForReason(phone)} is not a phone number`)
    return { phone: text, type: type ?? 'unknown', is_primary: is_primary ?? false }
  })
}

function isNational({ phone }: Phone): boolean {
  return !/^(?:tel:)?[\s(]*(?:\+|00)/.test(phone)
}

const webUrl = /^https?:\/\//i

function readProfileUrl(given: string, found: NormalChannels): string {
  const url = readSingleLineText('profile_url', given).trim()
  found.profile = webUrl.test(url) ? normalizeProfile(url) : null
  if (found.profile === null) throw new RecordError(`profile_url: ${quoteForReason(given)} is not an http or https URL`)
  return url
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
