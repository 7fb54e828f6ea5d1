import { call } from '#api/client.ts'
import type { Reply, RequestBody, Row } from '#api/operations.ts'
import { callQuery } from '#api/query.ts'

export type Billing = Reply<'readBilling'>
export type Plan = Row<'listPlans'>
export type PlanOffer = Plan['offers'][number]
export type Trial = Reply<'readTrial'>

// Somebody may have changed it at the payment provider meanwhile.
export const billingQuery = (account: string) => ({ ...callQuery('readBilling', { account }), staleTime: 0 })

/**
 * The page of the provider on which an offer is bought or confirmed, or without one the page for everything else. Anyone who has
 * the address can act for the account.
 */
export async function createLink(account: string, offer?: RequestBody<'createSubscriptionLink'>): Promise<string> {
  const { url } = await (offer
    ? call('createSubscriptionLink', { account, body: offer })
    : call('createPortalLink', { account }))
  return url
}
