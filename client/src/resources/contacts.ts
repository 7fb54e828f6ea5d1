import { CostLimitError, invalidArgument, StoredexError } from '../errors.ts'
import type * as api from '../generated/types.ts'
import type { CallOptions, IdempotentCallOptions } from '../options.ts'
import type { Pages, RowBound } from '../pages.ts'
import { resolveIdempotencyKey, sendInParts } from '../parts.ts'
import { ApiPromise, type Reply } from '../reply.ts'
import { hideChannels } from '../transport/hide-channels.ts'
import type { CallScope } from '../transport/scope.ts'
import { Resource } from './resource.ts'

/** The most ids of one reveal, and of one quote. */
const longestReveal = 10
const longestQuote = 1_000

export interface RevealOptions extends IdempotentCallOptions {
  /** Asks for a quote first, and throws a `CostLimitError` instead of spending more. Needs the scope contacts:search as well. */
  maxCredits?: number | undefined
}

/** People at stores. */
export class Contacts extends Resource {
  /** Previews of the contacts that match. Each row counts. */
  search(
    body: api.ContactSearchRequest = {},
    options?: CallOptions & RowBound,
  ): Pages<api.ContactPreview, api.ContactPreviewList> {
    return this.searchPages('/contacts/search', body, options)
  }

  /** How many contacts a search would find. Costs no rows. */
  count(body: api.ContactCountRequest = {}, options?: CallOptions): ApiPromise<api.ContactCount> {
    return this.call({ method: 'POST', path: '/contacts/count', body }, options)
  }

  /**
   * Reveals any number of contacts, ten a request, in the order of the ids. Each person costs a credit the first time. Contacts that
   * cannot be revealed are left out. If a request fails midway, `error.partial` has those that were revealed.
   */
  reveal(body: api.ContactRevealRequest, options: RevealOptions = {}): ApiPromise<api.ContactRevealResult> {
    return new ApiPromise(this.#reveal(body, options))
  }

  async #reveal(body: api.ContactRevealRequest, options: RevealOptions): Promise<Reply<api.ContactRevealResult>> {
    const { maxCredits } = options
    const idempotencyKey = resolveIdempotencyKey(options.idempotencyKey)
    const transport = this.transport()
    const scope = transport.scopeOf(options)
    if (maxCredits !== undefined) await this.#requireCost(body.contact_ids, maxCredits, options, scope)
    return sendInParts<api.ContactRevealResult>(body.contact_ids, {
      name: 'contact_ids',
      size: longestReveal,
      idempotencyKey,
      send: async (part) => {
        const request = { method: 'POST', path: '/contacts/reveal', idempotencyKey: part.idempotencyKey } as const
        const sent = { ...request, body: { ...body, contact_ids: part.items } }
        const reply = await transport.send<api.ContactRevealResult>(sent, options, scope)
        for (const contact of reply.data.data) hideChannels(contact)
        return reply
      },
      merge: mergeReveals,
      isEmpty: (error) => error instanceof StoredexError && error.code === 'no_revealable_contacts',
    })
  }

  /** Refuses a reveal that costs more than `maxCredits`, or more than is left. */
  async #requireCost(
    ids: readonly string[],
    maxCredits: number,
    options: CallOptions,
    scope: CallScope,
  ): Promise<void> {
    if (!(maxCredits >= 0)) throw invalidArgument('maxCredits must be a number, 0 or greater.', 'maxCredits')
    const distinct = [...new Set(ids)]
    let credits = 0
    let creditsRemaining = Infinity
    for (let start = 0; start < distinct.length; start += longestQuote) {
      const body = { for: 'reveal', contact_ids: distinct.slice(start, start + longestQuote) }
      const { data } = await this.transport().send<api.Quote>({ method: 'POST', path: '/quotes', body }, options, scope)
      credits += data.credits
      creditsRemaining = data.credits_remaining
    }
    if (credits > maxCredits || credits > creditsRemaining)
      throw new CostLimitError({ credits, maxCredits, creditsRemaining })
  }
}

function mergeReveals(replies: api.ContactRevealResult[]): api.ContactRevealResult {
  const last = replies.at(-1)!
  const spent = replies.reduce((sum, { credits }) => sum + credits.spent, 0)
  return { ...last, credits: { ...last.credits, spent }, data: replies.flatMap(({ data }) => data) }
}
