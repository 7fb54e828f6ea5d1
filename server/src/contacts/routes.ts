import { errorReplies } from '../http/openapi.ts'
import type { ApiRoutes } from '../http/server.ts'
import { type CatalogueServices, catalogueContext } from '../stores/context.ts'
import { sendPaid } from '../stores/send-paid.ts'
import { ContactSearchReply, ContactSearchRequest, searchContacts } from './search-contacts.ts'

export function registerContactRoutes(api: ApiRoutes, services: CatalogueServices): void {
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
    async (request, reply) => sendPaid(reply, await searchContacts(catalogueContext(request, services), request.body)),
  )
}
