import type { CountRequest, CountResult } from '@storedex/search-index'
import type { Mode } from '../../foundation/kernel/ids.ts'
import type { SerializedError, SerializedView } from '../replica/thread-messages.ts'

export type ToCountThread =
  | { kind: 'follow'; view: SerializedView }
  | {
      kind: 'count'
      view: SerializedView
      mode: Mode
      request: CountRequest
      /** Its one word becomes 1 when no request waits for the counts any more. */
      canceled: Int32Array
    }

export type FromCountThread =
  | { kind: 'counted'; result: CountResult }
  | { kind: 'canceled' }
  | { kind: 'failed'; error: SerializedError | null }
