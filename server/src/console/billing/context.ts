import type { FastifyRequest } from 'fastify'
import { recordAuditEntry } from '../../auth/audit.ts'
import { consoleBillingPath } from '../../auth/caller.ts'
import { type MemberContext, memberContext } from '../../auth/signed-in.ts'
import type { BillingContext, BillingLinkPurpose, BillingServices, ReturnUrls } from '../../billing/context.ts'

/** A person's billing call: the context of the API's verbs, and who asks. */
export type ConsoleBillingContext = BillingContext & MemberContext

export function consoleBillingContext(request: FastifyRequest, services: BillingServices): ConsoleBillingContext {
  const { billing, clock, ids, plans, publicUrl } = services
  const member = memberContext(request)
  return {
    ...member,
    ...{ db: request.db, billing, clock, ids, plans, publicUrl },
    returnUrlsOf: (purpose) => returnUrls(publicUrl, purpose),
    recordLink: (db, { kind, target }) =>
      recordAuditEntry(db, {
        ...auditOrigin(member),
        action: 'billing_link.created',
        details: { kind, plan: target?.plan ?? null, billing: target?.billing ?? null },
      }),
  }
}

/** Who did it, where and when. */
export function auditOrigin({ caller, person, address, now }: MemberContext) {
  return { accountId: caller.accountId, personId: person.id, address, at: now }
}

/** The console's page, which waits for the plan that the link led to. */
export function billingPageUrl(publicUrl: string, params: Record<string, string>): string {
  return `${publicUrl}${consoleBillingPath}?${new URLSearchParams(params)}`
}

function returnUrls(publicUrl: string, { target }: BillingLinkPurpose): ReturnUrls {
  if (!target) {
    const returnUrl = billingPageUrl(publicUrl, { returned: 'portal' })
    return { returnUrl, canceledUrl: returnUrl }
  }
  return {
    returnUrl: billingPageUrl(publicUrl, { returned: 'checkout', plan: target.plan, billing: target.billing }),
    canceledUrl: billingPageUrl(publicUrl, { returned: 'canceled' }),
  }
}
