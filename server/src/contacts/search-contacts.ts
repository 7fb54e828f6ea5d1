import { type Static, Type } from 'typebox'
import { Closed } from '../kernel/shapes.ts'
import { ContactPersonFilters, ContactStoreFilters } from '../search/filters.ts'
import { narrowsPeople, normalizePersonFilters } from '../search/person.ts'
import { type ContactPosition, findContacts } from '../search/postgres/find-contacts.ts'
import { hashQuery, narrows, normalizeStoreConditions } from '../search/query.ts'
import type { CatalogueContext, PaidReply } from '../stores/context.ts'
import { distinctHosts } from '../stores/hosts.ts'
import { ContactPreview, joinPreview } from '../stores/preview.ts'
import { findStoreIds } from '../stores/queries.ts'
import { findPage, ListReply, pageParameters, renderList } from '../stores/search-page.ts'
import { payForDelivery } from '../usage/charge.ts'

export const ContactSearchRequest = Closed({
  person: Type.Optional(ContactPersonFilters),
  store: Type.Optional(ContactStoreFilters),
  max_contacts_per_store: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 10,
      default: 1,
      description: 'The first so many contacts of each store, over all pages.',
    }),
  ),
  ...pageParameters,
})

export const ContactSearchReply = ListReply(ContactPreview)

/** A page of people without their channels, by their stores' order, then the most senior first; paid for before it is sent. */
export async function searchContacts(
  ctx: CatalogueContext,
  request: Static<typeof ContactSearchRequest>,
): Promise<PaidReply> {
  const { db, caller, vocabulary } = ctx
  const maxPerStore = request.max_contacts_per_store ?? 1
  const { domains = [], ...conditions } = request.store ?? {}
  const person = normalizePersonFilters(vocabulary, request.person ?? {})
  const hosts = distinctHosts(domains, 'store.domains').sort()
  const store = normalizeStoreConditions(vocabulary, conditions, 'store')

  const { rows, nextCursor } = await findPage(ctx, request, {
    queryHash: hashQuery(store, 'contacts', person, hosts, maxPerStore),
    isNarrowed: hosts.length > 0 || narrowsPeople(person) || narrows(store),
    find: async (position, limit) => {
      // A cursor of this endpoint was made of a row below.
      const after = position as ContactPosition | null
      const storeIds = hosts.length > 0 ? await findStoreIds(db, caller.mode, hosts) : null
      return findContacts(db, { mode: caller.mode, store, storeIds, person, maxPerStore, after, limit })
    },
    positionOf: ({ negatedScore, storeId, place }) => ({ negatedScore, storeId, contact: place }),
  })
  const { balance, revealed } = await payForDelivery(ctx, {
    storeIds: rows.map((row) => row.storeId),
    searchRows: rows.length,
    contactIds: rows.map((row) => row.id),
  })
  const data = rows.map((row) => joinPreview(row.person, revealed.has(row.id), row.store))
  return { body: renderList(ctx, data, nextCursor), balance }
}
