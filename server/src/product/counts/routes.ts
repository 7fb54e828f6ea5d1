import type { FastifyReply, FastifyRequest } from 'fastify'
import { callerContext } from '../../customers/admission/hooks.ts'
import { errorReplies } from '../../foundation/http/openapi/errors.ts'
import type { ApiRoutes } from '../../foundation/http/server.ts'
import { type SearchServices, searchContext, unknownExcludedList } from '../exclusion/exclude.ts'
import type { CountContext } from './context.ts'
import { countContacts, countingContacts } from './count-contacts.ts'
import { countingStores, countStores } from './count-stores.ts'
import { countExamples } from './examples.ts'
import { ContactCount, ContactCountRequest, StoreCount, StoreCountRequest } from './schema.ts'

export function registerCountRoutes(api: ApiRoutes, services: SearchServices): void {
  const contextOf = (request: FastifyRequest, reply: FastifyReply): CountContext => ({
    ...searchContext(callerContext(request), services),
    signal: signalOfLeaving(reply),
  })

  api.post(
    '/stores/count',
    {
      config: { access: countingStores, example: countExamples.countStores, compresses: 'each' },
      schema: {
        operationId: 'countStores',
        tags: ['stores'],
        summary: 'Count stores, and their facets',
        description:
          'Says exactly how many stores a search with these filters would find, how many of them would be new exports, and for each facet what choosing a value would find. Returns no store.',
        body: StoreCountRequest,
        response: {
          200: StoreCount,
          ...errorReplies({ code: 'conflicting_filters', param: 'filters.apps.none[0]' }, unknownExcludedList),
        },
      },
    },
    async (request, reply) => countStores(contextOf(request, reply), request.body),
  )

  api.post(
    '/contacts/count',
    {
      config: { access: countingContacts, example: countExamples.countContacts, compresses: 'each' },
      schema: {
        operationId: 'countContacts',
        tags: ['contacts'],
        summary: 'Count contacts, and their facets',
        description:
          'Says exactly how many contacts a search with these conditions would find, at how many stores, how many of them could still be revealed, and for each facet what choosing a value would find. An empty body counts all. Returns no contact.',
        body: ContactCountRequest,
        response: {
          200: ContactCount,
          ...errorReplies({ code: 'conflicting_filters', param: 'store.apps.none[0]' }, unknownExcludedList),
        },
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
