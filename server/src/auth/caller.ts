import { type AccountTerms, canRecoverSubscription, type Entitlement } from '../accounts/account.ts'
import type { Queryable } from '../db/pool.ts'
import { type ApiAccessBillingAction, ApiError } from '../kernel/errors.ts'
import type { Mode } from '../kernel/ids.ts'
import { formatDay } from '../kernel/time.ts'
import type { AdmissionRow } from './queries.ts'
import type { RateWindows } from './rate-limits.ts'

/** What a key may be allowed to do. */
export const scopes = [
  'usage:read',
  'stores:read',
  'contacts:search',
  'contacts:reveal',
  'billing:read',
  'billing:manage',
] as const

export type Scope = (typeof scopes)[number]

/** A new key's scopes when none are named: all of the data, none of the billing. */
export const defaultScopes: readonly Scope[] = ['usage:read', 'stores:read', 'contacts:search', 'contacts:reveal']

/** Who makes a request, once its key was accepted. */
export interface Caller {
  accountId: number
  mode: Mode
  key: { id: number; name: string }
  entitlement: Entitlement
  /** As they stand with this call counted. */
  rate: RateWindows
  /** Search rows used in the period when the request was admitted; 0 where the route does not spend them. */
  searchRowsUsed: number
}

/** What every verb behind the key gets: who asks, when, under which name, and the database. */
export interface CallerContext {
  db: Queryable
  now: Date
  requestId: string
  caller: Caller
}

/** Refuses a key that has ended or is shut out. */
export function refuseUnusableKey(row: AdmissionRow, now: Date): void {
  if (row.revoked_at) throw new ApiError('revoked_api_key', 'This API key was revoked.')
  if (row.suspended_at) throw new ApiError('suspended_api_key', 'This API key is suspended.')
  if (row.expires_at && row.expires_at <= now)
    throw new ApiError('expired_api_key', `This API key expired on ${formatDay(row.expires_at)}.`)
}

/** The refusal of a lapsed account, with the way back. */
export function accessRequiredError(terms: AccountTerms, publicUrl: string): ApiError {
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

export function missingScopeError(scope: Scope): ApiError {
  return new ApiError('insufficient_scope', `This API key lacks the scope ${scope}.`, { param: scope })
}
