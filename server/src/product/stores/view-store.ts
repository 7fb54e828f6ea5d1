import { Type } from 'typebox'
import { type Access, authorize } from '../../customers/auth/access.ts'
import { hashViewedPage } from '../../customers/ledger/spending.ts'
import { ClosedObject, RequestId } from '../../foundation/kernel/shapes.ts'
import { normalizeRoles } from '../../search/query/person-query.ts'
import { ViewedContactPreview } from '../delivery/contact-preview.ts'
import { deliverHosts } from '../delivery/deliver.ts'
import { type CatalogueContext, type PaidReply, parseHost, storeNotFound } from '../delivery/paid-reply.ts'
import { Store, StoreTechnologies } from '../delivery/store-document.ts'
import { StoreChange, StoreHistory } from '../delivery/store-history.ts'
import { findContactIds } from './enrich-stores.ts'
import { readViewedHistory } from './read-history.ts'

const maxPreviews = 10
const firstChanges = 10

export const StoreView = ClosedObject({
  ...Store.properties,
  technologies: StoreTechnologies,
  contact_previews: Type.Array(ViewedContactPreview, {
    maxItems: maxPreviews,
    description: 'The first contacts of the store, in the order of contact search.',
  }),
  history: ClosedObject(
    {
      data: Type.Array(StoreChange, { maxItems: firstChanges }),
      has_more: StoreHistory.properties.has_more,
      next_cursor: StoreHistory.properties.next_cursor,
    },
    { title: 'FirstStoreHistory', description: 'The newest changes of the store; the cursor reads on without cost.' },
  ),
  request_id: RequestId,
})

export const viewingStores = {
  member: { role: 'viewer', needsAccess: true },
  kind: 'read',
  spends: ['search_rows'],
} as const satisfies Access

/** The facts of a store, its first people and its newest changes, found by a domain, an alias or a URL with either; costs one search row. */
export async function viewStore(ctx: CatalogueContext, domain: string): Promise<PaidReply> {
  authorize(ctx, viewingStores)
  const host = parseHost(domain)
  const viewedPage = hashViewedPage(ctx.caller, ['store', host])!
  const everybody = normalizeRoles(ctx.vocabulary, undefined, 'contact_roles')
  const contactIds = await findContactIds(ctx, [host], everybody, maxPreviews)
  const { stores, balance, rowsCharged } = await deliverHosts(ctx, [host], { contactIds, viewedPage })
  const [found] = stores
  if (!found) throw storeNotFound(host)
  const { document, previews } = found
  const { data, has_more, next_cursor } = await readViewedHistory(ctx, host, { limit: firstChanges })
  const history = JSON.stringify({ data, has_more, next_cursor })
  return {
    body: `${document.slice(0, -1)},"contact_previews":[${previews}],"history":${history},"request_id":"${ctx.requestId}"}`,
    balance,
    rowsCharged,
  }
}
