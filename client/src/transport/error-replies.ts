import * as errors from '../errors.ts'
import type { HeadersLike } from '../platform.ts'
import { redact } from './redact.ts'

/** A complete reply that was read as text. */
export interface TextReply {
  status: number
  headers: HeadersLike
  text: string
}

type ErrorClass = new (message: string, details: errors.ErrorFields) => errors.StoredexError

const classOfStatus: Record<number, ErrorClass> = {
  400: errors.ValidationError,
  401: errors.AuthenticationError,
  402: errors.InsufficientCreditsError,
  403: errors.PermissionError,
  404: errors.NotFoundError,
  405: errors.ValidationError,
  409: errors.ConflictError,
  410: errors.NotFoundError,
  413: errors.ValidationError,
  415: errors.ValidationError,
  416: errors.ValidationError,
  429: errors.RateLimitError,
  431: errors.ValidationError,
}

/** A code that is not known is treated like its status. */
function classOf(status: number, code: string): ErrorClass {
  if (code === 'api_access_required') return errors.AccessRequiredError
  return classOfStatus[status] ?? (status >= 500 ? errors.ServerError : errors.StoredexError)
}

/** The error of a reply that is not a success. */
export function errorOfReply(reply: TextReply, secret: string): errors.StoredexError {
  const { status, headers } = reply
  const details = readDetails(reply)
  const code = textOf(details.code) ?? 'unexpected_reply'
  const param = textOf(details.param)
  const message =
    textOf(details.message) ?? `The service answered with status ${status} and without an error of the Storedex API.`
  return new (classOf(status, code))(redact(message, secret), {
    ...{ status, code, param },
    requestId: textOf(details.request_id) ?? headers.get('x-request-id') ?? undefined,
    retryable: isRetryable(status, code, param),
    retryAfterMs: parseRetryAfter(headers.get('retry-after')),
    billing: details.billing as errors.BillingAction | undefined,
  })
}

/** The error of a reply that leads elsewhere: the key must not follow it. */
export function redirectError({ status, headers }: Omit<TextReply, 'text'>): errors.StoredexError {
  const target = originOf(headers.get('location'))
  return new errors.StoredexError(
    `The service answered with a redirect${target ? ` to ${target}` : ''}, which is not followed with the key. Set baseUrl to the final address.`,
    { code: 'redirected', status },
  )
}

/**
 * Which requests are repeated: overload, the limit of a minute, and a first attempt with the same Idempotency-Key that still runs.
 * The other limits of a 429 last for an hour or longer.
 */
function isRetryable(status: number, code: string, param: string | undefined): boolean {
  return (
    status === 503 ||
    (status === 429 && param === 'requests_per_minute') ||
    (status === 409 && code === 'idempotency_in_progress')
  )
}

function readDetails({ text }: TextReply): Record<string, unknown> {
  try {
    const details: unknown = JSON.parse(text)?.error
    return typeof details === 'object' && details !== null ? (details as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Seconds or a date. */
function parseRetryAfter(header: string | null): number | undefined {
  if (header === null || header.trim() === '') return
  const ms = /^\s*\d+\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}

function originOf(location: string | null): string | undefined {
  try {
    return location === null ? undefined : new URL(location).origin
  } catch {
    return
  }
}
