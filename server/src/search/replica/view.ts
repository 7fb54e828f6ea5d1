import { countDead, type LiveSegment } from '@storedex/search-index'
import { type Mode, modes } from '../../kernel/ids.ts'

/** The segments of each mode, the newest last. A store stands alive in one of them at most. */
export type Shelves = Readonly<Record<Mode, readonly LiveSegment[]>>

/** The catalogue in memory as of a batch. Never changes once it was shown to anybody. */
export interface CatalogueView {
  /** Everything up to this batch is in it. */
  batch: number
  shelves: Shelves
}

export interface ShelfFigures {
  segments: number
  /** Stores that can be found, with those of their contacts that can be. */
  stores: number
  contacts: number
  /** Copies that no longer count, and stand there until a merge. */
  deadStores: number
  /** Stores outside of the largest segment of their mode. */
  deltaStores: number
}

/** Contacts of dead copies count in: only a merge knows them apart, and it soon comes. */
export function measureShelves(shelves: Shelves): ShelfFigures {
  const figures = { segments: 0, stores: 0, contacts: 0, deadStores: 0, deltaStores: 0 }
  for (const mode of modes) {
    const parts = shelves[mode]
    const largest = Math.max(0, ...parts.map(({ segment }) => segment.size))
    figures.segments += parts.length
    for (const part of parts) {
      const dead = countDead(part)
      figures.stores += part.segment.size - dead
      figures.deadStores += dead
      figures.deltaStores += part.segment.size
      figures.contacts += part.segment.contactNumbers.length
    }
    figures.deltaStores -= largest
  }
  return figures
}
