import { callerContext } from '../../customers/admission/hooks.ts'
import { errorReplies } from '../../foundation/http/openapi/openapi.ts'
import type { ApiRoutes } from '../../foundation/http/server.ts'
import { ViewedContactPreview } from '../delivery/contact-preview.ts'
import { sendPaidReply } from '../delivery/paid-reply.ts'
import { ListReply } from '../delivery/search-paging.ts'
import { type SearchServices, searchContext } from '../exclusion/exclude.ts'
import { type RevealServices, revealContacts, revealContext, revealing } from './reveal-contacts.ts'
import { ContactRevealHeaders, ContactRevealReply, ContactRevealRequest } from './schema.ts'
import { ContactSearchReply, ContactSearchRequest, searchContacts, searchingContacts } from './search-contacts.ts'

type ContactServices = SearchServices & RevealServices

export function registerContactRoutes(api: ApiRoutes, services: ContactServices): void {
  api.post(
    '/contacts/search',
    {
      config: {
        access: searchingContacts,
        compresses: 'each',
        // A person sees which of them the account has revealed.
        memberSchema: { response: { 200: ListReply(ViewedContactPreview) } },
      },
      schema: {
        operationId: 'searchContacts',
        tags: ['contacts'],
        summary: 'Search contacts, as previews',
        description:
          'Finds contacts that meet every person condition at stores that meet every store condition; an empty body finds all. Stores are ordered as in store search; within a store the most senior contacts come first, and among them those with a verified email. A preview has no email, phone or profile URL. Each returned row counts as a search row, and each store as one store export per period; a page that exceeds either balance is refused as a whole.',
        body: ContactSearchRequest,
        response: { 200: ContactSearchReply, ...errorReplies(400, 401, 403, 'list_not_found', 429) },
      },
    },
    async (request, reply) =>
      sendPaidReply(reply, await searchContacts(searchContext(callerContext(request), services), request.body)),
  )

  api.post(
    '/contacts/reveal',
    {
      config: {
        access: revealing,
        keepsReplies: true,
      },
      schema: {
        operationId: 'revealContacts',
        tags: ['contacts'],
        summary: 'Reveal contacts with their channels',
        description:
          'Returns up to ten contacts with their channels. The first reveal of a contact by your account costs one contact credit; later reveals are free and return the current data. All or nothing: if the credits do not cover all contacts, none is revealed. Contacts that are unknown or have no deliverable channel are left out and cost nothing. Each store counts as one store export per period. Keep revealed data out of logs and analytics.',
        headers: ContactRevealHeaders,
        body: ContactRevealRequest,
        response: {
          200: ContactRevealReply,
          ...errorReplies(400, 401, 402, 403, 'no_revealable_contacts', 409, 429),
        },
      },
    },
    async (request, reply) => {
      const ctx = revealContext(callerContext(request), services)
      const { isReplay, ...paid } = await revealContacts(ctx, request.body, request.headers['idempotency-key'])
      if (isReplay) reply.header('idempotent-replayed', 'true')
      return sendPaidReply(reply, paid)
    },
  )
}
