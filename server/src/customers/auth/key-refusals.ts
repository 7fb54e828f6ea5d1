/** Why a key is refused: missing, malformed, unknown, revoked, suspended, expired, without access or scope. */
import { hashApiKey, parseApiKey } from '../../foundation/kernel/api-key.ts'
import { Refusal } from '../../foundation/kernel/errors.ts'
import { formatDay } from '../../foundation/kernel/time.ts'
import { type AccountTerms, canRecoverSubscription, closedReason } from '../accounts/account.ts'
import type { ApiAccessBillingAction } from '../accounts/billing-actions.ts'
import type { Caller, Scope } from './caller.ts'

/** The hash of the key in an `Authorization` header. Throws `Refusal` for a header without a well-formed key. */
export function readBearerKeyHash(authorization: string | undefined): Buffer {
  if (!authorization || /^Bearer *$/i.test(authorization))
    throw new Refusal('missing_api_key', 'Send your API key in the header "Authorization: Bearer <key>".')
  const [, key] = /^Bearer +(\S+) *$/i.exec(authorization) ?? []
  if (!key || !parseApiKey(key)) throw new Refusal('invalid_api_key', 'This is not a Storedex API key.')
  return hashApiKey(key)
}

export function unknownKeyError(): Refusal {
  return new Refusal('invalid_api_key', 'This API key does not exist.')
}

/** Throws for a revoked, suspended or expired key. */
export function refuseUnusableKey(
  row: { revoked_at: Date | null; key_suspended_at: Date | null; expires_at: Date | null },
  now: Date,
): void {
  if (row.revoked_at) throw new Refusal('revoked_api_key', 'This API key was revoked.')
  if (row.key_suspended_at) throw new Refusal('suspended_api_key', 'This API key is suspended.')
  if (row.expires_at && row.expires_at <= now)
    throw new Refusal('expired_api_key', `This API key expired on ${formatDay(row.expires_at)}.`)
}

/**
 * The error of an account without API access, with the action that restores it and `billingPage`, where a user does the
 * same; null at the command line, which names none. A suspended or closed account gets neither: it cannot buy its access back.
 */
export function accessRequiredError(terms: AccountTerms, billingPage: string | null): Refusal {
  const closed = closedReason(terms)
  if (closed) return new Refusal('api_access_required', closed)
  const way = terms.status === 'none' ? 'choose one' : 'renew it'
  const sentence = `This account has no active paid plan (status ${terms.status}); ${way} to use the API.`
  if (billingPage === null) return new Refusal('api_access_required', sentence)
  const billing: ApiAccessBillingAction = canRecoverSubscription(terms)
    ? { action: 'manage_billing', url: billingPage, endpoint: '/api/v1/billing/portal-link' }
    : { action: 'create_subscription_link', url: billingPage, endpoint: '/api/v1/billing/subscription-link' }
  return new Refusal('api_access_required', sentence, { billing })
}

/** The console's page about an account's plan. */
export const consoleBillingPath = '/billing'

/** The address of that page for one account: a user may be a member of several. */
export function billingPageOf(publicUrl: string, account: string): string {
  return `${publicUrl}${consoleBillingPath}?account=${account}`
}

/** Refuses a key without a scope that the body of the request calls for, beside the one that its route needs. */
export function requireScope({ scopes }: Caller, scope: Scope): void {
  if (scopes && !scopes.includes(scope)) throw missingScopeError(scope)
}

export function missingScopeError(scope: Scope): Refusal {
  return new Refusal('insufficient_scope', `This API key lacks the scope ${scope}.`, { param: scope })
}
