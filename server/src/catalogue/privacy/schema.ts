import { seniorities } from '@storedex/search-index'
import { type Static, Type } from 'typebox'
import { emailStatuses, emailTypes, maxChannels, phoneTypes } from '../../foundation/encryption/contact-facts.ts'
import { RecordList } from '../../foundation/kernel/list-pages.ts'
import {
  ClosedObject,
  Count,
  Nullable,
  OneOf,
  RequestId,
  TaxonomyValue,
  Timestamp,
} from '../../foundation/kernel/shapes.ts'
import { contactIdPattern } from '../../product/delivery/contact-preview.ts'
import { Domain, StoreName } from '../../product/delivery/store-document.ts'

export const PrivacyRequestBody = ClosedObject({
  email: Type.String({ minLength: 3, maxLength: 254, description: 'The address to ask about; the link goes there.' }),
})

export const PrivacyRequestReply = ClosedObject(
  { object: Type.Literal('privacy_request'), request_id: RequestId },
  { description: 'The same for every address, known or not, and whether or not a link was sent.' },
)
export type PrivacyRequestReply = Static<typeof PrivacyRequestReply>

export const PrivacyTokenBody = ClosedObject({
  token: Type.String({ maxLength: 100, description: 'What follows the # of the link.' }),
})

const Text = (maxLength: number) => Nullable(Type.String({ maxLength }))
const IsPrimary = Type.Boolean()

/** A contact record as the privacy page shows it. */
const HeldContact = ClosedObject({
  id: Type.String({ pattern: contactIdPattern, maxLength: 24 }),
  match: OneOf(['address', 'shared_mailbox', 'same_person']),
  store: ClosedObject({ domain: Domain, name: StoreName }),
  added_at: Nullable(Timestamp('When the record was added; null for records from before this was kept.')),
  revealed_to_accounts: Count('To how many customers the record was revealed.'),
  external_id: Text(200),
  full_name: Text(1_001),
  first_name: Text(500),
  last_name: Text(500),
  title: Text(500),
  role: Nullable(TaxonomyValue()),
  seniority: OneOf(seniorities),
  profile_url: Text(2_048),
  emails: Type.Array(
    ClosedObject({
      email: Type.String({ maxLength: 320 }),
      status: OneOf(emailStatuses),
      type: OneOf(emailTypes),
      is_primary: IsPrimary,
    }),
    { maxItems: maxChannels },
  ),
  phones: Type.Array(
    ClosedObject({ phone: Type.String({ maxLength: 64 }), type: OneOf(phoneTypes), is_primary: IsPrimary }),
    { maxItems: maxChannels },
  ),
  withheld: Count('Emails, phones and profiles of the record that are shown only to the address of the person.'),
})
export type HeldContact = Static<typeof HeldContact>

export const maxShownContacts = 1_000

const privacyData = {
  email: Type.String({ maxLength: 254 }),
  requested_at: Timestamp('When the link was asked for.'),
  expires_at: Timestamp('When the link ends.'),
  suppressed_since: Nullable(Timestamp('Since when imports skip the address; null if they do not.')),
  signs_in: Type.Boolean({ description: 'Whether a user of the console has the address.' }),
  is_customer: Type.Boolean({ description: 'Whether a customer gave the address as their contact.' }),
  contacts_total: Count('Records in all.'),
  contacts: Type.Array(HeldContact, { maxItems: maxShownContacts }),
}

export const PrivacyDataReply = ClosedObject({
  object: Type.Literal('privacy_data'),
  ...privacyData,
  request_id: RequestId,
})
export type PrivacyDataReply = Static<typeof PrivacyDataReply>

export const PrivacyFileReply = ClosedObject({
  object: Type.Literal('privacy_file'),
  filename: Type.String({ maxLength: 100 }),
  content: Type.String({ description: 'JSON.' }),
  request_id: RequestId,
})
export type PrivacyFileReply = Static<typeof PrivacyFileReply>

export const PrivacyErasureReply = ClosedObject({
  object: Type.Literal('privacy_erasure'),
  erased: Count('Records that were erased.'),
  request_id: RequestId,
})
export type PrivacyErasureReply = Static<typeof PrivacyErasureReply>

export const PrivacyRequestListReply = RecordList(
  ClosedObject({
    entry: Count('Number of the request.'),
    requested_at: Timestamp('When the link was asked for.'),
    expires_at: Timestamp('When the link ends.'),
    opened_at: Nullable(Timestamp('When the link was opened first.')),
    ended_at: Nullable(Timestamp('When the request ended.')),
    outcome: OneOf(['waiting', 'opened', 'erased', 'nothing_held', 'kept', 'expired', 'mail_failed']),
    erased: Nullable(Count('Contacts that were erased.')),
  }),
)
export type PrivacyRequestListReply = Static<typeof PrivacyRequestListReply>
