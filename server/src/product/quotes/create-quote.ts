import { type Access, authorize } from '../../customers/auth/access.ts'
import { readCallerBudgets } from '../../customers/auth/budget-reports.ts'
import { remaining } from '../../customers/ledger/outcome.ts'
import { readUsage } from '../../customers/usage/read-usage.ts'
import {
  hashQuotedBody,
  invalidQuoteError,
  maxQuotedContactIds,
  type QuoteSealer,
  quoteExceededError,
} from '../../foundation/kernel/quote.ts'
import { scopesOfKind } from '../exports/export-query.ts'
import { type PlanContext, planExport } from '../exports/plan-export.ts'
import type { ExportRequest } from '../exports/schema.ts'
import { quoteReveal, type RevealQuoteContext, withinBudgets } from './quote-reveal.ts'
import type { Quote, QuotedCost, QuotedRevealRequest, QuoteRequest } from './schema.ts'

export interface QuoteContext extends RevealQuoteContext, PlanContext {
  quotes: QuoteSealer
}

const lifetimeMs = 600_000

/** A quote for an export needs what the export needs; the kind's own scope is checked with the rest. */
export const quoting = {
  key: {
    scope: 'contacts:search',
    scopeOfBody: (body) =>
      (body as Partial<QuoteRequest> | null | undefined)?.for === 'export' ? 'exports:manage' : undefined,
    scopeSets: {
      'a reveal': ['contacts:search'],
      'an export of stores': ['exports:manage', scopesOfKind.stores],
      'an export of previews': ['exports:manage', scopesOfKind.previews],
      'an export of contacts': ['exports:manage', scopesOfKind.contacts],
    },
  },
  member: { role: 'viewer', needsAccess: true },
  kind: 'read',
} as const satisfies Access

/** The current cost of a request, with a token that holds an export to it. Changes and costs nothing. */
export async function createQuote(ctx: QuoteContext, request: QuoteRequest): Promise<Quote> {
  authorize(ctx, quoting, request)
  if (request.for === 'quoted_reveal') return checkQuotedReveal(ctx, request)
  const cost = request.for === 'reveal' ? await quoteReveal(ctx, request.contact_ids) : await quoteExport(ctx, request)
  const { accountId, mode } = ctx.caller
  const expiresAt = new Date(ctx.now.getTime() + lifetimeMs)
  const quote = ctx.quotes.seal({
    accountId,
    mode,
    bodyHash: hashQuotedBody(request),
    credits: cost.credits,
    storeExports: cost.new_exports,
    expiresAtMs: expiresAt.getTime(),
    contactIds: request.for === 'reveal' ? keptContacts(ctx, request.contact_ids) : [],
  })
  return {
    object: 'quote',
    ...withBalances(cost),
    quote,
    expires_at: expiresAt.toISOString(),
    request_id: ctx.requestId,
  }
}

/** The known contacts, each once; none if they are more than a quote keeps. */
function keptContacts({ ids, caller }: QuoteContext, contactIds: readonly string[]): number[] {
  const known = ids.openMany('contact', [...new Set(contactIds)], caller.mode).filter((id) => id !== null)
  return known.length > maxQuotedContactIds ? [] : known
}

/**
 * What revealing the contacts of an earlier quote costs now, with their ids. Refuses a quote that is not of this account and
 * mode, has expired, is for other contacts than those named beside it, or no longer suffices.
 */
async function checkQuotedReveal(ctx: QuoteContext, request: QuotedRevealRequest): Promise<Quote> {
  const { accountId, mode } = ctx.caller
  const { contact_ids } = request
  const quote = ctx.quotes.open(request.quote)
  const isOurs =
    quote?.accountId === accountId &&
    quote.mode === mode &&
    quote.expiresAtMs > ctx.now.getTime() &&
    quote.contactIds.length > 0 &&
    (contact_ids === undefined || quote.bodyHash === hashQuotedBody({ contact_ids }))
  if (!quote || !isOurs) throw invalidQuoteError()
  const contactIds = ctx.ids.sealMany('contact', quote.contactIds, mode)
  const cost = await quoteReveal(ctx, contactIds)
  if (cost.credits > quote.credits || cost.new_exports > quote.storeExports) throw quoteExceededError(cost)
  return {
    object: 'quote',
    ...withBalances(cost),
    quote: request.quote,
    expires_at: new Date(quote.expiresAtMs).toISOString(),
    contact_ids: contactIds,
    request_id: ctx.requestId,
  }
}

async function quoteExport(ctx: QuoteContext, request: ExportRequest): Promise<QuotedCost> {
  const cost = await planExport(ctx, request)
  const { contact_credits, store_exports } = await readUsage(ctx.db, { ...ctx.caller, now: ctx.now })
  const left = { credits_remaining: contact_credits.remaining, exports_remaining: store_exports.remaining }
  return { ...cost, ...withinBudgets(left, await readCallerBudgets(ctx.db, ctx.caller)) }
}

/** The rest afterwards, and if it is enough. */
function withBalances(cost: QuotedCost): QuotedCost & Pick<Quote, 'credits_after' | 'exports_after' | 'sufficient'> {
  const { credits, new_exports, credits_remaining, exports_remaining } = cost
  return {
    ...cost,
    credits_after: remaining(credits_remaining, credits),
    exports_after: remaining(exports_remaining, new_exports),
    sufficient: credits <= credits_remaining && new_exports <= exports_remaining,
  }
}
