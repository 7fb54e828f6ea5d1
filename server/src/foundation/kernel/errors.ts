/** Every error code of the API: code → the HTTP status and `error.type` that `http/errors.ts` answers with. */
export const errorTable = {
  invalid_request: [400, 'invalid_request_error'],
  invalid_json: [400, 'invalid_request_error'],
  unknown_parameter: [400, 'invalid_request_error'],
  missing_parameter: [400, 'invalid_request_error'],
  invalid_filter_value: [400, 'invalid_request_error'],
  conflicting_filters: [400, 'invalid_request_error'],
  invalid_limit: [400, 'invalid_request_error'],
  invalid_cursor: [400, 'invalid_request_error'],
  invalid_domain: [400, 'invalid_request_error'],
  reveal_not_supported: [400, 'invalid_request_error'],
  search_too_broad: [400, 'invalid_request_error'],
  invalid_contact_id: [400, 'invalid_request_error'],
  invalid_store_id: [400, 'invalid_request_error'],
  invalid_list_id: [400, 'invalid_request_error'],
  invalid_export_id: [400, 'invalid_request_error'],
  invalid_column: [400, 'invalid_request_error'],
  invalid_quote: [400, 'invalid_request_error'],
  invalid_idempotency_key: [400, 'invalid_request_error'],
  invalid_plan: [400, 'invalid_request_error'],
  invalid_billing: [400, 'invalid_request_error'],
  missing_api_key: [401, 'authentication_error'],
  invalid_api_key: [401, 'authentication_error'],
  revoked_api_key: [401, 'authentication_error'],
  suspended_api_key: [401, 'authentication_error'],
  expired_api_key: [401, 'authentication_error'],
  insufficient_contact_credits: [402, 'quota_error'],
  api_access_required: [403, 'permission_error'],
  insufficient_scope: [403, 'permission_error'],
  store_not_found: [404, 'not_found_error'],
  no_revealable_contacts: [404, 'not_found_error'],
  list_not_found: [404, 'not_found_error'],
  export_not_found: [404, 'not_found_error'],
  billing_account_not_found: [404, 'not_found_error'],
  route_not_found: [404, 'not_found_error'],
  method_not_allowed: [405, 'invalid_request_error'],
  idempotency_conflict: [409, 'invalid_request_error'],
  idempotency_in_progress: [409, 'invalid_request_error'],
  list_name_taken: [409, 'invalid_request_error'],
  list_limit_reached: [409, 'invalid_request_error'],
  export_not_ready: [409, 'invalid_request_error'],
  quote_exceeded: [409, 'invalid_request_error'],
  unsupported_plan_change: [409, 'invalid_request_error'],
  billing_support_required: [409, 'invalid_request_error'],
  export_file_gone: [410, 'not_found_error'],
  payload_too_large: [413, 'invalid_request_error'],
  unsupported_media_type: [415, 'invalid_request_error'],
  invalid_range: [416, 'invalid_request_error'],
  header_too_large: [431, 'invalid_request_error'],
  rate_limit_exceeded: [429, 'rate_limit_error'],
  internal_error: [500, 'server_error'],
  service_unavailable: [503, 'server_error'],
  billing_provider_unavailable: [503, 'server_error'],
} as const satisfies Record<string, readonly [number, string]>

export type ErrorCode = keyof typeof errorTable
export type ErrorType = (typeof errorTable)[ErrorCode][1]

/** The codes that only the console's own routes answer with; the API never does. */
export const consoleErrorTable = {
  weak_password: [400, 'invalid_request_error'],
  not_signed_in: [401, 'authentication_error'],
  sign_in_failed: [401, 'authentication_error'],
  insufficient_role: [403, 'permission_error'],
  fresh_sign_in_required: [403, 'permission_error'],
  cross_site_request: [403, 'permission_error'],
  account_not_found: [404, 'not_found_error'],
  person_not_found: [404, 'not_found_error'],
  invitation_not_found: [404, 'not_found_error'],
  session_not_found: [404, 'not_found_error'],
  passkey_not_found: [404, 'not_found_error'],
  key_not_found: [404, 'not_found_error'],
  import_not_found: [404, 'not_found_error'],
  import_not_ready: [409, 'invalid_request_error'],
  import_elsewhere: [409, 'invalid_request_error'],
  wrong_offset: [409, 'invalid_request_error'],
  last_owner: [409, 'invalid_request_error'],
  already_member: [409, 'invalid_request_error'],
  too_many_members: [409, 'invalid_request_error'],
  subscription_running: [409, 'invalid_request_error'],
  trial_changed: [409, 'invalid_request_error'],
  key_not_active: [409, 'invalid_request_error'],
  revocation_final: [409, 'invalid_request_error'],
  too_many_keys: [409, 'invalid_request_error'],
  invalid_link: [410, 'not_found_error'],
  storage_full: [507, 'server_error'],
} as const satisfies Record<string, readonly [number, ErrorType]>

export type ConsoleErrorCode = keyof typeof consoleErrorTable

export const allErrors = { ...errorTable, ...consoleErrorTable }

export interface RefusalDetails {
  /** JSON path of the offending value, the missing scope, or the exceeded limit. */
  param?: string
  /** The account's next step, as `error.billing`. The code that refuses gives its shape. */
  billing?: object
  /** Seconds until a retry can succeed. */
  retryAfterSeconds?: number
  /** Private: it lasts until the operator corrects something, so it is logged as an error, whatever its status. */
  needsOperator?: boolean
  /** Private: logged with the request id, never sent. */
  cause?: unknown
}

/**
 * Why something is not done: a code for programs and one public sentence, whatever door the request came through. HTTP,
 * MCP and the command line each translate it in one place. `needsOperator` and `cause` never reach the caller.
 */
export class Refusal extends Error {
  readonly code: ErrorCode | ConsoleErrorCode
  readonly param: string | undefined
  readonly billing: object | undefined
  readonly retryAfterSeconds: number | undefined
  readonly needsOperator: boolean

  constructor(code: ErrorCode | ConsoleErrorCode, message: string, details: RefusalDetails = {}) {
    super(message, { cause: details.cause })
    this.name = 'Refusal'
    this.code = code
    this.param = details.param
    this.billing = details.billing
    this.retryAfterSeconds = details.retryAfterSeconds
    this.needsOperator = details.needsOperator ?? false
  }
}

/** An error shown to the operator, at the command line or at start: one sentence, exit code 1. */
export class OperatorError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'OperatorError'
  }
}
