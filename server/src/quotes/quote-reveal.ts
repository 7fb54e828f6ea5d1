import type { CallerContext } from '../auth/caller.ts'
import type { IdSealer } from '../kernel/ids.ts'
import type { DeliverEmails } from '../search/query/vocabulary.ts'
import { remaining } from '../usage/charge.ts'
import { readRevealQuote } from './queries.ts'
import type { QuotedCost } from './schema.ts'

export interface RevealQuoteContext extends CallerContext {
  ids: IdSealer
  deliverEmails: DeliverEmails
}

/** What revealing the contacts would cost now, all at once. Changes and costs nothing. */
export async function quoteReveal(
  { db, caller, ids, deliverEmails }: RevealQuoteContext,
  contactIds: readonly string[],
): Promise<QuotedCost> {
  const { accountId, mode, entitlement } = caller
  const texts = [...new Set(contactIds)]
  const quote = await readRevealQuote(db, {
    accountId,
    mode,
    contactIds: ids.openMany('contact', texts, mode).filter((key) => key !== null),
    deliverEmails,
    periodStart: entitlement.period.start,
    creditsPeriodStart: entitlement.creditsPeriod.start,
  })
  const { limits } = entitlement
  return {
    contacts: quote.contacts,
    stores: quote.stores,
    credits: quote.contacts - quote.already_revealed,
    already_revealed: quote.already_revealed,
    unrevealable: texts.length - quote.contacts,
    new_exports: quote.new_exports,
    credits_remaining: remaining(limits.contact_credits, quote.credits_taken),
    exports_remaining: remaining(limits.store_exports, quote.exports_taken),
  }
}
