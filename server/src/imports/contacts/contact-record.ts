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

/** A person as an import file has them. A field that is missing says nothing; null says that there is no value. */
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

/** What a record asks to change, in canonical values. */
export interface ContactPatch {
  /** Any host of the store. */
  storeHost: string
  /** Stands for what tells the person from others at the store. */
  externalKey: Buffer
  /** Part of the key, so the same in every record of the person. */
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
  /** What the record's channels are recognised by; null where that hangs on the country of the store. */
  channelHashes: string[] | null
}

const checkShape = compileShapeCheck(ContactRecord)

/** Reads one record; throws `RecordError` for what cannot be taken as it is. Nothing is guessed, cut or dropped. */
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
    role: mapGiven(record.role, (word) => requireNoChannels('role', resolver.resolve('role', 'role', word))),
    seniority: mapGiven(record.seniority, (word) => resolver.resolve('seniority', 'seniority', word) as Seniority),
    ...channels,
    channelHashes: hasNationalPhones ? null : listChannelHashes(seals.identities, normal),
  }
}

/** The first of what can tell a person from others at the store; the kinds never collide. */
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
  throw new RecordError('nothing tells who this is: external_id, an email or a name is needed')
}

/** The ways to reach somebody that a record names. */
interface ContactChannels {
  emails: PatchField<Email[]>
  /** As given: which of them mean the same shows once the store's country is known. */
  phones: PatchField<Phone[]>
  profileUrl: PatchField<string>
  /** All of them in normal form, phones as far as that does not hang on the country. */
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

/** Each address once, however spelt; exactly one of them primary. */
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

/** A number as people write it: with punctuation, as letters on the keys (1-800-FLOWERS), with an extension. */
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

/** Each number once, exactly one of them primary. */
export function deduplicatePhones(phones: Phone[], country: string | null): Phone[] {
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
