import type { FastifyRequest } from 'fastify'
import { errorReplies } from '../../../foundation/http/openapi/errors.ts'
import type { ApiRoutes } from '../../../foundation/http/server.ts'
import type { Signer } from '../../../foundation/kernel/signer.ts'
import { memberContext } from '../../auth/signed-in.ts'
import { type BillingServices, billingContext } from '../context.ts'
import type { ProviderCallLimiter } from '../provider-call-limiter.ts'
import { endingTrial, endTrial, readingTrial, readTrial } from './end-trial.ts'
import { listPlans } from './list-plans.ts'
import { type MemberBillingContext, readBilling, readingBilling } from './read-billing.ts'
import { ConsoleBillingReply, EndTrialReply, EndTrialRequest, PlanListReply, TrialReply } from './schema.ts'

export interface MemberBillingServices extends BillingServices {
  signer: Signer
}

const providerErrors = ['rate_limit_exceeded', 'billing_provider_unavailable'] as const

/** The billing page of a member: plans side by side, the next change, and the end of a trial. Works without access. */
export function registerMemberBillingRoutes(
  api: ApiRoutes,
  services: MemberBillingServices,
  limiter: ProviderCallLimiter,
): void {
  const contextOf = (request: FastifyRequest): MemberBillingContext => ({
    ...billingContext(request, services),
    ...memberContext(request),
    signer: services.signer,
  })
  /** For routes that call the provider, apart from the cached prices. */
  const limitedContextOf = (request: FastifyRequest): MemberBillingContext => {
    const ctx = contextOf(request)
    limiter.count(ctx.caller.accountId, ctx.now)
    return ctx
  }

  api.get(
    '/billing',
    {
      config: { access: readingBilling },
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
      config: { access: readingBilling },
      schema: {
        operationId: 'listPlans',
        tags: ['billing'],
        summary: 'List all plans with figures, prices and what taking them means',
        response: { 200: PlanListReply },
      },
    },
    (request) => listPlans(contextOf(request)),
  )

  api.get(
    '/billing/trial',
    {
      config: { access: readingTrial },
      schema: {
        operationId: 'readTrial',
        tags: ['billing'],
        summary: 'Read what ending the trial now means',
        response: { 200: TrialReply, ...errorReplies(...providerErrors) },
      },
    },
    (request) => readTrial(limitedContextOf(request)),
  )

  api.post(
    '/billing/end-trial',
    {
      config: { access: endingTrial },
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
    (request) => endTrial(limitedContextOf(request), request.body),
  )
}
