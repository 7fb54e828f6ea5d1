import type { ContactSortKey } from '@storedex/search-index'
import { type Static, Type } from 'typebox'
import { type Access, authorize } from '../../customers/auth/access.ts'
import { ClosedObject } from '../../foundation/kernel/shapes.ts'
import { ContactPersonFilters, ContactStoreFilters } from '../../search/query/filters.ts'
import { narrowsContacts, normalizePersonFilters } from '../../search/query/person-query.ts'
import { hashQuery, narrowsStores, normalizeStoreConditions } from '../../search/query/store-query.ts'
import { ContactPreview, contactIdsOf } from '../delivery/contact-preview.ts'
import { deliverPreviews } from '../delivery/deliver.ts'
import { findStoreIds } from '../delivery/fetch-queries.ts'
import { type PaidReply, parseHosts } from '../delivery/paid-reply.ts'
import { chargedFrom, findPage, ListReply, pageParameters, renderList } from '../delivery/search-paging.ts'
import { Exclude, excludeHashParts, openExclusion, type SearchContext } from '../exclusion/exclude.ts'

export const ContactSearchRequest = ClosedObject(
  {
    person: Type.Optional(ContactPersonFilters),
    store: Type.Optional(ContactStoreFilters),
    max_contacts_per_store: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10,
        default: 1,
        description: 'The most contacts returned per store, over all pages.',
      }),
    ),
    exclude: Type.Optional(Exclude),
    ...pageParameters,
  },
  { title: 'ContactSearchRequest', description: 'Which contacts to find, and which page of them.' },
)

export const ContactPreviewList = ListReply(ContactPreview)

export const searchingContacts = {
  key: { scope: 'contacts:search', admitsWithCharge: true },
  member: { role: 'viewer', needsAccess: true, spends: ['search_rows'] },
  kind: 'spend',
  spends: ['search_rows', 'store_exports'],
} as const satisfies Access

/** A page of contact previews in the order of their stores, the most senior first; charged before it is sent. */
export async function searchContacts(
  ctx: SearchContext,
  request: Static<typeof ContactSearchRequest>,
): Promise<PaidReply> {
  authorize(ctx, searchingContacts)
  const { db, caller, search, vocabulary } = ctx
  const maxPerStore = request.max_contacts_per_store ?? 1
  const { domains = [], ...conditions } = request.store ?? {}
  const person = normalizePersonFilters(vocabulary, request.person ?? {})
  const hosts = parseHosts(domains, 'store.domains').sort()
  const store = normalizeStoreConditions(vocabulary, conditions, 'store')

  const { positions, startedAt, nextCursor, endReason, limit, viewedPage } = await findPage(ctx, request, {
    queryHash: hashQuery(store, 'contacts', person, hosts, maxPerStore, ...excludeHashParts(request.exclude)),
    isNarrowed: hosts.length > 0 || narrowsContacts(person) || narrowsStores(store),
    find: async (position, limit, walkStartedAt) => {
      // The query hash has proven that the cursor is from this endpoint.
      const after = position as ContactSortKey | null
      const storeIds = hosts.length > 0 ? await findStoreIds(db, caller.mode, hosts) : null
      const { exclusion, startedAt } = await openExclusion(ctx, request.exclude, { startedAt: walkStartedAt })
      const query = { mode: caller.mode, store, storeIds, person, maxPerStore, exclude: exclusion, after, limit }
      return { positions: await search.findContacts(query), startedAt }
    },
  })
  const contactIds = contactIdsOf(positions)
  const charged = chargedFrom(ctx, startedAt)
  const { items, balance, rowsCharged } = await deliverPreviews(charged, contactIds, { limit, viewedPage })
  return { body: renderList(ctx, items, nextCursor), balance, endReason, rowsCharged }
}
