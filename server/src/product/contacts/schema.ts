import { type Static, Type } from 'typebox'
import {
  type deliverableStatuses,
  type emailTypes,
  maxChannels,
  type phoneTypes,
} from '../../foundation/encryption/contact-facts.ts'
import {
  ClosedObject,
  Count,
  GrowingEnum,
  Nullable,
  ObjectKind,
  OneOf,
  RequestId,
  Timestamp,
} from '../../foundation/kernel/shapes.ts'
import { ContactId, personProperties, RequestedContactId } from '../delivery/contact-preview.ts'
import { Domain, StoreId, StoreName } from '../delivery/store-document.ts'

const maxContacts = 10

export const ContactRevealRequest = ClosedObject(
  {
    contact_ids: Type.Array(RequestedContactId, {
      minItems: 1,
      maxItems: maxContacts,
      description: 'Ids from previews. A repeated id counts once.',
      examples: [['ct_live_PqLmXzTbVnRwKdHc']],
    }),
  },
  { title: 'ContactRevealRequest', description: 'The contacts to reveal.' },
)
export type ContactRevealRequest = Static<typeof ContactRevealRequest>

export const ContactRevealHeaders = Type.Object({
  'Idempotency-Key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      pattern: '^[ -~]+$',
      errorCode: 'invalid_idempotency_key',
      errorMessage: 'Idempotency-Key must be 1 to 255 printable ASCII characters.',
      errorParam: 'Idempotency-Key',
      description:
        'A unique text of your choice for this request. A repeat with the same body within 24 hours gets the first reply, byte for byte, and spends nothing; with another body it is refused.',
      examples: ['0d9c3f6e-52a4-4c0f-9a67-3f4f9f0f8a11'],
    }),
  ),
})

const IsPrimary = Type.Boolean({ description: 'True for exactly one in the list.' })

/** A contact with its channels. */
export const Contact = ClosedObject(
  {
    id: ContactId,
    object: ObjectKind('contact'),
    full_name: Nullable(
      Type.String({
        maxLength: 1_001,
        description: 'Full name; null if no name is known.',
        examples: ['Mara Lindqvist'],
      }),
    ),
    first_name: personProperties.first_name,
    last_name: Nullable(
      Type.String({ maxLength: 500, description: 'Last name; null if unknown.', examples: ['Lindqvist'] }),
    ),
    title: personProperties.title,
    role: personProperties.role,
    seniority: personProperties.seniority,
    profile_url: Nullable(
      Type.String({
        maxLength: 2_048,
        description: 'URL of a social profile; null if none is known. Sensitive: keep it out of logs.',
        examples: ['https://people.example/mara'],
      }),
    ),
    reveal_status: OneOf(['newly_revealed', 'already_revealed'], {
      description:
        'newly_revealed: this call revealed the contact for your account. already_revealed: an earlier one did; it costs nothing again.',
    }),
    charged: Type.Boolean({ description: 'Whether a credit was spent for this contact in this call.' }),
    emails: Type.Array(
      ClosedObject(
        {
          email: Type.String({
            maxLength: 320,
            description: 'The address. Sensitive: keep it out of logs.',
            examples: ['mara@aurora-candles.example'],
          }),
          status: GrowingEnum<(typeof deliverableStatuses)[number]>('What a check of the address found.', {
            verified: 'the mailbox exists',
            accept_all: 'the domain accepts every address, so the mailbox could not be checked',
            unverified: 'not checked',
            unknown: 'the check had no result',
          }),
          type: GrowingEnum<(typeof emailTypes)[number]>('What the address is.', {
            work: 'of the person, at the store',
            personal: 'private',
            role: 'of a function, such as info@',
            unknown: 'not known',
          }),
          is_primary: IsPrimary,
        },
        { title: 'ContactEmail', description: 'An email address of the contact.' },
      ),
      {
        maxItems: maxChannels,
        description:
          'Email addresses that may be delivered; empty if there is none. Addresses known to be wrong are left out, and in installations that deliver verified addresses alone, all others.',
      },
    ),
    phones: Type.Array(
      ClosedObject(
        {
          phone: Type.String({
            maxLength: 64,
            description:
              'The number, in international form where the country is known. Sensitive: keep it out of logs.',
            examples: ['+1 202-555-0143'],
          }),
          type: GrowingEnum<(typeof phoneTypes)[number]>('What the number is.', {
            mobile: 'a mobile phone',
            direct: 'a line of the person',
            office: 'the number of the store',
            unknown: 'not known',
          }),
          is_primary: IsPrimary,
        },
        { title: 'ContactPhone', description: 'A phone number of the contact.' },
      ),
      { maxItems: maxChannels, description: 'Phone numbers; empty if there is none.' },
    ),
    store: ClosedObject(
      { id: StoreId, domain: Domain, name: StoreName },
      { title: 'ContactStore', description: 'The store at which the contact works.' },
    ),
    revealed_at: Timestamp('When your account revealed this contact for the first time, in UTC.'),
  },
  { title: 'Contact', description: 'A revealed contact, with its name and channels.' },
)

export type Contact = Static<typeof Contact>

export const ContactRevealResult = ClosedObject(
  {
    object: ObjectKind('contact_reveal_result'),
    credits: ClosedObject(
      {
        spent: Count('Credits spent by this call: one for each contact with charged true.'),
        remaining: Count('Credits left in the period after this call, less what running exports have reserved.'),
      },
      { title: 'RevealCredits', description: 'What the call has cost in contact credits.' },
    ),
    data: Type.Array(Contact, {
      maxItems: maxContacts,
      description:
        'The contacts, in the order of the ids. Ids that are unknown, or of contacts without a channel, are left out and cost nothing.',
    }),
    request_id: {
      ...RequestId,
      description:
        'Names this reply, as the X-Request-Id header does. A reply that is replayed for its Idempotency-Key repeats that of the first one, while the header names the replay.',
    },
  },
  { title: 'ContactRevealResult', description: 'The contacts of a reveal and what they cost.' },
)
export type ContactRevealResult = Static<typeof ContactRevealResult>
