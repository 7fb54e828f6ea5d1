import { callerContext } from '../../customers/admission/hooks.ts'
import { errorReplies } from '../../foundation/http/openapi/errors.ts'
import type { ApiRoutes } from '../../foundation/http/server.ts'
import { ViewedContactPreview } from '../delivery/contact-preview.ts'
import { sendPaidReply } from '../delivery/paid-reply.ts'
import { ListReply } from '../delivery/search-paging.ts'
import { type SearchServices, searchContext, unknownExcludedList } from '../exclusion/exclude.ts'
import { contactExamples } from './examples.ts'
import { type RevealServices, revealContacts, revealContext, revealing } from './reveal-contacts.ts'
import { ContactRevealHeaders, ContactRevealRequest, ContactRevealResult } from './schema.ts'
import { ContactPreviewList, ContactSearchRequest, searchContacts, searchingContacts } from './search-contacts.ts'

const endOfSearch = 'This search has returned 1,000 rows, the most it may; add a filter to see others.'

type ContactServices = SearchServices & RevealServices

export function registerContactRoutes(api: ApiRoutes, services: ContactServices): void {
  api.post(
    '/contacts/search',
    {
      config: {
        access: searchingContacts,
        costs: 'one search row for each row; one store export for each store that is new in the period',
        example: contactExamples.searchContacts,
        compresses: 'each',
        // A person sees which of them the account has revealed.
        memberSchema: { response: { 200: ListReply(ViewedContactPreview) } },
      },
      schema: {
        operationId: 'searchContacts',
        tags: ['contacts'],
        summary: 'Search contacts, as previews',
        description:
          'Finds contacts that meet every person condition at stores that meet every store condition; an empty body finds all. Stores are ordered as in store search; within a store the most senior contacts come first, and among them those with a verified email. A preview has no email, phone or profile URL. A page that exceeds a balance is refused as a whole.',
        body: ContactSearchRequest,
        response: {
          200: ContactPreviewList,
          ...errorReplies(
            { code: 'conflicting_filters', param: 'store.apps.none[0]' },
            { code: 'search_too_broad', message: endOfSearch },
            unknownExcludedList,
          ),
        },
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
        costs:
          'one contact credit for each contact that the account has not revealed before; one store export for each store that is new in the period',
        example: contactExamples.revealContacts,
        keepsReplies: true,
      },
      schema: {
        operationId: 'revealContacts',
        tags: ['contacts'],
        summary: 'Reveal contacts with their channels',
        description:
          'Returns up to ten contacts with their channels. The first reveal of a contact by your account costs one contact credit; later reveals are free and return the current data. All or nothing: if the credits do not cover all contacts, none is revealed. Contacts that are unknown or have no deliverable channel are left out and cost nothing. Keep revealed data out of logs and analytics.',
        headers: ContactRevealHeaders,
        body: ContactRevealRequest,
        response: {
          200: ContactRevealResult,
          ...errorReplies('no_revealable_contacts'),
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
