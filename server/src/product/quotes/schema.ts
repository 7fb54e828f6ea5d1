/** Quotes as callers ask for them and as replies describe them. */
import { type Static, Type } from 'typebox'
import { maxQuotedContactIds } from '../../foundation/kernel/quote.ts'
import { ClosedObject, Count, ObjectKind, RequestId, Timestamp, Variants } from '../../foundation/kernel/shapes.ts'
import { ContactId, RequestedContactId } from '../delivery/contact-preview.ts'
import { exportProperties } from '../exports/schema.ts'

const maxQuotedContacts = 1_000

const quotedContacts = {
  contact_ids: Type.Array(RequestedContactId, {
    minItems: 1,
    maxItems: maxQuotedContacts,
    description: 'Ids from previews. A repeated id counts once.',
    examples: [['ct_live_PqLmXzTbVnRwKdHc']],
  }),
}

const RevealQuoteRequest = ClosedObject(
  { for: Type.Literal('reveal', { description: 'A reveal.' }), ...quotedContacts },
  { title: 'RevealQuoteRequest', description: 'The contacts of a reveal.' },
)

const ExportQuoteRequest = ClosedObject(
  { for: Type.Literal('export', { description: 'An export.' }), ...exportProperties },
  { title: 'ExportQuoteRequest', description: 'The body of an export.' },
)

/** Longer than any quote that names its contacts. */
const maxQuoteLength = 1_000

const QuotedRevealRequest = ClosedObject(
  {
    for: Type.Literal('quoted_reveal', { description: 'An earlier quote of a reveal.' }),
    quote: Type.String({ maxLength: maxQuoteLength, description: 'A quote of a reveal of at most 100 contacts.' }),
    contact_ids: Type.Optional(
      Type.Array(RequestedContactId, {
        minItems: 1,
        maxItems: maxQuotedContactIds,
        description: 'The ids that were quoted, in the same order; the quote is refused if it is for others.',
      }),
    ),
  },
  { title: 'QuotedRevealRequest', description: 'An earlier quote, to be checked again.' },
)
export type QuotedRevealRequest = Static<typeof QuotedRevealRequest>

/** Each by what it is for. */
export const quoteVariants = {
  reveal: RevealQuoteRequest,
  quoted_reveal: QuotedRevealRequest,
  export: ExportQuoteRequest,
}

/** For the document, and for the compiler: a union cannot fill in defaults, so each is checked on its own. */
export const QuoteRequest = Variants('for', [
  RevealQuoteRequest,
  QuotedRevealRequest,
  withoutDefaults(ExportQuoteRequest),
])
export type QuoteRequest = Static<typeof QuoteRequest>

function withoutDefaults<T>(schema: T): T {
  return JSON.parse(JSON.stringify(schema, (key, value) => (key === 'default' ? undefined : value)))
}

/** What delivering costs, and what is left before. */
const cost = {
  contacts: Count('Contacts that would be delivered, those already revealed included.'),
  stores: Count('Stores that would be delivered; for contacts, the stores that they work at.'),
  credits: Count('Contact credits that it would cost.'),
  already_revealed: Count('Contacts among them that your account has revealed already; they are free.'),
  unrevealable: Count(
    'Contacts beside these that are unknown or have no deliverable channel; they would be left out and cost nothing.',
  ),
  new_exports: Count('Store exports that it would cost.'),
  credits_remaining: Count('Contact credits left now; of the key’s budget, if that has less.'),
  exports_remaining: Count('Store exports left now; of the key’s budget, if that has less.'),
}

const QuotedCost = ClosedObject(cost)
export type QuotedCost = Static<typeof QuotedCost>

/** A cost with what is left after it. */
const balancedCost = {
  ...cost,
  credits_after: Count('Contact credits left afterwards; 0 if they are not sufficient.'),
  exports_after: Count('Store exports left afterwards; 0 if they are not sufficient.'),
  sufficient: Type.Boolean({ description: 'Whether credits and exports cover all of it.' }),
}

export const Quote = ClosedObject(
  {
    object: ObjectKind('quote'),
    ...balancedCost,
    quote: Type.String({
      maxLength: maxQuoteLength,
      description: 'Starts an export with the same body that spends at most this, or holds a reveal to its cost.',
      examples: ['quo_AQBkV3hXb0ZtQ0pTd0xLcVJ2TnpZ'],
    }),
    expires_at: Timestamp('Until when the quote is accepted, in UTC: for ten minutes.'),
    contact_ids: Type.Optional(
      Type.Array(ContactId, {
        maxItems: maxQuotedContactIds,
        description: 'The contacts of the quote; only for quoted_reveal.',
      }),
    ),
    request_id: RequestId,
  },
  { title: 'Quote', description: 'What a reveal or an export would cost now, beside what is left.' },
)
export type Quote = Static<typeof Quote>
