/** The states of an export, and why it ended. Without the library of schemas, which commands need not load. */

export type ExportStatus = 'queued' | 'running' | 'ready' | 'canceled' | 'failed' | 'expired'

export type StopReason = 'max_rows' | 'max_credits' | 'credits' | 'exports' | 'end'

/** Why an export failed. */
export const exportFailures = {
  api_access_required: 'The account lost its access while the export ran.',
  revoked_api_key: 'The API key that started the export was revoked or suspended while it ran.',
  insufficient_role: 'The person who started the export may no longer spend for this account.',
  list_not_found: 'A list that the export leaves out was deleted while it ran.',
  internal_error: 'Something failed inside; what was paid is in the file. Start it again for the rest.',
} as const
export type ExportFailure = keyof typeof exportFailures
