import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { memberContext } from '../../auth/signed-in.ts'
import { type RevealServices, revealContacts, revealContext } from '../../contacts/reveal-contacts.ts'
import { ContactRevealHeaders, ContactRevealReply, ContactRevealRequest } from '../../contacts/schema.ts'
import { ContactSearchRequest, searchContacts } from '../../contacts/search-contacts.ts'
import { ViewedContactPreview } from '../../delivery/contact-preview.ts'
import { listParameters } from '../../delivery/list-pages.ts'
import { ListReply } from '../../delivery/page.ts'
import { type PaidReply, rowsChargedHeader, sendPaidReply, setBalanceHeaders } from '../../delivery/paid-reply.ts'
import { StoreHistory } from '../../delivery/store-history.ts'
import { type SearchServices, searchContext } from '../../exclusion/exclude.ts'
import { errorReplies } from '../../http/openapi/openapi.ts'
import type { ApiRoutes } from '../../http/server.ts'
import { ClosedObject } from '../../kernel/shapes.ts'
import { createQuote } from '../../quotes/create-quote.ts'
import { type QuoteServices, quoteContext, validateQuoteRequest } from '../../quotes/routes.ts'
import { Quote, QuoteRequest } from '../../quotes/schema.ts'
import { StoreSearchReply, StoreSearchRequest, searchStores } from '../../stores/find-stores.ts'
import { sendTaxonomy } from '../../taxonomy/routes.ts'
import { TaxonomyReply } from '../../taxonomy/taxonomy.ts'
import { copyStore, StoreCopy, StoreCopyRequest } from './copy-store.ts'
import { registerCountConsoleRoutes } from './count-routes.ts'
import { QuotedContacts, quoteContacts, RevealQuote } from './quote.ts'
import { registerRevealed } from './revealed-routes.ts'
import { StoreView, viewHistory, viewStore } from './view-store.ts'

type CatalogueConsoleServices = SearchServices & RevealServices & QuoteServices

const tags = ['data']
const searchErrors = [
  'invalid_filter_value',
  'conflicting_filters',
  'invalid_limit',
  'invalid_cursor',
  'search_too_broad',
  'invalid_list_id',
  'list_not_found',
] as const
const StoreParams = ClosedObject({
  domain: Type.String({
    description: 'A domain, or a percent-encoded URL with one.',
    maxLength: 16_000,
    errorCode: 'invalid_domain',
  }),
})

/** Says in headers what is left of each meter that the route declares. */
function setBalances(reply: FastifyReply, balance: PaidReply['balance']): void {
  setBalanceHeaders(reply, balance)
}

/** The catalogue for people: looking at it, and taking from it what the account pays for. */
export function registerCatalogueConsoleRoutes(api: ApiRoutes, services: CatalogueConsoleServices): void {
  registerViews(api, services)
  registerCountConsoleRoutes(api, services)
  registerReveals(api, services)
  registerRevealed(api, services)
}

