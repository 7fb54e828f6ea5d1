import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { callerContext } from '../../customers/admission/hooks.ts'
import { errorReplies } from '../../foundation/http/openapi/errors.ts'
import type { ApiRoutes } from '../../foundation/http/server.ts'
import { listParameters } from '../../foundation/kernel/list-pages.ts'
import { ClosedObject } from '../../foundation/kernel/shapes.ts'
import { sendPaidReply } from '../delivery/paid-reply.ts'
import { Store } from '../delivery/store-document.ts'
import { StoreHistory } from '../delivery/store-history.ts'
import { type SearchServices, searchContext, unknownExcludedList } from '../exclusion/exclude.ts'
import { enrichingStores, enrichStores, StoreEnrichmentRequest, StoreEnrichmentResult } from './enrich-stores.ts'
import { storeExamples } from './examples.ts'
import { lookingUpStores, lookupStore } from './lookup-store.ts'
import { readingHistory, readStoreHistory } from './read-history.ts'
import { StoreList, StoreSearchRequest, searchingStores, searchStores } from './search-stores.ts'
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
        costs: 'one store export for a store that is new in the period',
        example: storeExamples.getStore,
      },
      schema: {
        operationId: 'getStore',
        tags: ['stores'],
        summary: 'Look up a store by its domain',
        description:
          'Reads the catalogue only; an unknown domain is not scanned. A URL or an alias finds the store it belongs to.',
        params: DomainParams,
        response: { 200: Store, ...errorReplies('store_not_found') },
      },
    },
    async (request, reply) => sendPaidReply(reply, await lookupStore(contextOf(request), request.params.domain)),
  )

  api.get(
    '/stores/:domain/history',
    {
      config: {
        access: readingHistory,
        compresses: 'each',
        example: storeExamples.getStoreHistory,
        costs: 'one store export for a store that is new in the period, however many pages are read',
      },
      schema: {
        operationId: 'getStoreHistory',
        tags: ['stores'],
        summary: 'Read what changed about a store',
        description:
          'The changes that imports made, newest first; pages stay exact while new changes arrive. History is kept for two years by default; that of a store from before history was kept begins with its next change.',
        params: DomainParams,
        querystring: ClosedObject(listParameters),
        response: { 200: StoreHistory, ...errorReplies('store_not_found') },
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
        response: { 200: StoreView, ...errorReplies('store_not_found') },
      },
    },
    async (request, reply) => sendPaidReply(reply, await viewStore(contextOf(request), request.params.domain)),
  )

  api.post(
    '/stores/search',
    {
      config: {
        access: searchingStores,
        costs: 'one search row for each row; one store export for each store that is new in the period',
        example: storeExamples.searchStores,
        compresses: 'each',
      },
      schema: {
        operationId: 'searchStores',
        tags: ['stores'],
        summary: 'Search stores',
        description:
          'Finds stores that match every given filter; within a list, one matching value is enough. The best lead fit comes first. A page that exceeds a balance is refused as a whole.',
        body: StoreSearchRequest,
        response: {
          200: StoreList,
          ...errorReplies(
            { code: 'conflicting_filters', param: 'filters.apps.none[0]' },
            'search_too_broad',
            unknownExcludedList,
          ),
        },
      },
    },
    async (request, reply) => sendPaidReply(reply, await searchStores(contextOf(request), request.body)),
  )

  api.post(
    '/stores/enrich',
    {
      config: {
        access: enrichingStores,
        costs: 'one store export for each store found that is new in the period',
        example: storeExamples.enrichStores,
        compresses: 'each',
      },
      schema: {
        operationId: 'enrichStores',
        tags: ['stores'],
        summary: 'Enrich up to 25 domains at once',
        description:
          'One row for each distinct host, in order of first appearance. Unknown domains are rows with status not_found and cost nothing.',
        body: StoreEnrichmentRequest,
        response: {
          200: StoreEnrichmentResult,
          ...errorReplies({
            code: 'invalid_filter_value',
            param: 'contact_roles[0]',
            message: '"marketting" is not a known role; nearest: marketing.',
          }),
        },
      },
    },
    async (request, reply) => sendPaidReply(reply, await enrichStores(contextOf(request), request.body)),
  )
}
