import { type CatalogueServices, catalogueContext, sendPaidReply } from '../delivery/paid-reply.ts'
import { errorReplies } from '../http/openapi/openapi.ts'
import type { ApiRoutes } from '../http/server.ts'
import { InFlightRequests } from '../idempotency/idempotency.ts'
import { type RevealServices, revealContacts, revealContext } from './reveal-contacts.ts'
import { ContactRevealHeaders, ContactRevealReply, ContactRevealRequest } from './schema.ts'
import { ContactSearchReply, ContactSearchRequest, searchContacts } from './search-contacts.ts'

export function registerContactRoutes(api: ApiRoutes, services: CatalogueServices & RevealServices): void {
  const runningKeys = new InFlightRequests()

  api.post(
    '/contacts/search',
    {
      config: { access: { scope: 'contacts:search', spends: ['search_rows', 'store_exports'] } },
      schema: {
        operationId: 'searchContacts',
        tags: ['contacts'],
        summary: 'Search contacts, as previews',
        description:
          'People who meet every condition on the person, at stores that meet every condition on the store; an empty body asks for everybody. Stores come as in store search, within one the most senior people first, and of them those with a verified email. A preview carries no email, phone or profile URL. Each row returned counts against the search rows, each store once a period against the store exports; a page that does not fit is refused whole.',
        body: ContactSearchRequest,
        response: { 200: ContactSearchReply, ...errorReplies(400, 401, 403, 429) },
      },
    },
    async (request, reply) =>
      sendPaidReply(reply, await searchContacts(catalogueContext(request, services), request.body)),
  )

  api.post(
    '/contacts/reveal',
    {
      config: {
        access: { scope: 'contacts:reveal', spends: ['contact_credits', 'store_exports'] },
        keepsReplies: true,
      },
      schema: {
        operationId: 'revealContacts',
        tags: ['contacts'],
        summary: 'Reveal contacts with their channels',
        description:
          'Up to ten people, whole. Each costs one contact credit at the first reveal by your account and nothing ever after; a later reveal tells what is on file that day. All or nothing: when the credits do not suffice for all, nobody is revealed. People who are unknown or have no channel to deliver are left out and cost nothing. Their stores count once a period against the store exports. Keep what is revealed out of logs and analytics.',
        headers: ContactRevealHeaders,
        body: ContactRevealRequest,
        response: {
          200: ContactRevealReply,
          ...errorReplies(400, 401, 402, 403, 'no_revealable_contacts', 409, 429),
        },
      },
    },
    async (request, reply) => {
      const ctx = revealContext(request, services, runningKeys)
      const { isReplay, ...paid } = await revealContacts(ctx, request.body, request.headers['idempotency-key'])
      if (isReplay) reply.header('idempotent-replayed', 'true')
      return sendPaidReply(reply, paid)
    },
  )
}
