import { Type } from 'typebox'
import { ContactPreview } from '../../delivery/contact-preview.ts'
import {
  type CatalogueContext,
  deliverByHostAndCharge,
  type PaidReply,
  parseHost,
  storeNotFound,
} from '../../delivery/paid-reply.ts'
import { Store } from '../../delivery/store-document.ts'
import { ClosedObject, RequestId } from '../../kernel/shapes.ts'
import { normalizeRoles } from '../../search/query/person-query.ts'
import { findContactIds } from '../../stores/enrich-stores.ts'
import { requireSearchRows } from '../../usage/charge.ts'
import { requireViewableRows } from '../../usage/viewing-limit.ts'

const maxPreviews = 10

export const StoreView = ClosedObject({
  ...Store.properties,
  contact_previews: Type.Array(ContactPreview, {
    maxItems: maxPreviews,
    description: 'The first contacts of the store, in the order of contact search.',
  }),
  request_id: RequestId,
})

/** The facts of a store and its first people, found by a domain, an alias or a URL with either; costs one search row. */
export async function viewStore(ctx: CatalogueContext, domain: string): Promise<PaidReply> {
  const host = parseHost(domain)
  requireSearchRows(ctx, 1)
  await requireViewableRows(ctx, 1)
  const everybody = normalizeRoles(ctx.vocabulary, undefined, 'contact_roles')
  const contactIds = await findContactIds(ctx, [host], everybody, maxPreviews)
  const { delivered, balance } = await deliverByHostAndCharge(ctx, { hosts: [host], contactIds, isView: true })
  const [found] = delivered.stores
  if (!found) throw storeNotFound(host)
  const { document, previews } = found
  return {
    body: `${document.slice(0, -1)},"contact_previews":[${previews ?? ''}],"request_id":"${ctx.requestId}"}`,
    balance,
  }
}
