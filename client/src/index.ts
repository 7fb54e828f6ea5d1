export type { Download, DownloadOptions, DownloadProgress } from './download/download.ts'
export {
  AbortError,
  AccessRequiredError,
  AuthenticationError,
  type BillingAction,
  type CallProgress,
  ConflictError,
  ConnectionError,
  CostLimitError,
  InsufficientCreditsError,
  NotFoundError,
  type PartialReply,
  PermissionError,
  RateLimitError,
  ServerError,
  StoredexError,
  TimeoutError,
  ValidationError,
} from './errors.ts'
export type * from './generated/types.ts'
export type { CallOptions, IdempotentCallOptions, StoredexOptions } from './options.ts'
export type { PageReply, Pages, RowBound } from './pages.ts'
export type { AbortSignalLike, Fetch, NodeDestination, WebDestination } from './platform.ts'
export type { ApiPromise, Remaining, Reply } from './reply.ts'
export type { RevealOptions } from './resources/contacts.ts'
export type { WaitOptions } from './resources/exports.ts'
export { type RequestOptions, Storedex } from './storedex.ts'
