import type { CountRequest, CountResult } from '@storedex/search-index'
import type { SerializedError } from '@storedex/work'
import type { Mode } from '../../foundation/kernel/ids.ts'
import type { SerializedIndex } from '../replica/thread-messages.ts'

export type ToCountThread =
  | { kind: 'follow'; index: SerializedIndex }
  | {
      kind: 'count'
      index: SerializedIndex
      mode: Mode
      request: CountRequest
      /** Its one word becomes 1 when no request waits for the counts any more. */
      canceled: Int32Array
    }

export type FromCountThread =
  | { kind: 'counted'; result: CountResult }
  | { kind: 'canceled' }
  | { kind: 'failed'; error: SerializedError | null }
