import { formatNumber } from '../../foundation/kernel/time.ts'
import type { CatalogueCount } from './queries.ts'

/**
 * Peak memory per store and per contact, reached while the index is built from the rows read, read from a snapshot, or merged
 * as a whole. Measured: a million stores with three million contacts took 185 MB while loaded and 200 MB while merged, 103 MB at rest.
 */
const bytesPerStore = 180
const bytesPerContact = 20
export const megabyte = 1_000_000

/** Estimated peak memory of an index of this size. */
export function estimateNeededBytes({ stores, contacts }: CatalogueCount): number {
  return stores * bytesPerStore + contacts * bytesPerContact
}

/** The index needs more memory than it may use. */
export class MemoryBudgetError extends Error {
  readonly neededBytes: number

  constructor(needed: number, budgetBytes: number) {
    const megabytes = (bytes: number) => formatNumber(Math.round(bytes / megabyte))
    super(`it needs about ${megabytes(needed)} MB, and SEARCH_MEMORY_MB is ${megabytes(budgetBytes)}`)
    this.neededBytes = needed
  }
}

/** Hysteresis: a catalogue that was too large must fit with room to spare before it is loaded again. */
const reentryShare = 0.9

/** Throws a `MemoryBudgetError` if a catalogue of this size does not fit. */
export function assertWithinBudget(
  count: CatalogueCount,
  budgetBytes: number | null,
  { isReentry } = { isReentry: false },
): void {
  if (budgetBytes === null) return
  const needed = estimateNeededBytes(count)
  if (needed > budgetBytes * (isReentry ? reentryShare : 1)) throw new MemoryBudgetError(needed, budgetBytes)
}
