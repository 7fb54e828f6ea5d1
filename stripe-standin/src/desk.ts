import type { Book } from './state/database.ts'

/** What every verb works with: the records, the time, the events, and where the stand-in can be reached. */
export interface Desk {
  readonly book: Book
  /** Whole seconds since 1970 on the stand-in's clock; the same throughout one verb. */
  readonly now: number
  /** Base of the addresses of pages, without a slash at the end. */
  readonly url: string
  /** The request that is being answered, which its events name. */
  readonly request: { readonly id: string | null; readonly idempotencyKey: string | null }
}
