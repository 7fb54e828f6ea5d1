import { normalizeDomain } from '../kernel/domain.ts'
import { ApiError } from '../kernel/errors.ts'
import { payForDelivery } from '../usage/charge.ts'
import type { CatalogueContext, PaidReply } from './context.ts'
import { findStoreByHost } from './queries.ts'

/** The store that a domain, an alias or a URL of either belongs to; counts as one export a period. */
export async function lookupStore(ctx: CatalogueContext, domain: string): Promise<PaidReply> {
  const host = normalizeDomain(domain)
  if (host === null)
    throw new ApiError('invalid_domain', 'This is not a domain or a URL with one, such as shop.example.', {
      param: 'domain',
    })
  const found = await findStoreByHost(ctx.db, ctx.caller.mode, host, ctx.deliverEmails)
  if (!found) throw new ApiError('store_not_found', `No store is known for ${host}.`, { param: 'domain' })
  const { balance } = await payForDelivery(ctx, { storeIds: [found.store_id], searchRows: 0 })
  return { body: `${found.document.slice(0, -1)},"request_id":"${ctx.requestId}"}`, balance }
}
