import type { CatalogueContext, PaidReply } from '../delivery/paid-reply.ts'
import { normalizeDomain } from '../kernel/domain.ts'
import { ApiError } from '../kernel/errors.ts'
import { payForHosts } from './pay-for-hosts.ts'

/** The store that a domain, an alias or a URL of either belongs to; counts as one export a period. */
export async function lookupStore(ctx: CatalogueContext, domain: string): Promise<PaidReply> {
  const host = normalizeDomain(domain)
  if (host === null)
    throw new ApiError('invalid_domain', 'This is not a domain or a URL with one, such as shop.example.', {
      param: 'domain',
    })
  const { delivered, balance } = await payForHosts(ctx, [host])
  const [found] = delivered.stores
  if (!found) throw new ApiError('store_not_found', `No store is known for ${host}.`, { param: 'domain' })
  return { body: `${found.document.slice(0, -1)},"request_id":"${ctx.requestId}"}`, balance }
}
