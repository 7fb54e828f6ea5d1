/** The public API as tools see it. */

export interface ApiRequest {
  method: 'GET' | 'POST'
  /** After `/api/v1`, such as `/stores/search`. */
  path: string
  body?: object
  idempotencyKey?: string
}

export interface ApiReply {
  status: number
  /** The parsed body. */
  // biome-ignore lint/suspicious/noExplicitAny: a tool knows the reply of the operation that it calls.
  body: any
  /** From `Retry-After`. */
  retryAfterSeconds?: number
  /** From `X-Search-End`: why a page is the last one although more matches. */
  searchEnd?: string
}

/**
 * Calls an operation of the public API with the caller's own key. In the service this is the real route; in the command,
 * a request to the running service.
 */
export type ApiCall = (call: ApiRequest) => Promise<ApiReply>

/** An error that a tool answers with: what the API said, or what the tool itself has to say. */
export class ToolError extends Error {
  readonly code: string
  readonly param: string | undefined
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined
  /** Where a person restores what is missing. */
  readonly url: string | undefined

  constructor(
    code: string,
    message: string,
    details: {
      param?: string | undefined
      requestId?: string | undefined
      retryAfterSeconds?: number | undefined
      url?: string | undefined
    } = {},
  ) {
    super(message)
    this.name = 'ToolError'
    this.code = code
    this.param = details.param
    this.requestId = details.requestId
    this.retryAfterSeconds = details.retryAfterSeconds
    this.url = details.url
  }
}

/** The body of a successful reply; throws as `requestApi`. */
// biome-ignore lint/suspicious/noExplicitAny: see `ApiReply`.
export async function callApi(api: ApiCall, call: ApiRequest): Promise<any> {
  return (await requestApi(api, call)).body
}

/** A successful reply. Throws `ToolError` with the API's sentence for any other. */
export async function requestApi(api: ApiCall, call: ApiRequest): Promise<ApiReply> {
  const reply = await api(call)
  const { status, body, retryAfterSeconds } = reply
  if (status >= 200 && status < 300) return reply
  const error = body?.error
  if (typeof error?.code !== 'string' || typeof error.message !== 'string')
    throw new ToolError('internal_error', `The service answered with status ${status}.`, { retryAfterSeconds })
  const { code, message, param, request_id: requestId, billing } = error
  throw new ToolError(code, message, { param, requestId, retryAfterSeconds, url: billing?.url })
}
