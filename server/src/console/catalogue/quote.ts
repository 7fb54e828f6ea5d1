import { type Static, Type } from 'typebox'
import { ClosedObject, RequestId } from '../../kernel/shapes.ts'
import { withBalances } from '../../quotes/create-quote.ts'
import { quoteReveal, type RevealQuoteContext } from '../../quotes/quote-reveal.ts'
import { balancedCost, quotedContacts } from '../../quotes/schema.ts'

export const QuotedContacts = ClosedObject(quotedContacts)

export const RevealQuote = ClosedObject({
  object: Type.Literal('reveal_quote'),
  ...balancedCost,
  request_id: RequestId,
})

/** What the page asks before each reveal: the same as a quote, without a token. */
export async function quoteContacts(
  ctx: RevealQuoteContext,
  { contact_ids }: Static<typeof QuotedContacts>,
): Promise<Static<typeof RevealQuote>> {
  return { object: 'reveal_quote', ...withBalances(await quoteReveal(ctx, contact_ids)), request_id: ctx.requestId }
}
