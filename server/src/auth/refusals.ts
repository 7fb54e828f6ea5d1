import { type AccountTerms, canRecoverSubscription } from '../accounts/account.ts'
import { type ApiAccessBillingAction, ApiError } from '../kernel/errors.ts'
import { isoDay } from '../kernel/format.ts'
import type { AdmissionRow } from './queries.ts'
import type { Scope } from './scopes.ts'

/** Refuses a key that has ended or is shut out. */
export function refuseUnusableKey(row: AdmissionRow, now: Date): void {
  if (row.revoked_at) throw new ApiError('revoked_api_key', 'This API key was revoked.')
  if (row.suspended_at) throw new ApiError('suspended_api_key', 'This API key is suspended.')
  if (row.expires_at && row.expires_at <= now)
    throw new ApiError('expired_api_key', `This API key expired on ${isoDay(row.expires_at)}.`)
}

/** The refusal of a lapsed account, with the way back. */
export function accessRefusal(terms: AccountTerms, publicUrl: string): ApiError {
  const billing: ApiAccessBillingAction = canRecoverSubscription(terms)
    ? {
        action: 'manage_billing',
        url: `${publicUrl}/api/v1/billing/portal-link`,
        endpoint: '/api/v1/billing/portal-link',
      }
    : {
        action: 'create_subscription_link',
        url: `${publicUrl}/api/v1/billing/subscription-link`,
        endpoint: '/api/v1/billing/subscription-link',
      }
  return new ApiError(
    'api_access_required',
    `This account has no active paid plan (status ${terms.status}); renew it to use the API.`,
    { billing },
  )
}

export function scopeRefusal(scope: Scope): ApiError {
  return new ApiError('insufficient_scope', `This API key lacks the scope ${scope}.`, { param: scope })
}
