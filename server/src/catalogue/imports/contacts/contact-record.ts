import type { Seniority } from '@storedex/search-index'
import type { Static } from 'typebox'
import type { Email, Phone } from '../../../foundation/encryption/contact-facts.ts'
import { listChannelHashes } from '../../../foundation/encryption/identities.ts'
import { ClosedObject } from '../../../foundation/kernel/shapes.ts'
import { contactIdPattern } from '../../../product/delivery/contact-preview.ts'
import { badValue, type Fault, fault } from '../fields/faults.ts'
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
} from '../fields/fields.ts'
import { compileShapeCheck } from '../fields/shape-check.ts'
import type { ReadContext } from '../records/import-kind.ts'
import { describeSharedPage, sharedHostHint } from '../stores/shared-hosts.ts'
import { ChannelFields, readChannels } from './contact-channels.ts'
import { readPreviewText, requireNoChannels } from './contact-text.ts'
import { keysOf, type PersonKeys } from './person-keys.ts'

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
  ...ChannelFields,
})

export type ContactRecord = Static<typeof ContactRecord>

/** The changes of a record, as canonical values. */
export interface ContactPatch {
  /** Any host of the store. */
  storeHost: string
  keys: PersonKeys
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
  const externalId = mapGiven(record.external_id, (id) => readExternalId(faults, id)) ?? null
  const { normal, hasNationalPhones, ...channels } = readChannels(faults, record, cleansPhones)
  const role = mapGiven(record.role, (value) => resolver.resolve(faults, 'role', 'role', value))
  const keys = keysOf(seals.identities, externalId, normal.emails, names)
  if (keys === null && faults.length === 0)
    faults.push(fault('', 'the person cannot be identified: external_id, an email or a name is needed'))
  return {
    storeHost,
    keys: keys ?? { main: seals.identities.externalKey([]), person: null, isShared: false },
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

const ownId = new RegExp(contactIdPattern)

/** A person with the id of an earlier export for customers would be another one beside the first. */
function readExternalId(faults: Fault[], text: string): string | undefined {
  const id = readText(faults, 'external_id', text)
  if (id === undefined || !ownId.test(id)) return id
  const hint = 'leave it out; "storedex export contacts" writes what an import takes'
  faults.push(badValue('external_id', text, 'is an id of this service, not one of yours', hint))
  return undefined
}

function readStoreHost(faults: Fault[], text: string): string | undefined {
  const host = readHost(faults, 'store_domain', text)
  const shared = host === undefined ? null : describeSharedPage(text, host)
  if (shared === null) return host
  faults.push(fault('store_domain', shared, { value: text, hint: sharedHostHint }))
  return undefined
}
