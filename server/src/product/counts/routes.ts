import type { FastifyReply, FastifyRequest } from 'fastify'
import { callerContext } from '../../customers/admission/hooks.ts'
import { errorReplies } from '../../foundation/http/openapi/openapi.ts'
import type { ApiRoutes } from '../../foundation/http/server.ts'
import { type SearchServices, searchContext } from '../exclusion/exclude.ts'
import type { CountContext } from './context.ts'
import { countContacts, countingContacts } from './count-contacts.ts'
import { countingStores, countStores } from './count-stores.ts'
import { ContactCount, ContactCountRequest, StoreCount, StoreCountRequest } from './schema.ts'

export function registerCountRoutes(api: ApiRoutes, services: SearchServices): void {
  const contextOf = (request: FastifyRequest, reply: FastifyReply): CountContext => ({
    ...searchContext(callerContext(request), services),
    signal: signalOfLeaving(reply),
  })

  api.post(
    '/stores/count',
    {
      config: { access: countingStores, compresses: 'each' },
      schema: {
        operationId: 'countStores',
        tags: ['stores'],
        summary: 'Count stores, and their facets',
        description:
          'Says exactly how many stores a search with these filters would find, how many of them would be new exports, and for each facet what choosing a value would find. Returns no store, and costs nothing but the request.',
        body: StoreCountRequest,
        response: { 200: StoreCount, ...errorReplies(400, 401, 403, 'list_not_found', 429) },
      },
    },
    async (request, reply) => countStores(contextOf(request, reply), request.body),
  )

  api.post(
    '/contacts/count',
    {
      config: { access: countingContacts, compresses: 'each' },
      schema: {
        operationId: 'countContacts',
        tags: ['contacts'],
        summary: 'Count contacts, and their facets',
        description:
          'Says exactly how many contacts a search with these conditions would find, at how many stores, how many of them could still be revealed, and for each facet what choosing a value would find. An empty body counts all. Returns no contact, and costs nothing but the request.',
        body: ContactCountRequest,
        response: { 200: ContactCount, ...errorReplies(400, 401, 403, 'list_not_found', 429) },
      },
    },
    async (request, reply) => countContacts(contextOf(request, reply), request.body),
  )
}

/** Aborts when the connection closes before the reply was sent. */
function signalOfLeaving({ raw }: FastifyReply): AbortSignal {
  const leaving = new AbortController()
  raw.once('close', () => {
    if (!raw.writableFinished) leaving.abort()
  })
  return leaving.signal
}
