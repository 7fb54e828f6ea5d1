import type { FastifyRequest } from 'fastify'
import type { Pool } from '../../foundation/db/pool.ts'
import type { IdSealer } from '../../foundation/kernel/ids.ts'
import type { PlanFile } from '../accounts/plans.ts'
import { callerContext } from '../admission/hooks.ts'
import type { CallerContext } from '../auth/caller.ts'
import { consoleBillingPath } from '../auth/key-refusals.ts'
import type { Offer } from './provider.ts'
import type { BillingLinkKind } from './schema.ts'
import type { SyncContext } from './sync/sync-account.ts'

/** Pages of this service: the return pages of the provider, and the page for links created with test keys. */
export const billingPagePaths = {
  done: '/billing/done',
  canceled: '/billing/canceled',
  test: '/billing/test',
} as const

/** Dependencies of the billing routes. */
export interface BillingServices extends SyncContext {
  ids: IdSealer
  plans: PlanFile
  /** Base URL of this service's pages, to which the provider redirects. */
  publicUrl: string
}

/** Where a page of the provider leads back to. */
export interface ReturnUrls {
  returnUrl: string
  /** For leaving the page without a decision. */
  canceledUrl: string
}

/** The purpose of a link, without the link itself. */
export interface BillingLinkPurpose {
  kind: BillingLinkKind
  /** The plan that the page leads to; null for the portal. */
  target: Offer | null
}

export interface BillingContext extends BillingServices, CallerContext {
  db: Pool
  returnUrlsOf(purpose: BillingLinkPurpose): ReturnUrls
}

/** The context of a billing call: a person comes back to the console, and a key's caller to pages of their own. */
export function billingContext(request: FastifyRequest, services: BillingServices): BillingContext {
  const { billing, clock, ids, plans, publicUrl } = services
  const returnUrlsOf = request.caller ? returnUrlsOfPages : returnUrlsOfConsole
  return {
    ...callerContext(request),
    ...{ billing, clock, ids, plans, publicUrl },
    returnUrlsOf: (purpose) => returnUrlsOf(publicUrl, purpose),
  }
}

/** The console's page, which waits for the plan that the link led to. */
export function billingPageUrl(publicUrl: string, params: Record<string, string>): string {
  return `${publicUrl}${consoleBillingPath}?${new URLSearchParams(params)}`
}

function returnUrlsOfConsole(publicUrl: string, { target }: BillingLinkPurpose): ReturnUrls {
  if (!target) {
    const returnUrl = billingPageUrl(publicUrl, { returned: 'portal' })
    return { returnUrl, canceledUrl: returnUrl }
  }
  return {
    returnUrl: billingPageUrl(publicUrl, { returned: 'checkout', plan: target.plan, billing: target.billing }),
    canceledUrl: billingPageUrl(publicUrl, { returned: 'canceled' }),
  }
}

/** Pages of this service, which name the offer that was chosen. From the portal there is only one way back. */
export function returnUrlsOfPages(publicUrl: string, { target }: BillingLinkPurpose): ReturnUrls {
  const returnUrl = publicUrl + billingPagePaths.done
  if (!target) return { returnUrl, canceledUrl: returnUrl }
  const offer = new URLSearchParams({ plan: target.plan, billing: target.billing })
  return { returnUrl: `${returnUrl}?${offer}`, canceledUrl: `${publicUrl}${billingPagePaths.canceled}?${offer}` }
}
