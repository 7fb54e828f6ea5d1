import type { FastifyError, FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import { isDatabaseUnavailable } from '../db/failures.ts'
import {
  allErrors,
  type ErrorCode,
  type ErrorType,
  errorTable,
  Refusal,
  type RefusalDetails,
} from '../kernel/errors.ts'
import { MissingDataKeyError } from '../kernel/seal.ts'
import { ClosedObject, Count, Nullable, RequestId, Timestamp } from '../kernel/shapes.ts'
import { expectsErrorPage, siteErrorPage } from './pages/error-page.ts'
import { sendPage } from './pages/page.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** An error that comes before the one that was thrown; an `onError` hook sets it. */
    errorInstead: unknown
  }
}

const defaultRetryAfterSeconds = 1

/** A refusal of HTTP itself, with reply headers of its own, such as `Allow`. */
export class HttpRefusal extends Refusal {
  readonly headers: Record<string, string>

  constructor(
    code: ErrorCode,
    message: string,
    { headers, ...details }: RefusalDetails & { headers: Record<string, string> },
  ) {
    super(code, message, details)
    this.headers = headers
  }
}

/** The HTTP status that a refusal is answered with. */
export function statusOf({ code }: Refusal): number {
  return allErrors[code][0]
}

/** The error body sent to the caller. Other fields of the error stay private. */
export function errorBody(error: Refusal, requestId: string): ErrorReply {
  return {
    error: {
      type: allErrors[error.code][1],
      code: error.code,
      message: error.message,
      ...(error.param !== undefined && { param: error.param }),
      ...(error.billing !== undefined && { billing: error.billing as BillingAction }),
      request_id: requestId,
    },
  }
}

/** The reply headers of an error. */
export function errorHeaders(error: Refusal): Record<string, string> {
  const headers: Record<string, string> = { 'cache-control': 'no-store' }
  // People sign in on a page; only the API takes a key.
  const status = statusOf(error)
  if (status === 401 && error.code in errorTable) headers['www-authenticate'] = 'Bearer'
  const retryAfterSeconds = error.retryAfterSeconds ?? (status === 503 ? defaultRetryAfterSeconds : undefined)
  if (retryAfterSeconds !== undefined) headers['retry-after'] = String(Math.max(1, Math.ceil(retryAfterSeconds)))
  return error instanceof HttpRefusal ? { ...headers, ...error.headers } : headers
}

/** Answers every error with the error envelope, or with a page in a browser, and records it for the log. */
export function registerErrorHandler(app: FastifyInstance): void {
  app.decorateRequest('errorInstead', null)
  app.setErrorHandler((error, request, reply) => {
    const refusal = toRefusal(request.errorInstead ?? error)
    request.record.failure = refusal
    reply
      .removeHeader('etag')
      // Fastify closes the connection after any body error. That cuts off the reply while the body is still arriving,
      // and is unnecessary once it has arrived.
      .removeHeader('connection')
      .headers(errorHeaders(refusal))
    if (expectsErrorPage(request))
      return sendPage(reply.header('vary', 'accept'), siteErrorPage(statusOf(refusal), refusal.code))
    return reply
      .code(statusOf(refusal))
      .type('application/json; charset=utf-8')
      .send(JSON.stringify(errorBody(refusal, request.id)))
  })
}

/** Converts any thrown value to the error that the caller receives. */
export function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  const { code, statusCode } = (error ?? {}) as Partial<FastifyError>
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new Refusal('payload_too_large', 'The body is larger than 262,144 bytes.', { cause: error })
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return new Refusal('unsupported_media_type', 'Send the body as Content-Type: application/json.', { cause: error })
  // Fastify uses 4xx for client errors, such as a body shorter than declared.
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new Refusal('invalid_request', 'The request could not be read to its end.', { cause: error })
  if (isDatabaseUnavailable(error) || error instanceof MissingDataKeyError)
    return new Refusal('service_unavailable', 'The service is busy or restarting; try again in a moment.', {
      cause: error,
    })
  return new Refusal('internal_error', 'Something went wrong on our side; it has been recorded.', { cause: error })
}

const errorTypes = [...new Set<ErrorType>(Object.values(errorTable).map(([, type]) => type))]

const oneLine = '^[^\\x00-\\x20\\x7f-\\xa0]'

/** What a lapsed account can do to get its access back. */
export const ApiAccessAction = ClosedObject(
  {
    action: Type.Union([Type.Literal('create_subscription_link'), Type.Literal('manage_billing')]),
    url: Type.String({
      format: 'uri',
      maxLength: 2048,
      description: 'The page of the console on which a person does it, signed in. Not a path of the API.',
    }),
    endpoint: Type.Union(
      [Type.Literal('/api/v1/billing/subscription-link'), Type.Literal('/api/v1/billing/portal-link')],
      {
        description:
          'The path to POST to, with the scope billing:manage: the reply has a link to the page of the provider.',
      },
    ),
  },
  {
    title: 'ApiAccessBillingAction',
    description: 'How an account without API access gets it back. Missing for a suspended or closed account.',
  },
)
export type ApiAccessAction = Static<typeof ApiAccessAction>

/** How a trial becomes the paid plan. */
export const TrialCreditAction = ClosedObject(
  {
    can_unlock_paid_credits_now: Type.Optional(Type.Boolean()),
    action: Type.Literal('end_trial_to_unlock_pro_credits'),
    current_limit: Count("The trial's cap."),
    paid_plan_limit: Count("The paid plan's monthly credits."),
    trial_ends_at: Nullable(Timestamp('End of the trial.')),
    url: Type.String({ format: 'uri', maxLength: 2048, description: 'Where a person ends the trial.' }),
  },
  { title: 'TrialCreditBillingAction', description: 'How a trial account gets the credits of its paid plan.' },
)
export type TrialCreditAction = Static<typeof TrialCreditAction>

const BillingAction = Type.Union([ApiAccessAction, TrialCreditAction])
type BillingAction = Static<typeof BillingAction>

/** The body of every error reply. */
export const ErrorReply = ClosedObject(
  {
    error: ClosedObject(
      {
        type: Type.Enum(errorTypes, { type: 'string' }),
        code: Type.String({
          pattern: '^[a-z_]+$',
          maxLength: 64,
          description: 'Stable, for programs; more codes may come.',
          examples: ['invalid_limit'] satisfies ErrorCode[],
        }),
        message: Type.String({
          pattern: oneLine,
          maxLength: 1000,
          description: 'One sentence for a person; its wording may change.',
        }),
        param: Type.Optional(
          Type.String({
            pattern: oneLine,
            maxLength: 500,
            description: 'JSON path of the offending value, the missing scope, or the limit that tripped.',
            examples: ['filters.apps.any[1]'],
          }),
        ),
        billing: Type.Optional(BillingAction),
        request_id: RequestId,
      },
      { title: 'ErrorDetails' },
    ),
  },
  { description: 'Why a request was refused.' },
)
export type ErrorReply = Static<typeof ErrorReply>
