import { demonstrationRequestId, type OperationExample } from '../../foundation/http/openapi/examples.ts'

/** Examples of the operations on billing. */
export const billingExamples = {
  getBillingStatus: {
    reply: {
      status: 200,
      body: {
        object: 'billing_status',
        plan: {
          slug: 'pro',
          name: 'Pro',
          status: 'active',
          billing: null,
          trial: { active: false, ends_at: null },
          cancel_at_period_end: false,
          current_period_end: null,
        },
        api_access: { enabled: true },
        contact_credits: { total: 1_000, used: 0, remaining: 1_000 },
        has_billing_account: true,
        actions: { can_create_subscription_link: true, can_manage_billing: true },
        request_id: demonstrationRequestId,
      },
    },
  },
  createSubscriptionLink: {
    request: { body: { plan: 'business', billing: 'annual' } },
    reply: {
      status: 200,
      body: {
        object: 'billing_link',
        kind: 'checkout',
        url: 'https://pay.example/session/7f3a',
        target_plan: 'business',
        target_billing: 'annual',
        expires_at: '2026-11-11T12:00:00.000Z',
        requires_customer_confirmation: true,
        request_id: demonstrationRequestId,
      },
    },
  },
  createPortalLink: {
    reply: {
      status: 200,
      body: {
        object: 'billing_link',
        kind: 'billing_portal',
        url: 'https://pay.example/portal/9c41',
        target_plan: null,
        target_billing: null,
        expires_at: null,
        requires_customer_confirmation: true,
        request_id: demonstrationRequestId,
      },
    },
  },
} satisfies Record<string, OperationExample>
