import type { FastifyRequest } from 'fastify'
import type { BillingServices } from '../../billing/context.ts'
import { createPortalLink, createSubscriptionLink } from '../../billing/links/create-links.ts'
import { ProviderCallLimiter } from '../../billing/provider-call-limiter.ts'
import { BillingLinkReply, SubscriptionLinkRequest } from '../../billing/schema.ts'
import { errorReplies } from '../../http/openapi/openapi.ts'
import type { ApiRoutes } from '../../http/server.ts'
import { rejectBody } from '../../http/validation.ts'
import type { Signer } from '../../kernel/signer.ts'
import { readBilling } from './billing.ts'
import { type ConsoleBillingContext, consoleBillingContext } from './context.ts'
import { listPlans } from './plans.ts'
import { ConsoleBillingReply, EndTrialReply, EndTrialRequest, PlanListReply, TrialReply } from './schema.ts'
import { endTrial, readTrial } from './trial.ts'

export interface ConsoleBillingServices extends BillingServices {
  signer: Signer
}

const providerErrors = ['rate_limit_exceeded', 'billing_provider_unavailable'] as const

/** Plan, plans side by side, links to the payment provider, and the end of a trial. All of it works without access. */
export function registerBillingConsoleRoutes(api: ApiRoutes, services: ConsoleBillingServices): void {
  const { signer } = services
  const limiter = new ProviderCallLimiter()
  const contextOf = (request: FastifyRequest) => consoleBillingContext(request, services)
  /** For routes that call the provider, apart from the cached prices. */
  const limitedContextOf = (request: FastifyRequest): ConsoleBillingContext => {
    const ctx = contextOf(request)
    limiter.count(ctx.caller.accountId, ctx.now)
    return ctx
  }

  api.get(
    '/billing',
    {
      config: { access: { member: { role: 'viewer' }, kind: 'read' } },
      schema: {
        operationId: 'readBilling',
        tags: ['billing'],
        summary: 'Read plan, access, what happens next, and who can change it',
        response: { 200: ConsoleBillingReply },
      },
    },
    (request) => readBilling(contextOf(request)),
  )

  api.get(
    '/billing/plans',
    {
      config: { access: { member: { role: 'viewer' }, kind: 'read' } },
      schema: {
        operationId: 'listPlans',
        tags: ['billing'],
        summary: 'List all plans with figures, prices and what taking them means',
        response: { 200: PlanListReply },
      },
    },
    (request) => listPlans(contextOf(request)),
  )

  api.post(
    '/billing/subscription-link',
    {
      config: { access: { member: { role: 'owner' }, kind: 'edit' } },
      schema: {
        operationId: 'createBillingSubscriptionLink',
        tags: ['billing'],
        summary: 'Create a link to buy, upgrade or recover a plan',
        body: SubscriptionLinkRequest,
        response: {
          200: BillingLinkReply,
          ...errorReplies(
            'invalid_plan',
            'invalid_billing',
            'unsupported_plan_change',
            'billing_support_required',
            ...providerErrors,
          ),
        },
      },
    },
    (request) => createSubscriptionLink(limitedContextOf(request), request.body),
  )

  api.post(
    '/billing/portal-link',
    {
      config: { access: { member: { role: 'owner' }, kind: 'edit' } },
      preValidation: rejectBody,
      schema: {
        operationId: 'createBillingPortalLink',
        tags: ['billing'],
        summary: 'Create a link to invoices and payment details',
        response: { 200: BillingLinkReply, ...errorReplies('billing_account_not_found', ...providerErrors) },
      },
    },
    (request) => createPortalLink(limitedContextOf(request)),
  )

  api.get(
    '/billing/trial',
    {
      config: { access: { member: { role: 'owner' }, kind: 'read' } },
      schema: {
        operationId: 'readTrial',
        tags: ['billing'],
        summary: 'Read what ending the trial now means',
        response: { 200: TrialReply, ...errorReplies(...providerErrors) },
      },
    },
    (request) => readTrial({ ...limitedContextOf(request), signer }),
  )

  api.post(
    '/billing/end-trial',
    {
      config: { access: { member: { role: 'owner' }, kind: 'powerful' } },
      schema: {
        operationId: 'endTrial',
        tags: ['billing'],
        summary: 'End the trial and start the paid plan',
        description:
          'Does the step that was shown: ends the trial, or creates a link to the page of the provider that is needed first. Nothing happens if the trial has changed since.',
        body: EndTrialRequest,
        response: { 200: EndTrialReply, ...errorReplies('trial_changed', ...providerErrors) },
      },
    },
    (request) => endTrial({ ...limitedContextOf(request), signer }, request.body),
  )
}
