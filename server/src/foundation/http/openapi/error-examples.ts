import type { ConsoleErrorCode, ErrorCode } from '../../kernel/errors.ts'
import type { ErrorReply } from '../errors.ts'

/** A code of an error reply, of the API or of the console. */
export type DocumentedCode = ErrorCode | ConsoleErrorCode

/** What an example of an error shows beside its code. */
export type ErrorExample = Omit<ErrorReply['error'], 'type' | 'code' | 'request_id'>

/** One example of each code, for the published document. */
export const errorExamples: Record<DocumentedCode, ErrorExample> = {
  invalid_request: {
    message: 'domains must be a list of 1 to 25 items.',
    param: 'domains',
  },
  invalid_json: { message: 'The body is not valid JSON.' },
  unknown_parameter: {
    message: 'filters.contry is not a parameter of this request.',
    param: 'filters.contry',
  },
  missing_parameter: { message: 'filters is required.', param: 'filters' },
  invalid_filter_value: {
    message: '"klavyo" is not a known app; nearest: klaviyo, klarna, klevu.',
    param: 'filters.apps.any[1]',
  },
  conflicting_filters: {
    message: '"klaviyo" is both required and excluded.',
    param: 'filters.apps.none[0]',
  },
  invalid_limit: { message: 'limit must be a whole number from 1 to 100.', param: 'limit' },
  invalid_cursor: {
    message: 'cursor must be the next_cursor of the page before, unchanged.',
    param: 'cursor',
  },
  invalid_domain: { message: '"not a domain" is not a domain.', param: 'domains[3]' },
  reveal_not_supported: {
    message: 'reveal_contacts must be false here; contacts are revealed by POST /api/v1/contacts/reveal.',
    param: 'reveal_contacts',
  },
  search_too_broad: {
    message: 'This search has returned 1,000 rows, the most it may; add a filter to see others.',
    param: 'filters',
  },
  invalid_contact_id: {
    message: 'A contact id is the id of a preview, unchanged: ct_live_ or ct_test_ and 16 letters.',
    param: 'contact_ids[0]',
  },
  invalid_store_id: {
    message: 'store_ids[0] is not the id of a store: st_live_ or st_test_ and 16 letters.',
    param: 'store_ids[0]',
  },
  invalid_list_id: {
    message: 'A list id is the id of a list, unchanged: lst_live_ or lst_test_ and 16 letters.',
    param: 'id',
  },
  invalid_export_id: {
    message: 'An export id is the id of an export, unchanged: exp_live_ or exp_test_ and 16 letters.',
    param: 'id',
  },
  invalid_column: { message: '"contry" is not a column of stores; nearest: country.', param: 'columns[2]' },
  invalid_quote: {
    message: 'This quote is invalid, has expired or is for another request; ask for a new one.',
    param: 'quote',
  },
  invalid_idempotency_key: {
    message: 'Idempotency-Key must be 1 to 255 printable ASCII characters.',
    param: 'Idempotency-Key',
  },
  invalid_plan: { message: 'plan must be one of pro, business, enterprise.', param: 'plan' },
  invalid_billing: { message: 'billing must be one of monthly, annual.', param: 'billing' },
  missing_api_key: { message: 'Send your API key in the header "Authorization: Bearer <key>".' },
  invalid_api_key: { message: 'This API key does not exist.' },
  revoked_api_key: { message: 'This API key was revoked.' },
  suspended_api_key: { message: 'This API key is suspended.' },
  expired_api_key: { message: 'This API key expired on 2026-11-01.' },
  insufficient_contact_credits: {
    message: '3 contact credits are needed, but 1 of 250 is left for this trial.',
    param: 'contact_ids',
    billing: {
      can_unlock_paid_credits_now: false,
      action: 'end_trial_to_unlock_pro_credits',
      current_limit: 250,
      paid_plan_limit: 1000,
      trial_ends_at: '2026-11-30T09:00:00.000Z',
      url: 'https://storedex.example/billing/trial',
    },
  },
  api_access_required: {
    message: 'This account has no active paid plan (status past_due); renew it to use the API.',
    billing: {
      action: 'manage_billing',
      url: 'https://storedex.example/billing?account=acct_RtWqLzXcVbNmPkJh',
      endpoint: '/api/v1/billing/portal-link',
    },
  },
  insufficient_scope: { message: 'This API key lacks the scope stores:read.', param: 'stores:read' },
  store_not_found: { message: 'No store is known for aurora-candles.example.', param: 'domain' },
  no_revealable_contacts: { message: 'None of these contacts can be revealed.', param: 'contact_ids' },
  list_not_found: { message: 'There is no such list in this account and mode.', param: 'id' },
  export_not_found: { message: 'There is no such export.', param: 'id' },
  billing_account_not_found: {
    message: 'The payment provider does not know this account yet; call POST /api/v1/billing/subscription-link first.',
  },
  route_not_found: { message: 'There is nothing at this path; see /docs for what there is.' },
  method_not_allowed: { message: 'This path does not support GET, only POST.' },
  idempotency_conflict: {
    message: 'This Idempotency-Key was used for another request; use a new one.',
    param: 'Idempotency-Key',
  },
  idempotency_in_progress: {
    message: 'The first request with this Idempotency-Key is still running; try again in a moment.',
    param: 'Idempotency-Key',
  },
  list_name_taken: { message: 'There is a list with the name "Berlin"; choose another one.', param: 'name' },
  list_limit_reached: {
    message: 'A list has at most 100,000 items; this one has 99,900, and nothing was added.',
  },
  export_not_ready: {
    message: 'This export is not finished; its file can be downloaded when it is.',
    param: 'id',
  },
  quote_exceeded: {
    message: 'By now 120 contact credits and 4 store exports are needed, more than the quote says; ask for a new one.',
    param: 'quote',
  },
  export_file_gone: { message: 'The file of this export was removed; start the export again.', param: 'id' },
  invalid_range: { message: 'The file has 1,024 bytes; the range lies outside of it.', param: 'Range' },
  unsupported_plan_change: {
    message:
      'The plan is business, billed monthly; a link can only lead to a higher plan, or from monthly to annual billing.',
    param: 'plan',
  },
  billing_support_required: { message: 'This account has several subscriptions at the payment provider; ask support.' },
  payload_too_large: { message: 'The body is larger than 262,144 bytes.' },
  unsupported_media_type: { message: 'Send the body as Content-Type: application/json.' },
  header_too_large: { message: 'URL and headers together exceed 16 KB.' },
  rate_limit_exceeded: {
    message: 'All 60 requests of this minute are used; try again in 23 seconds.',
    param: 'requests_per_minute',
  },
  internal_error: { message: 'Something went wrong on our side; it has been recorded.' },
  service_unavailable: { message: 'The service is busy or restarting; try again in a moment.' },
  billing_provider_unavailable: { message: 'The payment provider does not answer; try again in a moment.' },
  weak_password: { message: 'The password needs 12 characters or more.', param: 'password' },
  not_signed_in: { message: 'You are not signed in.' },
  sign_in_failed: { message: 'Email or password is wrong.' },
  insufficient_role: { message: 'This needs the role admin in the account.' },
  fresh_sign_in_required: { message: 'Confirm that it is you, then try again.' },
  cross_site_request: { message: 'The console accepts changes from its own pages only.' },
  account_not_found: { message: 'You are not a member of this account.' },
  passkey_not_found: { message: 'You have no such passkey.' },
  person_not_found: { message: 'This person is not a member of the account.' },
  key_not_found: { message: 'The account has no such key.' },
  import_not_found: { message: 'There is no such import.' },
  import_not_ready: { message: 'This import is running; stop it first.' },
  import_elsewhere: { message: 'The files of this import are on another server, which has to be asked.' },
  wrong_offset: { message: 'The file has 8388608 bytes so far; continue from there.', param: 'upload-offset' },
  storage_full: { message: 'The disk of the server is full. Make room, then continue.' },
  last_owner: { message: 'The account needs another owner first.' },
  already_member: { message: 'This person is a member already.' },
  too_many_members: { message: 'An account has at most 500 members and 100 open invitations; revoke some first.' },
  subscription_running: { message: 'A subscription runs at the payment provider. Cancel the plan first.' },
  invitation_not_found: { message: 'There is no such invitation, or it has ended.' },
  session_not_found: { message: 'There is no such session, or it has ended.' },
  trial_changed: { message: 'The trial has changed since it was shown; nothing was done. Look at it again.' },
  key_not_active: { message: 'This key is revoked; only an active key can be rotated.' },
  revocation_final: { message: 'This key was revoked too long ago to take it back.' },
  too_many_keys: { message: 'An account has at most 100 usable keys; revoke one first.' },
  invalid_link: { message: 'This link was used already, or is no longer valid.' },
}
