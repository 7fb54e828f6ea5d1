import { type Static, Type } from 'typebox'
import type { CallerContext } from '../../auth/caller.ts'
import { contactIdPattern } from '../../delivery/contact-preview.ts'
import type { IdSealer } from '../../kernel/ids.ts'
import { ClosedObject, Count, RequestId } from '../../kernel/shapes.ts'
import type { DeliverEmails } from '../../search/query/vocabulary.ts'
import { remaining } from '../../usage/charge.ts'
import { readRevealQuote } from './queries.ts'

const maxQuoted = 1_000

export const RevealQuoteRequest = ClosedObject({
  contact_ids: Type.Array(Type.String({ pattern: contactIdPattern, maxLength: 1_000 }), {
    minItems: 1,
    maxItems: maxQuoted,
    description: 'Ids from previews. A repeated id counts once.',
    examples: [['ct_live_PqLmXzTbVnRwKdHc']],
  }),
})

export const RevealQuote = ClosedObject({
  object: Type.Literal('reveal_quote'),
  contacts: Count('Contacts that a reveal would deliver, those already revealed included.'),
  credits: Count('Contact credits that it would cost.'),
  already_revealed: Count('Contacts that your account has revealed already; they are free.'),
  unrevealable: Count(
    'Contacts that are unknown or have no deliverable channel; they would be left out and cost nothing.',
  ),
  new_exports: Count('Store exports that it would cost.'),
  credits_remaining: Count('Contact credits left now.'),
  credits_after: Count('Contact credits left afterwards; 0 if they are not sufficient.'),
  exports_remaining: Count('Store exports left now.'),
  exports_after: Count('Store exports left afterwards; 0 if they are not sufficient.'),
  sufficient: Type.Boolean({ description: 'Whether credits and exports cover all of it.' }),
  request_id: RequestId,
})

interface QuoteContext extends CallerContext {
  ids: IdSealer
  deliverEmails: DeliverEmails
}

/** What revealing the contacts would cost now, all at once. Changes and costs nothing. */
export async function quoteReveal(
  { db, requestId, caller, ids, deliverEmails }: QuoteContext,
  request: Static<typeof RevealQuoteRequest>,
): Promise<Static<typeof RevealQuote>> {
  const { accountId, mode, entitlement } = caller
  const texts = [...new Set(request.contact_ids)]
  const quote = await readRevealQuote(db, {
    accountId,
    mode,
    contactIds: ids.openMany('contact', texts, mode).filter((key) => key !== null),
    deliverEmails,
    periodStart: entitlement.period.start,
    creditsPeriodStart: entitlement.creditsPeriod.start,
  })
  const credits = quote.contacts - quote.already_revealed
  const creditsLeft = remaining(entitlement.limits.contact_credits, quote.credits_taken)
  const exportsLeft = remaining(entitlement.limits.store_exports, quote.exports_taken)
  return {
    object: 'reveal_quote',
    contacts: quote.contacts,
    credits,
    already_revealed: quote.already_revealed,
    unrevealable: texts.length - quote.contacts,
    new_exports: quote.new_exports,
    credits_remaining: creditsLeft,
    credits_after: remaining(creditsLeft, credits),
    exports_remaining: exportsLeft,
    exports_after: remaining(exportsLeft, quote.new_exports),
    sufficient: credits <= creditsLeft && quote.new_exports <= exportsLeft,
    request_id: requestId,
  }
}
