import { RecordError } from './fields.ts'
import type { ChunkOutcome, NumberedRecord, RefusedRecord } from './import-kind.ts'

/** A store or contact that records of a chunk are about. */
export interface MergeEntry<Stored, State> {
  /** Null for a new one. */
  stored: Stored | null
  state: State
  /** Records that changed it, its creation among them, and records that did not. */
  changes: number
  noops: number
}

/** Applies records in their order, and answers those that cannot be. */
export function applyRecords<Patch>(
  records: NumberedRecord<Patch>[],
  apply: (record: NumberedRecord<Patch>, index: number) => void,
): RefusedRecord<Patch>[] {
  return records.flatMap((record, index) => {
    try {
      apply(record, index)
      return []
    } catch (error) {
      if (!(error instanceof RecordError)) throw error
      return [{ record, reason: error.message, isWithheld: error.isWithheld }]
    }
  })
}

/** Notes that a record brought an entry to `state`. */
export function updateEntry<State>(entry: MergeEntry<unknown, State>, state: State, isSame: boolean): void {
  if (isSame) entry.noops++
  else entry.changes++
  entry.state = state
}

type Counts = Omit<ChunkOutcome<never>, 'refused'>

/**
 * Tells new entries from changed ones. An entry is compared once, with what is stored: records that take each other back
 * come to nothing, so that a file which names something twice is unchanged when it is read again.
 */
export function collectChanges<Stored, State>(
  entries: Iterable<MergeEntry<Stored, State>>,
  isSame: (stored: Stored, state: State) => boolean,
): Counts & { created: State[]; changed: { stored: Stored; state: State }[] } {
  const settled = {
    created: [] as State[],
    changed: [] as { stored: Stored; state: State }[],
    inserted: 0,
    updated: 0,
    unchanged: 0,
  }
  for (const { stored, state, changes, noops } of entries) {
    settled.unchanged += noops
    if (stored === null) {
      settled.created.push(state)
      settled.inserted += 1
      settled.updated += changes - 1
    } else if (changes === 0 || isSame(stored, state)) {
      settled.unchanged += changes
    } else {
      settled.changed.push({ stored, state })
      settled.updated += changes
    }
  }
  return settled
}
