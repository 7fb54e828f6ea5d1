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
import { hashesOfChannels, type NormalChannels } from '../../encryption/identities.ts'
import { normalizeEmail, normalizePhone, normalizeProfile } from '../../kernel/channels.ts'
import { Closed } from '../../kernel/shapes.ts'
import {
  compileShapeCheck,
  Given,
  Host,
  type Patched,
  quoted,
  RecordProblem,
  readHost,
  Text,
  Word,
  when,
} from '../fields.ts'
import type { ReadContext } from '../kind.ts'
import { readPlainText, readShownText, refuseChannels } from './contact-text.ts'

/** A person as an import file has them. A field that is missing says nothing; null says that there is no value. */
export const ContactRecord = Closed({
  store_domain: Host,
  external_id: Given(Text(200)),
  first_name: Given(Text(500)),
  last_name: Given(Text(500)),
  full_name: Given(Text(500)),
  title: Given(Text(500)),
  role: Given(Word),
  seniority: Given(Word),
  profile_url: Given(Text(2_048)),
  emails: Given(
    Type.Array(
      Closed({
        email: Text(320),
        status: Given(Type.Enum([...emailStatuses])),
        type: Given(Type.Enum([...emailTypes])),
        is_primary: Given(Type.Boolean()),
      }),
      { maxItems: maxChannels },
    ),
  ),
  phones: Given(
    Type.Array(
      Closed({
        phone: Text(64),
        type: Given(Type.Enum([...phoneTypes])),
        is_primary: Given(Type.Boolean()),
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
  firstName: Patched<string>
  lastName: Patched<string>
  fullName: Patched<string>
  title: Patched<string>
  role: Patched<string>
  seniority: Patched<Seniority>
  profileUrl: Patched<string>
  emails: Patched<Email[]>
  phones: Patched<Phone[]>
  /** What the record's channels are recognised by; null where that hangs on the country of the store. */
  channelHashes: string[] | null
}

const checkShape = compileShapeCheck(ContactRecord)

/** Reads one record; throws `RecordProblem` for what cannot be taken as it is. Nothing is guessed, cut or dropped. */
export function readContactRecord(value: unknown, { words, seals }: ReadContext): ContactPatch {
  const problem = checkShape(value)
  if (problem !== null) throw new RecordProblem(problem)
  const record = value as ContactRecord
  const storeHost = readHost('store_domain', record.store_domain)
  const names = {
    firstName: when(record.first_name, (name) => readShownText('first_name', name)),
    lastName: when(record.last_name, (name) => readPlainText('last_name', name)),
    fullName: when(record.full_name, (name) => readPlainText('full_name', name)),
    title: when(record.title, (title) => readShownText('title', title)),
  }
  const externalId = when(record.external_id, (id) => readPlainText('external_id', id)) ?? null
  const { normal, hasNationalPhones, ...channels } = readChannels(record)
  return {
    storeHost,
    externalKey: seals.identities.externalKey(keyOf(externalId, normal.emails[0]?.normal, names)),
    externalId,
    ...names,
    role: when(record.role, (word) => refuseChannels('role', words.read('role', 'role', word))),
    seniority: when(record.seniority, (word) => words.read('seniority', 'seniority', word) as Seniority),
    ...channels,
    channelHashes: hasNationalPhones ? null : hashesOfChannels(seals.identities, normal),
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
  throw new RecordProblem('nothing tells who this is: external_id, an email or a name is needed')
}

/** The ways to reach somebody that a record names. */
interface ReadChannels {
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

function readChannels(record: GivenChannels): ReadChannels {
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
