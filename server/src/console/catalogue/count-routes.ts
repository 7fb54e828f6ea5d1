import type { FastifyReply, FastifyRequest } from 'fastify'
import { memberContext } from '../../auth/signed-in.ts'
import type { CountContext } from '../../counts/context.ts'
import { countContacts } from '../../counts/count-contacts.ts'
import { countStores } from '../../counts/count-stores.ts'
import { signalOfLeaving } from '../../counts/routes.ts'
import { ContactCount, ContactCountRequest, StoreCount, StoreCountRequest } from '../../counts/schema.ts'
import { type SearchServices, searchContext } from '../../exclusion/exclude.ts'
import { errorReplies } from '../../http/openapi/openapi.ts'
import type { ApiRoutes } from '../../http/server.ts'

const tags = ['data']
const description = 'As in the API: exact, and free. Asked for beside every page of results.'
const filterErrors = ['invalid_filter_value', 'conflicting_filters'] as const

/** How many match, for the numbers beside filters. */
export function registerCountConsoleRoutes(api: ApiRoutes, services: SearchServices): void {
  const contextOf = (request: FastifyRequest, reply: FastifyReply): CountContext => ({
    ...searchContext(memberContext(request), services),
    signal: signalOfLeaving(reply),
  })

  api.post(
    '/stores/count',
    {
      config: { access: { member: { role: 'viewer', needsAccess: true }, kind: 'read' } },
      schema: {
        operationId: 'countStores',
        tags,
        summary: 'Count stores that match filters, and their facets',
        description,
        body: StoreCountRequest,
        response: { 200: StoreCount, ...errorReplies(...filterErrors) },
      },
    },
    (request, reply) => countStores(contextOf(request, reply), request.body),
  )

  api.post(
    '/contacts/count',
    {
      config: { access: { member: { role: 'viewer', needsAccess: true }, kind: 'read' } },
      schema: {
        operationId: 'countContacts',
        tags,
        summary: 'Count contacts that match filters, and their facets',
        description,
        body: ContactCountRequest,
        response: { 200: ContactCount, ...errorReplies('invalid_domain', ...filterErrors) },
      },
    },
    (request, reply) => countContacts(contextOf(request, reply), request.body),
  )
}
