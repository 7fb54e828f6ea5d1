import { ApiError } from '../kernel/errors.ts'

/** The provider has no customer for the account: none was made, or it is gone. */
export function unknownAccount(cause?: unknown): ApiError {
  return new ApiError(
    'billing_account_not_found',
    'The payment provider does not know this account yet; POST /api/v1/billing/subscription-link comes first.',
    { cause },
  )
}
