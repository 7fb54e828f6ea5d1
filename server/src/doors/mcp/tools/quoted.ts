import { createHash } from 'node:crypto'
import { formatNumber } from '../../../foundation/kernel/time.ts'
import type { Contact } from '../../../product/contacts/schema.ts'
import type { Quote } from '../../../product/quotes/schema.ts'
import { type ApiCall, callApi, ToolError } from '../api-call.ts'
import { catalogueData, compactValue } from '../text.ts'
import type { ToolReply } from './tool.ts'

/** A quote with the contacts that it is for. */
export interface QuotedReveal extends Quote {
  contact_ids: string[]
}

/** The most contacts that the API reveals in one call. */
const contactsPerCall = 10

export function createRevealQuote(api: ApiCall, contactIds: readonly string[]): Promise<Quote> {
  return callApi(api, { method: 'POST', path: '/quotes', body: { for: 'reveal', contact_ids: contactIds } })
}

/** Opens a quote. The API refuses one that it did not make for this caller and these contacts, or that costs more by now. */
export function openRevealQuote(api: ApiCall, quote: string, contactIds?: readonly string[]): Promise<QuotedReveal> {
  const body = { for: 'quoted_reveal', quote, ...(contactIds && { contact_ids: contactIds }) }
  return callApi(api, { method: 'POST', path: '/quotes', body })
}

/** The cost of a quote's contacts, in words. */
export function describeCost(quote: Quote): string {
  const { contacts, credits, credits_remaining, already_revealed, new_exports, unrevealable } = quote
  const facts = [
    ...(already_revealed > 0 ? [`${formatNumber(already_revealed)} already revealed and free`] : []),
    ...(new_exports > 0 ? [counted(new_exports, 'new store export', 'new store exports')] : []),
    ...(unrevealable > 0 ? [`${formatNumber(unrevealable)} more cannot be revealed`] : []),
  ]
  const rest = facts.length > 0 ? ` (${facts.join(', ')})` : ''
  return `${counted(contacts, 'person', 'people')} for ${formatNumber(credits)} of ${formatNumber(credits_remaining)} credits${rest}`
}

function counted(count: number, one: string, many: string): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`
}

/** Said before anything is revealed or asked. */
export function insufficientError(quote: Quote): ToolError {
  const sentence = `Revealing ${describeCost(quote)} is more than what is left; nothing was revealed.`
  return quote.credits > quote.credits_remaining
    ? new ToolError('insufficient_contact_credits', sentence)
    : new ToolError('rate_limit_exceeded', sentence, { param: 'store_exports' })
}

/**
 * Reveals the contacts of a quote that was just checked, as many calls as that takes. Their idempotency keys come from the
 * quote, so that a repeated call gets the same replies and spends nothing more.
 */
export async function revealQuoted(api: ApiCall, quoted: QuotedReveal): Promise<ToolReply> {
  const { quote, contact_ids } = quoted
  // The API refuses a single call as a whole, and says what is short; several would spend what there is.
  if (contact_ids.length > contactsPerCall && !quoted.sufficient) throw insufficientError(quoted)
  const keyOfQuote = createHash('sha256').update(quote).digest('hex')
  const rows: unknown[] = []
  const requestIds: string[] = []
  let spent = 0
  let left: number | undefined
  let failure: ToolError | undefined
  for (let from = 0; from < contact_ids.length; from += contactsPerCall) {
    const body = { contact_ids: contact_ids.slice(from, from + contactsPerCall) }
    const idempotencyKey = `quote-${keyOfQuote}-${from / contactsPerCall}`
    try {
      const reply = await callApi(api, { method: 'POST', path: '/contacts/reveal', body, idempotencyKey })
      rows.push(...(reply.data as Contact[]).map(compactValue))
      requestIds.push(reply.request_id)
      spent += reply.credits.spent
      left = reply.credits.remaining
    } catch (error) {
      if (!(error instanceof ToolError)) throw error
      failure = error
      // No contact in this part can be revealed any more; there may be others.
      if (error.code !== 'no_revealable_contacts') break
    }
  }
  if (rows.length === 0 && failure) throw failure
  const stopped = failure && failure.code !== 'no_revealable_contacts' ? failure : undefined
  return {
    says: [
      `${formatNumber(rows.length)} revealed for ${formatNumber(spent)} credits; ${formatNumber(left ?? 0)} credits were left.`,
      ...(stopped ? ['Then it stopped. The same call goes on where it stopped, and pays nothing twice.'] : []),
    ],
    rows,
    structured: catalogueData({
      data: rows,
      credits_spent: spent,
      credits_remaining: left ?? 0,
      request_ids: requestIds,
    }),
    ...(stopped && { failure: stopped }),
  }
}
