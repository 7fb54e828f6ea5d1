/** An error reply of the server; `unreachable` with status 0 when there was no reply. */
export class ApiFailure extends Error {
  readonly code: string
  readonly status: number
  readonly param: string | undefined
  readonly requestId: string | undefined
  /** Time until another try can succeed. */
  readonly retryAfterMs: number | undefined
  /** The account's next step, such as a link to buy access. */
  readonly billing: Record<string, unknown> | undefined

  constructor(code: string, message: string, details: FailureDetails = {}) {
    super(message)
    this.name = 'ApiFailure'
    this.code = code
    this.status = details.status ?? 0
    this.param = details.param
    this.requestId = details.requestId
    this.retryAfterMs = details.retryAfterMs
    this.billing = details.billing
  }
}

interface FailureDetails {
  status?: number
  param?: string | undefined
  requestId?: string | undefined
  retryAfterMs?: number | undefined
  billing?: Record<string, unknown> | undefined
}

export function hasCode(error: unknown, code: string): error is ApiFailure {
  return error instanceof ApiFailure && error.code === code
}

/** The sentence to show for anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof ApiFailure ? error.message : 'Something went wrong in the browser. Reload the page.'
}

/** A failure as the props of `ErrorState`. */
export function failureProps(error: unknown): { message: string; requestId: string | undefined } {
  return { message: messageOf(error), requestId: error instanceof ApiFailure ? error.requestId : undefined }
}

/** The failure's sentence for one field of a form, by the name of the property that the server complains about. */
export function fieldError(error: unknown, param: string): string | undefined {
  const isAboutField = error instanceof ApiFailure && (error.param === param || error.param === `$.${param}`)
  return isAboutField ? error.message : undefined
}
