import { isDatabaseUnavailable } from '@storedex/pg-lanes/failures'
import type { FastifyError, FastifyInstance } from 'fastify'
import { type TSchema, Type } from 'typebox'
import {
  allErrors,
  type ErrorCode,
  type ErrorType,
  errorTable,
  Refusal,
  type RefusalDetails,
} from '../kernel/errors.ts'
import { MissingDataKeyError } from '../kernel/seal.ts'
import { ClosedObject, OneOf, RequestId } from '../kernel/shapes.ts'
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
      ...(error.billing !== undefined && { billing: error.billing }),
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

/** The body of every error reply. `Action` is what an account can do about it: the shape of `error.billing`. */
export const ErrorReply = (Action: TSchema) =>
  ClosedObject(
    {
      error: ClosedObject(
        {
          type: OneOf(errorTypes, { description: 'The kind of error, one for each group of codes.' }),
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
          billing: Type.Optional({
            ...Action,
            description:
              'What the account can do about it: of api_access_required, unless it is suspended or closed, and of insufficient_contact_credits during a trial. Told apart by action.',
          }),
          request_id: RequestId,
        },
        { title: 'ErrorDetails', description: 'What was refused and why.' },
      ),
    },
    { description: 'Why a request was refused.' },
  )
export interface ErrorReply {
  error: { type: ErrorType; code: string; message: string; param?: string; billing?: object; request_id: string }
}
