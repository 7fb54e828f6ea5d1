import { errorReplies } from '../http/openapi/openapi.ts'
import type { ApiRoutes } from '../http/server.ts'
import { rejectBody } from '../http/validation.ts'
import { createPortalLink, createSubscriptionLink } from './links/create-links.ts'
import { BillingLinkReply, BillingStatusReply, SubscriptionLinkRequest } from './schema.ts'
import { readBillingStatus } from './status.ts'
import { type BillingServices, billingContext } from './sync/sync-account.ts'

/** The calls by which an account finds its way back. */
export function registerBillingRoutes(api: ApiRoutes, services: BillingServices): void {
  api.get(
    '/billing/status',
    {
      config: { access: { scope: 'billing:read', billingLimit: 'billing_status' } },
      schema: {
        operationId: 'getBillingStatus',
        tags: ['billing'],
        summary: 'Read plan, access and what can be done about them',
        description:
          'Answers whether the plan is paid for or not. Counts to an hourly limit of its own and to no other, so it can be asked until a change is there. It tells the account as it is, with a test key too; only the credits are those of the key’s mode.',
        response: { 200: BillingStatusReply, ...errorReplies(401, 'insufficient_scope', 429) },
      },
    },
    (request) => readBillingStatus(billingContext(request, services)),
  )

  api.post(
    '/billing/subscription-link',
    {
      config: { access: { scope: 'billing:manage', billingLimit: 'billing_links' } },
      schema: {
        operationId: 'createSubscriptionLink',
        tags: ['billing'],
        summary: 'Make a link to buy, raise or recover a plan',
        description:
          'A link to a page of the payment provider, on which a person decides; making it changes and charges nothing. Without a subscription it leads to a checkout; with one to the confirmation of a higher plan, or of annual in place of monthly billing; with one in trouble (past_due, unpaid, incomplete, paused) to the portal, whatever was asked for. Only links that are made count to the hour. A test key gets a link to a page that says that this is test mode.',
        body: SubscriptionLinkRequest,
        response: {
          200: BillingLinkReply,
          ...errorReplies(
            'invalid_request',
            'invalid_json',
            'unknown_parameter',
            'missing_parameter',
            'invalid_plan',
            'invalid_billing',
            401,
            'insufficient_scope',
            'unsupported_plan_change',
            'billing_support_required',
            429,
            'billing_provider_unavailable',
            503,
          ),
        },
      },
    },
    (request) => createSubscriptionLink(billingContext(request, services), request.body),
  )

  api.post(
    '/billing/portal-link',
    {
      config: { access: { scope: 'billing:manage', billingLimit: 'billing_links' } },
      preValidation: rejectBody,
      schema: {
        operationId: 'createPortalLink',
        tags: ['billing'],
        summary: 'Make a link to invoices and payment details',
        description:
          'A link to the portal of the payment provider: invoices, payment details, cancellation, and recovery after a failed payment. Takes no body. Making it changes nothing, and counts like a subscription link. A test key gets a link to a page that says that this is test mode.',
        response: {
          200: BillingLinkReply,
          ...errorReplies(
            'invalid_request',
            'invalid_json',
            'unknown_parameter',
            401,
            'insufficient_scope',
            'billing_account_not_found',
            413,
            415,
            429,
            'billing_provider_unavailable',
            503,
          ),
        },
      },
    },
    (request) => createPortalLink(billingContext(request, services)),
  )
}
