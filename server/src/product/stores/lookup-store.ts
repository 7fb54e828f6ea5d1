import { type Access, authorize } from '../../customers/auth/access.ts'
import { deliverHosts } from '../delivery/deliver.ts'
import { type CatalogueContext, type PaidReply, parseHost, storeNotFound } from '../delivery/paid-reply.ts'

export const lookingUpStores = {
  key: { scope: 'stores:read', admitsWithCharge: true },
  kind: 'spend',
  spends: ['store_exports'],
} as const satisfies Access

/** Finds a store by its domain, an alias, or a URL with either; costs one export per period. */
export async function lookupStore(ctx: CatalogueContext, domain: string): Promise<PaidReply> {
  authorize(ctx, lookingUpStores)
  const { document, balance } = await takeStore(ctx, domain)
  return { body: `${document.slice(0, -1)},"request_id":"${ctx.requestId}"}`, balance }
}

/** The document of a store, found by its domain, an alias, or a URL with either; costs one export per period. */
export async function takeStore(
  ctx: CatalogueContext,
  domain: string,
): Promise<{ document: string; balance: PaidReply['balance'] }> {
  const host = parseHost(domain)
  const { stores, balance } = await deliverHosts(ctx, [host])
  const [found] = stores
  if (!found) throw storeNotFound(host)
  return { document: found.document, balance }
}
