import type {
  ApiAccessBillingAction,
  ContactRevealResult,
  StoreEnrichmentResult,
  TrialCreditBillingAction,
} from './generated/types.ts'

/** What a customer can do about an error. Its `url` is a capability: do not log it. */
export type BillingAction = ApiAccessBillingAction | TrialCreditBillingAction

/** The merged reply of the parts of a call that were done before it failed. */
export type PartialReply = ContactRevealResult | StoreEnrichmentResult

/** How many of the ids or domains of a call were done. */
export interface CallProgress {
  done: number
  of: number
}

export interface ErrorFields {
  code: string
  status?: number | undefined
  param?: string | undefined
  requestId?: string | undefined
  retryable?: boolean | undefined
  retryAfterMs?: number | undefined
  billing?: BillingAction | undefined
  cause?: unknown
}

/** Every error of this package. Decide by class or `code`; the wording of messages may change. */
export class StoredexError extends Error {
  /** The status of the reply; undefined when there was none. */
  readonly status: number | undefined
  /** The API's code, or one of the client's own: `connection_failed`, `timeout`, `aborted`, `invalid_argument`, … */
  readonly code: string
  /** The path of the wrong value, the missing scope, or the limit that was reached. */
  param: string | undefined
  /** Quote it when you ask for help. */
  readonly requestId: string | undefined
  /** Whether the client repeats such a request by itself, and has given up. */
  retryable: boolean
  /** How long the service asks to wait. For a monthly quota that can be weeks. */
  readonly retryAfterMs: number | undefined
  /** The key that was sent with a reveal or a new export; the same call with it continues and pays nothing twice. */
  idempotencyKey: string | undefined
  /** How far a call of many ids or domains came. */
  progress: CallProgress | undefined
  // Private fields, because links and people must not appear where an error is printed.
  readonly #billing: BillingAction | undefined
  #partial: PartialReply | undefined

  constructor(message: string, details: ErrorFields) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.status = details.status
    this.code = details.code
    this.param = details.param
    this.requestId = details.requestId
    this.retryable = details.retryable ?? false
    this.retryAfterMs = details.retryAfterMs
    this.idempotencyKey = undefined
    this.progress = undefined
    this.#billing = details.billing
  }

  /** What the customer can do: with `InsufficientCreditsError` during a trial, and with `AccessRequiredError`. */
  get billing(): BillingAction | undefined {
    return this.#billing
  }

  /** What a call of many ids or domains had received when it failed, as one reply. */
  get partial(): PartialReply | undefined {
    return this.#partial
  }

  /** Attaches what was done before the failure. */
  addProgress(progress: CallProgress, partial: PartialReply | undefined): this {
    this.progress = progress
    this.#partial = partial
    if (progress.done > 0) this.message += ` (${progress.done} of ${progress.of} were done before)`
    return this
  }

  toJSON(): Record<string, unknown> {
    const { name, message, status, code, param, requestId, retryable, retryAfterMs, idempotencyKey, progress } = this
    return { name, message, status, code, param, requestId, retryable, retryAfterMs, idempotencyKey, progress }
  }

  /** Node prints this: neither `billing` nor `partial`, whatever the options. */
  [Symbol.for('nodejs.util.inspect.custom')](
    _depth: number,
    options: object,
    inspect: (value: unknown, options: object) => string,
  ): string {
    const { name, message, ...rest } = this.toJSON()
    const known = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))
    const cause = this.cause === undefined ? {} : { cause: this.cause }
    const stack = this.stack?.replace(/^.*(\n|$)/, '\n') ?? ''
    return `${name}: ${message}${stack.trimEnd()} ${inspect({ ...known, ...cause }, options)}`
  }
}

/** The request is wrong: 400, 405, 413, 415, 416, 431, or an argument that the client refuses. `param` says what. */
export class ValidationError extends StoredexError {}
/** There is no usable key: 401. */
export class AuthenticationError extends StoredexError {}
/** The key may not do this: 403; `param` is the missing scope. */
export class PermissionError extends StoredexError {}
/** The account has no active paid plan: 403 `api_access_required`; see `billing`. */
export class AccessRequiredError extends PermissionError {}
/** It does not exist, or is gone: 404, 410. */
export class NotFoundError extends StoredexError {}
/** The contact credits do not cover the reveal: 402; during a trial see `billing`. */
export class InsufficientCreditsError extends StoredexError {}
/** The request contradicts the present state: 409. */
export class ConflictError extends StoredexError {}
/** A limit or quota is used up: 429; `param` names it. */
export class RateLimitError extends StoredexError {}
/** A fault or an overload of the service: 500 and above. */
export class ServerError extends StoredexError {}
/** No complete reply arrived. Whether the service did the work is unknown. */
export class ConnectionError extends StoredexError {}
/** An attempt took longer than `timeoutMs`, or the call longer than `totalTimeoutMs`. */
export class TimeoutError extends ConnectionError {}
/** The call was aborted through its signal; `cause` is the signal's reason. */
export class AbortError extends StoredexError {}

/** The reveal would cost more than `maxCredits`, or more than is left. Nothing was spent. */
export class CostLimitError extends StoredexError {
  /** What the reveal would cost now. */
  readonly credits: number
  readonly maxCredits: number
  readonly creditsRemaining: number

  constructor(cost: { credits: number; maxCredits: number; creditsRemaining: number }) {
    const { credits, maxCredits, creditsRemaining } = cost
    const bound = credits > maxCredits ? `maxCredits is ${maxCredits}` : `${creditsRemaining} are left`
    super(`This reveal would cost ${credits} credits, and ${bound}. Nothing was spent.`, { code: 'cost_limit' })
    this.credits = credits
    this.maxCredits = maxCredits
    this.creditsRemaining = creditsRemaining
  }
}

// On the prototypes, so that a name is neither an own property nor changed by a minifier.
const names = {
  ...{ StoredexError, ValidationError, AuthenticationError, PermissionError, AccessRequiredError, NotFoundError },
  ...{ InsufficientCreditsError, ConflictError, RateLimitError, ServerError, ConnectionError, TimeoutError },
  ...{ AbortError, CostLimitError },
}
for (const [name, { prototype }] of Object.entries(names))
  Object.defineProperty(prototype, 'name', { value: name, configurable: true, writable: true })

/** An argument that is refused before anything is sent. */
export function invalidArgument(message: string, param: string): ValidationError {
  return new ValidationError(message, { code: 'invalid_argument', param })
}
