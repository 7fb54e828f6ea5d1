import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { callerContext } from '../../customers/admission/hooks.ts'
import { errorReplies } from '../../foundation/http/openapi/openapi.ts'
import type { ApiRoutes } from '../../foundation/http/server.ts'
import { listParameters } from '../../foundation/kernel/list-pages.ts'
import { ClosedObject } from '../../foundation/kernel/shapes.ts'
import { sendPaidReply } from '../delivery/paid-reply.ts'
import { StoreLookupReply } from '../delivery/store-document.ts'
import { StoreHistory } from '../delivery/store-history.ts'
import { type SearchServices, searchContext } from '../exclusion/exclude.ts'
import { enrichingStores, enrichStores, StoreEnrichmentReply, StoreEnrichmentRequest } from './enrich-stores.ts'
import { lookingUpStores, lookupStore } from './lookup-store.ts'
import { readingHistory, readStoreHistory } from './read-history.ts'
import { StoreSearchReply, StoreSearchRequest, searchingStores, searchStores } from './search-stores.ts'
import { StoreView, viewingStores, viewStore } from './view-store.ts'

const DomainParams = ClosedObject({
  domain: Type.String({
    description: 'A domain, or a percent-encoded URL with one.',
    maxLength: 16_000,
    errorCode: 'invalid_domain',
  }),
})

export function registerStoreRoutes(api: ApiRoutes, services: SearchServices): void {
  const contextOf = (request: FastifyRequest) => searchContext(callerContext(request), services)

  api.get(
    '/stores/:domain',
    {
      config: {
        access: lookingUpStores,
      },
      schema: {
        operationId: 'getStore',
        tags: ['stores'],
        summary: 'Look up a store by its domain',
        description:
          'Reads the catalogue only; an unknown domain is not scanned. A URL or an alias finds the store it belongs to. The store counts as one store export per period.',
        params: DomainParams,
        response: { 200: StoreLookupReply, ...errorReplies(400, 401, 403, 'store_not_found', 429) },
      },
    },
    async (request, reply) => sendPaidReply(reply, await lookupStore(contextOf(request), request.params.domain)),
  )

  api.get(
    '/stores/:domain/history',
    {
      config: { access: readingHistory, compresses: 'each' },
      schema: {
        operationId: 'getStoreHistory',
        tags: ['stores'],
        summary: 'Read what changed about a store',
        description:
          'The changes that imports made, newest first; pages stay exact while new changes arrive. Charged like a lookup: the store counts as one store export per period, however many pages are read. History is kept for two years by default; that of a store from before history was kept begins with its next change.',
        params: DomainParams,
        querystring: ClosedObject(listParameters),
        response: { 200: StoreHistory, ...errorReplies(400, 401, 403, 'store_not_found', 429) },
      },
    },
    async (request, reply) => {
      const { history, ...paid } = await readStoreHistory(contextOf(request), request.params.domain, request.query)
      return sendPaidReply(reply, { body: JSON.stringify(history), ...paid })
    },
  )

  api.get(
    '/stores/:domain',
    {
      config: { access: viewingStores },
      schema: {
        operationId: 'viewStore',
        tags: ['stores'],
        summary: 'Look at a store, its first contacts and its newest changes',
        description:
          'Counts as one search row and in the hour of the person, once in ten minutes. The store is not exported.',
        params: DomainParams,
        response: { 200: StoreView, ...errorReplies('invalid_domain', 'store_not_found') },
      },
    },
    async (request, reply) => sendPaidReply(reply, await viewStore(contextOf(request), request.params.domain)),
  )

  api.post(
    '/stores/search',
    {
      config: {
        access: searchingStores,
        compresses: 'each',
      },
      schema: {
        operationId: 'searchStores',
        tags: ['stores'],
        summary: 'Search stores',
        description:
          'Finds stores that match every given filter; within a list, one matching value is enough. The best lead fit comes first. Each returned row counts as a search row, and each store as one store export per period; a page that exceeds either balance is refused as a whole.',
        body: StoreSearchRequest,
        response: { 200: StoreSearchReply, ...errorReplies(400, 401, 403, 'list_not_found', 429) },
      },
    },
    async (request, reply) => sendPaidReply(reply, await searchStores(contextOf(request), request.body)),
  )

  api.post(
    '/stores/enrich',
    {
      config: {
        access: enrichingStores,
        compresses: 'each',
      },
      schema: {
        operationId: 'enrichStores',
        tags: ['stores'],
        summary: 'Enrich up to 25 domains at once',
        description:
          'One row for each distinct host, in order of first appearance. Unknown domains are rows with status not_found and cost nothing.',
        body: StoreEnrichmentRequest,
        response: { 200: StoreEnrichmentReply, ...errorReplies(400, 401, 403, 429) },
      },
    },
    async (request, reply) => sendPaidReply(reply, await enrichStores(contextOf(request), request.body)),
  )
}
