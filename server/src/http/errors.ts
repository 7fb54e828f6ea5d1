import type { FastifyError, FastifyInstance } from 'fastify'
import { type TSchema, Type } from 'typebox'
import { isDatabaseUnavailable } from '../db/failures.ts'
import { ApiError, type ErrorCode, type ErrorType, errorTable } from '../kernel/errors.ts'
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

/** The error body sent to the caller. Other fields of the error stay private. */
export function errorBody(error: ApiError, requestId: string): ErrorReply {
  return {
    error: {
      type: error.type,
      code: error.code,
      message: error.message,
      ...(error.param !== undefined && { param: error.param }),
      ...(error.billing !== undefined && { billing: error.billing }),
      request_id: requestId,
    },
  }
}

/** The reply headers of an error. */
export function errorHeaders(error: ApiError): Record<string, string> {
  const headers: Record<string, string> = { 'cache-control': 'no-store' }
  // People sign in on a page; only the API takes a key.
  if (error.status === 401 && error.code in errorTable) headers['www-authenticate'] = 'Bearer'
  const retryAfterSeconds = error.retryAfterSeconds ?? (error.status === 503 ? defaultRetryAfterSeconds : undefined)
  if (retryAfterSeconds !== undefined) headers['retry-after'] = String(Math.max(1, Math.ceil(retryAfterSeconds)))
  return { ...headers, ...error.headers }
}

/** Answers every error with the error envelope, or with a page in a browser, and records it for the log. */
export function registerErrorHandler(app: FastifyInstance): void {
  app.decorateRequest('errorInstead', null)
  app.setErrorHandler((error, request, reply) => {
    const apiError = toApiError(request.errorInstead ?? error)
    request.record.failure = apiError
    reply
      .removeHeader('etag')
      // Fastify closes the connection after any body error. That cuts off the reply while the body is still arriving,
      // and is unnecessary once it has arrived.
      .removeHeader('connection')
      .headers(errorHeaders(apiError))
    if (expectsErrorPage(request)) return sendPage(reply.header('vary', 'accept'), siteErrorPage(apiError))
    return reply
      .code(apiError.status)
      .type('application/json; charset=utf-8')
      .send(JSON.stringify(errorBody(apiError, request.id)))
  })
}

/** Converts any thrown value to the error that the caller receives. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  const { code, statusCode } = (error ?? {}) as Partial<FastifyError>
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new ApiError('payload_too_large', 'The body is larger than 262,144 bytes.', { cause: error })
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return new ApiError('unsupported_media_type', 'Send the body as Content-Type: application/json.', { cause: error })
  // Fastify uses 4xx for client errors, such as a body shorter than declared.
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new ApiError('invalid_request', 'The request could not be read to its end.', { cause: error })
  if (isDatabaseUnavailable(error) || error instanceof MissingDataKeyError)
    return new ApiError('service_unavailable', 'The service is busy or restarting; try again in a moment.', {
      cause: error,
    })
  return new ApiError('internal_error', 'Something went wrong on our side; it has been recorded.', { cause: error })
}

const errorTypes = [...new Set<ErrorType>(Object.values(errorTable).map(([, type]) => type))]

const oneLine = '^[^\\x00-\\x20\\x7f-\\xa0]'

/** The body of every error reply. `Action` is what an account can do about it: the shape of `error.billing`. */
export const ErrorReply = (Action: TSchema) =>
  ClosedObject(
    {
      error: ClosedObject(
        {
          type: OneOf(errorTypes),
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
          billing: Type.Optional(Action),
          request_id: RequestId,
        },
        { title: 'ErrorDetails' },
      ),
    },
    { description: 'Why a request was refused.' },
  )
export interface ErrorReply {
  error: { type: ErrorType; code: string; message: string; param?: string; billing?: object; request_id: string }
}
