type ErrorType = 'api_error' | 'card_error' | 'idempotency_error' | 'invalid_request_error'

interface ErrorDetails {
  readonly code?: string
  readonly param?: string
  readonly declineCode?: string
  /** Changes made before the error are kept: a declined charge counts as an attempt and leaves its invoice open. */
  readonly keepsChanges?: boolean
}

/** An error in Stripe's form: status, type, message, and optionally code and parameter. */
export class StripeError extends Error {
  readonly status: number
  readonly type: ErrorType
  readonly details: ErrorDetails

  constructor(status: number, type: ErrorType, message: string, details: ErrorDetails = {}) {
    super(message)
    this.status = status
    this.type = type
    this.details = details
  }

  body(): object {
    const { code, param, declineCode } = this.details
    return {
      error: {
        ...(code && { code, doc_url: `https://stripe.com/docs/error-codes/${code.replaceAll('_', '-')}` }),
        ...(declineCode && { decline_code: declineCode }),
        message: this.message,
        ...(param && { param }),
        type: this.type,
      },
    }
  }
}

export function invalidRequest(message: string, details: ErrorDetails = {}): StripeError {
  return new StripeError(400, 'invalid_request_error', message, details)
}

/** `what` is Stripe's name of the object, such as "customer". The id was in the path, or in `param`. */
export function resourceMissing(what: string, id: string, param = 'id'): StripeError {
  return new StripeError(param === 'id' ? 404 : 400, 'invalid_request_error', `No such ${what}: '${id}'`, {
    code: 'resource_missing',
    param,
  })
}

/** A declined card. `keepsChanges` if the charge counts as an attempt. */
export function cardDeclined({ keepsChanges = false } = {}): StripeError {
  return new StripeError(402, 'card_error', 'Your card was declined.', {
    code: 'card_declined',
    declineCode: 'generic_decline',
    keepsChanges,
  })
}

/** Whether changes made before this error are kept. */
export function keepsChanges(error: unknown): error is StripeError {
  return error instanceof StripeError && error.details.keepsChanges === true
}
