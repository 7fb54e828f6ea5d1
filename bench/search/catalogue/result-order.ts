import type { StagedStores } from '../../../server/src/search/memory/segment.ts'
import type { Term } from '../../../server/src/search/vocabulary.ts'

/** What engines are loaded from. */
export interface BenchCatalogue {
  staged: StagedStores
  terms: readonly Term[]
  order: ResultOrder
}

/**
 * The stores numbered in result order. Peers get their rows in this order and by these numbers, which spares them the sort
 * and makes a cursor a single number: the best that a catalogue that never changes allows.
 */
export class ResultOrder {
  /** Rank → row. The id of a store is its row and one. */
  readonly rows: Uint32Array
  readonly #ranks: Uint32Array

  constructor({ size, negatedScores }: StagedStores) {
    // Scores are steps of a tenth from 0 to 100, and rows ascend by id: counting sorts them.
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
