import { figure } from '../../kernel/time.ts'
import type { CatalogueCount } from './queries.ts'

/**
 * What a store takes at the most demanding moment, when the catalogue is loaded and its segments are made of what was
 * read; and a contact. Measured: a million stores with three million contacts took 420 MB, and 610 MB with twice as many
 * tokens; at rest it is a quarter.
 */
const bytesPerStore = 400
const bytesPerContact = 40
export const megabyte = 1_000_000

/** What a catalogue of this size needs of memory. */
export function neededBytes({ stores, contacts }: CatalogueCount): number {
  return stores * bytesPerStore + contacts * bytesPerContact
}

/** The catalogue needs more memory than it may have. */
export class MemoryBudgetError extends Error {
  readonly neededBytes: number

  constructor(needed: number, budgetBytes: number) {
    const words = (bytes: number) => figure(Math.round(bytes / megabyte))
    super(`it needs about ${words(needed)} MB, and SEARCH_MEMORY_MB is ${words(budgetBytes)}`)
    this.neededBytes = needed
  }
}

/** A catalogue that was too large has to fit with room to spare, lest it goes in and out. */
const reentryShare = 0.9

/** Throws when a catalogue of this size does not fit. */
export function assertWithinBudget(
  count: CatalogueCount,
  budgetBytes: number | null,
  { isReentry } = { isReentry: false },
): void {
  if (budgetBytes === null) return
  const needed = neededBytes(count)
  if (needed > budgetBytes * (isReentry ? reentryShare : 1)) throw new MemoryBudgetError(needed, budgetBytes)
}