function registerViews(api: ApiRoutes, services: CatalogueConsoleServices): void {
  const contextOf = (request: FastifyRequest) => searchContext(memberContext(request), services)

  api.get(
    '/taxonomy',
    {
      config: { access: { person: true, kind: 'read' } },
      schema: {
        operationId: 'getTaxonomy',
        tags,
        summary: 'List the values that filters accept, with labels',
        response: { 200: TaxonomyReply, 304: Type.Null({ description: 'The content still matches the ETag.' }) },
      },
    },
    async (request, reply) => sendTaxonomy(request, reply, services.taxonomy),
  )

  api.post(
    '/stores/search',
    {
      config: { access: { member: { role: 'viewer', needsAccess: true }, kind: 'spend', spends: ['search_rows'] } },
      schema: {
        operationId: 'searchStores',
        tags,
        summary: 'Look at stores that match filters',
        description:
          'Each returned row counts as a search row and in the hour of the person, unless the same page has shown it to the person within ten minutes. No store is exported.',
        body: StoreSearchRequest,
        response: { 200: StoreSearchReply, ...errorReplies(...searchErrors) },
      },
    },
    async (request, reply) => sendPaidReply(reply, await searchStores(contextOf(request), request.body)),
  )

  api.post(
    '/contacts/search',
    {
      config: { access: { member: { role: 'viewer', needsAccess: true }, kind: 'spend', spends: ['search_rows'] } },
      schema: {
        operationId: 'searchContacts',
        tags,
        summary: 'Look at previews of contacts that match filters',
        description:
          'Each returned row counts as a search row and in the hour of the person, unless the same page has shown it to the person within ten minutes. No store is exported.',
        body: ContactSearchRequest,
        response: { 200: ListReply(ViewedContactPreview), ...errorReplies('invalid_domain', ...searchErrors) },
      },
    },
    async (request, reply) => sendPaidReply(reply, await searchContacts(contextOf(request), request.body)),
  )

  api.get(
    '/stores/:domain',
    {
      config: { access: { member: { role: 'viewer', needsAccess: true }, kind: 'read', spends: ['search_rows'] } },
      schema: {
        operationId: 'viewStore',
        tags,
        summary: 'Look at a store, its first contacts and its newest changes',
        description:
          'Counts as one search row and in the hour of the person, once in ten minutes. The store is not exported.',
        params: StoreParams,
        response: { 200: StoreView, ...errorReplies('invalid_domain', 'store_not_found') },
      },
    },
    async (request, reply) => sendPaidReply(reply, await viewStore(contextOf(request), request.params.domain)),
  )

  api.get(
    '/stores/:domain/history',
    {
      config: { access: { member: { role: 'viewer', needsAccess: true }, kind: 'read', spends: ['search_rows'] } },
      schema: {
        operationId: 'viewStoreHistory',
        tags,
        summary: 'Look at what changed about a store, newest first',
        description:
          'With the cursor of the store that is looked at, or of a page before, it costs nothing; without one it counts as one search row, once in ten minutes.',
        params: StoreParams,
        querystring: ClosedObject(listParameters),
        response: {
          200: StoreHistory,
          ...errorReplies('invalid_domain', 'store_not_found', 'invalid_cursor', 'invalid_limit'),
        },
      },
    },
    async (request, reply) => {
      const {
        history,
        balance,
        rowsCharged = 0,
      } = await viewHistory(contextOf(request), request.params.domain, request.query)
      setBalances(reply, balance)
      reply.header(rowsChargedHeader, rowsCharged)
      return history
    },
  )

  api.post(
    '/stores/:domain/copy',
    {
      config: { access: { member: { role: 'member', needsAccess: true }, kind: 'spend', spends: ['store_exports'] } },
      schema: {
        operationId: 'copyStore',
        tags,
        summary: 'Copy a store as JSON or CSV',
        description: 'The store counts as one store export per period, as in a lookup with the API.',
        params: StoreParams,
        body: StoreCopyRequest,
        response: { 200: StoreCopy, ...errorReplies('invalid_domain', 'store_not_found') },
      },
    },
    async (request, reply) => {
      const { copy, balance } = await copyStore(contextOf(request), request.params.domain, request.body)
      setBalances(reply, balance)
      return copy
    },
  )
}

function registerReveals(api: ApiRoutes, services: CatalogueConsoleServices): void {
  api.post(
    '/contacts/quote',
    {
      config: { access: { member: { role: 'viewer', needsAccess: true }, kind: 'read' } },
      schema: {
        operationId: 'quoteReveal',
        tags,
        summary: 'Ask what revealing contacts would cost',
        description: 'Changes nothing and costs nothing. The quote is of this moment and reserves nothing.',
        body: QuotedContacts,
        response: { 200: RevealQuote },
      },
    },
    (request) => quoteContacts(quoteContext(memberContext(request), services), request.body),
  )

  api.post(
    '/quotes',
    {
      config: { access: { member: { role: 'viewer', needsAccess: true }, kind: 'read' } },
      preValidation: validateQuoteRequest,
      schema: {
        operationId: 'createQuote',
        tags,
        summary: 'Ask what a reveal or an export would cost',
        description: 'As in the API: changes nothing, reserves nothing and costs nothing.',
        body: QuoteRequest,
        response: {
          200: Quote,
          ...errorReplies('invalid_column', 'invalid_list_id', 'invalid_quote', 'list_not_found', 'quote_exceeded'),
        },
      },
    },
    (request) => createQuote(quoteContext(memberContext(request), services), request.body),
  )

  api.post(
    '/contacts/reveal',
    {
      config: {
        access: {
          member: { role: 'member', needsAccess: true },
          kind: 'spend',
          spends: ['contact_credits', 'store_exports'],
        },
        keepsReplies: true,
      },
      schema: {
        operationId: 'revealContacts',
        tags,
        summary: 'Reveal contacts with their channels',
        description:
          'As in the API: the first reveal of a contact by the account costs one contact credit, and each store one store export per period. All or nothing.',
        headers: ContactRevealHeaders,
        body: ContactRevealRequest,
        response: {
          200: ContactRevealReply,
          ...errorReplies(
            'insufficient_contact_credits',
            'invalid_idempotency_key',
            'no_revealable_contacts',
            'idempotency_conflict',
            'idempotency_in_progress',
          ),
        },
      },
    },
    async (request, reply) => {
      const ctx = revealContext(memberContext(request), services)
      const { isReplay, ...paid } = await revealContacts(ctx, request.body, request.headers['idempotency-key'])
      if (isReplay) reply.header('idempotent-replayed', 'true')
      return sendPaidReply(reply, paid)
    },
  )
}
