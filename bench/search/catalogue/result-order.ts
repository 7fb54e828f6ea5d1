import type { StagedStores } from '@storedex/search-index'
import type { Term } from '../../../server/src/search/query/vocabulary.ts'

/** The input that engines are loaded from. */
export interface BenchCatalogue {
  staged: StagedStores
  terms: readonly Term[]
  order: ResultOrder
}

/**
 * The stores numbered in result order. Peers store rows in this order and under these numbers, which spares them the sort
 * and makes a cursor a single number: their best case, possible only because the catalogue never changes.
 */
export class ResultOrder {
  /** Rank → row. The id of a store is its row and one. */
  readonly rows: Uint32Array
  readonly #ranks: Uint32Array

  constructor({ size, negatedScores }: StagedStores) {
    // A counting sort: scores are tenths from 0 to 100, and rows ascend by id.
    const bucketOf = (row: number) => {
      const negated = negatedScores[row]!
      return negated === Infinity ? buckets - 1 : 1_000 + Math.round(negated * 10)
    }
    const starts = new Uint32Array(buckets + 1)
    for (let row = 0; row < size; row++) starts[bucketOf(row) + 1]!++
    for (let bucket = 0; bucket < buckets; bucket++) starts[bucket + 1]! += starts[bucket]!
    this.rows = new Uint32Array(size)
    this.#ranks = new Uint32Array(size)
    for (let row = 0; row < size; row++) {
      const rank = starts[bucketOf(row)]!++
      this.rows[rank] = row
      this.#ranks[row] = rank
    }
  }

  rankOf(storeId: number): number {
    return this.#ranks[storeId - 1]!
  }

  storeIdAt(rank: number): number {
    return this.rows[rank]! + 1
  }
}

const buckets = 1_002
