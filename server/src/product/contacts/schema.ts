import { seniorities } from '@storedex/search-index'
import { type Static, Type } from 'typebox'
import { deliverableStatuses, emailTypes, maxChannels, phoneTypes } from '../../foundation/encryption/contact-facts.ts'
import {
  ClosedObject,
  Count,
  Nullable,
  OneOf,
  RequestId,
  TaxonomyValue,
  Timestamp,
} from '../../foundation/kernel/shapes.ts'
import { contactIdPattern, RequestedContactId } from '../delivery/contact-preview.ts'
import { Domain, StoreName, storeIdPattern } from '../delivery/store-document.ts'

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
  { title: 'ContactRevealRequest' },
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
export const RevealedContact = ClosedObject(
  {
    id: Type.String({ pattern: contactIdPattern, maxLength: 24, examples: ['ct_live_PqLmXzTbVnRwKdHc'] }),
    object: Type.Literal('contact'),
    full_name: Nullable(Type.String({ maxLength: 1_001 })),
    first_name: Nullable(Type.String({ maxLength: 500 })),
    last_name: Nullable(Type.String({ maxLength: 500 })),
    title: Nullable(Type.String({ maxLength: 500 })),
    role: Nullable(TaxonomyValue()),
    seniority: OneOf(seniorities),
    profile_url: Nullable(Type.String({ maxLength: 2_048 })),
    reveal_status: OneOf(['newly_revealed', 'already_revealed']),
    charged: Type.Boolean({ description: 'Whether a credit was spent for this contact in this call.' }),
    emails: Type.Array(
      ClosedObject(
        {
          email: Type.String({ maxLength: 320 }),
          status: OneOf(deliverableStatuses),
          type: OneOf(emailTypes),
          is_primary: IsPrimary,
        },
        { title: 'ContactEmail' },
      ),
      { maxItems: maxChannels },
    ),
    phones: Type.Array(
      ClosedObject(
        { phone: Type.String({ maxLength: 64 }), type: OneOf(phoneTypes), is_primary: IsPrimary },
        { title: 'ContactPhone' },
      ),
      { maxItems: maxChannels },
    ),
    store: ClosedObject(
      { id: Type.String({ pattern: storeIdPattern, maxLength: 24 }), domain: Domain, name: StoreName },
      { title: 'RevealedContactStore' },
    ),
    revealed_at: Timestamp('When your account revealed this contact for the first time.'),
  },
  { title: 'RevealedContact' },
)

export type RevealedContact = Static<typeof RevealedContact>

export const ContactRevealReply = ClosedObject(
  {
    object: Type.Literal('contact_reveal_result'),
    credits: ClosedObject(
      {
        spent: Count('Credits spent by this call.'),
        remaining: Count('Credits left in the period after this call.'),
      },
      { title: 'RevealCredits' },
    ),
    data: Type.Array(RevealedContact, { maxItems: maxContacts, description: 'In the order of the ids.' }),
    request_id: RequestId,
  },
  { title: 'ContactRevealReply' },
)
export type ContactRevealReply = Static<typeof ContactRevealReply>
