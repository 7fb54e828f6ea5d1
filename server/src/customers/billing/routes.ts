import type { FastifyRequest } from 'fastify'
import { errorReplies } from '../../foundation/http/openapi/errors.ts'
import type { ApiRoutes } from '../../foundation/http/server.ts'
import { rejectBody } from '../../foundation/http/validation.ts'
import { billingContext } from './context.ts'
import { billingExamples } from './examples.ts'
import { createPortalLink, createSubscriptionLink, managingBilling } from './links/create-links.ts'
import { type MemberBillingServices, registerMemberBillingRoutes } from './members/routes.ts'
import { ProviderCallLimiter } from './provider-call-limiter.ts'
import { BillingLink, BillingStatus, SubscriptionLinkRequest } from './schema.ts'
import { readBillingStatus } from './status.ts'

/** Routes that report the billing status and create links to buy, change or pay for a plan. */
export function registerBillingRoutes(api: ApiRoutes, services: MemberBillingServices): void {
  const limiter = new ProviderCallLimiter()
  registerMemberBillingRoutes(api, services, limiter)
  /** A person may click often: the provider's rate limit is shared by all accounts. */
  const contextOf = (request: FastifyRequest) => {
    const ctx = billingContext(request, services)
    if (!request.caller) limiter.count(ctx.caller.accountId, ctx.now)
    return ctx
  }

  api.get(
    '/billing/status',
    {
      // Not in the contract: a 400.
      config: {
        access: { key: { scope: 'billing:read', billingLimit: 'billing_status' }, kind: 'read' },
        example: billingExamples.getBillingStatus,
        ignoresUnknownQuery: true,
      },
      schema: {
        operationId: 'getBillingStatus',
        tags: ['billing'],
        summary: 'Read plan, access and possible billing actions',
        description:
          'Works with or without a paid plan. It has an hourly limit of its own, so it can be polled until a change takes effect. A test key sees the real account; only the credits are those of the key’s mode.',
        response: { 200: BillingStatus },
      },
    },
    (request) => readBillingStatus(billingContext(request, services)),
  )

  api.post(
    '/billing/subscription-link',
    {
      config: {
        access: managingBilling,
        example: billingExamples.createSubscriptionLink,
        costs: 'a link that is created counts as one of the billing links of the hour',
      },
      schema: {
        operationId: 'createSubscriptionLink',
        tags: ['billing'],
        summary: 'Create a link to buy, upgrade or recover a plan',
        description:
          'Returns a link to a page of the payment provider where a person decides; creating it changes and charges nothing. Without a subscription the link leads to a checkout. With a running one it leads to the confirmation of a higher plan, or of annual instead of monthly billing. With a past_due, unpaid, incomplete or paused one it leads to the portal, whatever plan was requested. Only links that were created count against the hourly limit. A test key gets a link to a page that explains test mode.',
        body: SubscriptionLinkRequest,
        response: {
          200: BillingLink,
          ...errorReplies('unsupported_plan_change', 'billing_support_required', 'billing_provider_unavailable'),
        },
      },
    },
    (request) => createSubscriptionLink(contextOf(request), request.body),
  )

  api.post(
    '/billing/portal-link',
    {
      // Not in the contract: a 400, and so a query that is refused.
      config: {
        access: managingBilling,
        example: billingExamples.createPortalLink,
        ignoresUnknownQuery: true,
        costs: 'a link that is created counts as one of the billing links of the hour',
      },
      preValidation: rejectBody,
      schema: {
        operationId: 'createPortalLink',
        tags: ['billing'],
        summary: 'Create a link to invoices and payment details',
        description:
          'Returns a link to the portal of the payment provider: invoices, payment details, cancellation, and recovery after a failed payment. Takes no body. Creating it changes nothing, and it counts like a subscription link. A test key gets a link to a page that explains test mode.',
        response: {
          200: BillingLink,
          ...errorReplies('billing_account_not_found', 'billing_provider_unavailable'),
        },
      },
    },
    (request) => createPortalLink(contextOf(request)),
  )
}
