type ErrorType = 'api_error' | 'card_error' | 'idempotency_error' | 'invalid_request_error'

interface ErrorDetails {
  readonly code?: string
  readonly param?: string
  readonly declineCode?: string
  /** What the request changed before it failed stays: an attempt to charge is counted, and its invoice left open. */
  readonly keepsChanges?: boolean
}

/** An error as Stripe tells it: status, type, sentence, and where they apply code and parameter. */
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

/** A request that cannot be done as asked. */
export function invalidRequest(message: string, details: ErrorDetails = {}): StripeError {
  return new StripeError(400, 'invalid_request_error', message, details)
}

/** `what` is Stripe's word for the object: "customer", "subscription". The id was in the path, or in `param`. */
export function resourceMissing(what: string, id: string, param = 'id'): StripeError {
  return new StripeError(param === 'id' ? 404 : 400, 'invalid_request_error', `No such ${what}: '${id}'`, {
    code: 'resource_missing',
    param,
  })
}

/** A card that was refused; `keepsChanges` where the attempt to charge it counts. */
export function cardDeclined({ keepsChanges = false } = {}): StripeError {
  return new StripeError(402, 'card_error', 'Your card was declined.', {
    code: 'card_declined',
    declineCode: 'generic_decline',
    keepsChanges,
  })
}

/** Whether what was done before this error stays done. */
export function keepsChanges(error: unknown): error is StripeError {
  return error instanceof StripeError && error.details.keepsChanges === true
}
