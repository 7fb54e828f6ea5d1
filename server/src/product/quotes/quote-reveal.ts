import { readCallerBudgets } from '../../customers/auth/budget-reports.ts'
import type { BudgetReport } from '../../customers/auth/budgets.ts'
import type { CallerContext } from '../../customers/auth/caller.ts'
import { remaining } from '../../customers/ledger/outcome.ts'
import type { DeliverEmails } from '../../foundation/encryption/contact-facts.ts'
import type { IdSealer } from '../../foundation/kernel/ids.ts'
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
  const left = {
    credits_remaining: remaining(limits.contact_credits, quote.credits_taken),
    exports_remaining: remaining(limits.store_exports, quote.exports_taken),
  }
  return {
    contacts: quote.contacts,
    stores: quote.stores,
    credits: quote.contacts - quote.already_revealed,
    already_revealed: quote.already_revealed,
    unrevealable: texts.length - quote.contacts,
    new_exports: quote.new_exports,
    ...withinBudgets(left, await readCallerBudgets(db, caller)),
  }
}

/** The rest of the account, at most of the key's budgets. */
export function withinBudgets(
  { credits_remaining, exports_remaining }: Pick<QuotedCost, 'credits_remaining' | 'exports_remaining'>,
  budgets: BudgetReport | null,
) {
  const { contact_credits, store_exports } = budgets ?? {}
  return {
    credits_remaining: Math.min(credits_remaining, contact_credits?.remaining ?? credits_remaining),
    exports_remaining: Math.min(exports_remaining, store_exports?.remaining ?? exports_remaining),
  }
}
