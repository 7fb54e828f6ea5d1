import { applyPatch, isSameState, type StoreState } from './merge.ts'
import { RecordProblem } from './problem.ts'
import type { StorePatch } from './store-record.ts'

export interface NumberedPatch {
  line: number
  patch: StorePatch
  /** The record as it was read, for the rejects file. */
  toJson(): string
}

export interface StoredStore {
  id: number
  state: StoreState
}

interface ChangedStore extends StoredStore {
  addedAliases: string[]
}

/** What a chunk comes to against what is stored; nothing of it is written yet. */
export interface ChunkOutcome {
  created: StoreState[]
  changed: ChangedStore[]
  /** Hosts that leave the store they led to, perhaps for another one. */
  removedHosts: string[]
  refused: { record: NumberedPatch; reason: string }[]
  inserted: number
  updated: number
  unchanged: number
}

/** A store that records of the chunk are about. */
interface Entry {
  stored: StoredStore | null
  state: StoreState
  /** Records that changed it, its creation among them, and records that did not. */
  changes: number
  repeats: number
}

/**
 * Applies records in their order. A store is compared once, with what is stored: records that take each other back come
 * to nothing, so that a file which names a store twice is unchanged when it is read again.
 */
export function mergeChunk(stored: StoredStore[], patches: NumberedPatch[]): ChunkOutcome {
  const owners = new Map<string, Entry>()
  for (const store of stored) {
    const entry = { stored: store, state: store.state, changes: 0, repeats: 0 }
    for (const host of hostsOf(store.state)) owners.set(host, entry)
  }
  const entries = new Set<Entry>()
  const refused: ChunkOutcome['refused'] = []
  for (const record of patches) {
    try {
      entries.add(applyToOwner(owners, record.patch))
    } catch (error) {
      if (!(error instanceof RecordProblem)) throw error
      refused.push({ record, reason: error.message })
    }
  }
  return { ...settle(entries), refused }
}

export function hostsOf({ store, aliases }: StoreState): string[] {
  return [store.domain, ...aliases]
}

function applyToOwner(owners: Map<string, Entry>, patch: StorePatch): Entry {
  const owner = owners.get(patch.domain)
  if (owner && owner.state.store.domain !== patch.domain)
    throw new RecordProblem(`domain: ${patch.domain} is an alias of ${owner.state.store.domain}`)
  for (const alias of patch.aliases ?? []) {
    const other = owners.get(alias)
    if (other && other !== owner) throw new RecordProblem(`aliases: ${alias} belongs to ${other.state.store.domain}`)
  }

  const before = owner?.state ?? null
  const state = applyPatch(before, patch)
  const entry = owner ?? { stored: null, state, changes: 0, repeats: 0 }
  if (before && isSameState(before, state)) entry.repeats++
  else entry.changes++
  for (const host of before?.aliases ?? []) owners.delete(host)
  for (const host of hostsOf(state)) owners.set(host, entry)
  entry.state = state
  return entry
}

function settle(entries: Iterable<Entry>): Omit<ChunkOutcome, 'refused'> {
  const outcome: Omit<ChunkOutcome, 'refused'> = {
    created: [],
    changed: [],
    removedHosts: [],
    inserted: 0,
    updated: 0,
    unchanged: 0,
  }
  for (const { stored, state, changes, repeats } of entries) {
    outcome.unchanged += repeats
    if (!stored) {
      outcome.created.push(state)
      outcome.inserted += 1
      outcome.updated += changes - 1
    } else if (changes === 0 || isSameState(stored.state, state)) {
      outcome.unchanged += changes
    } else {
      outcome.changed.push({ id: stored.id, state, addedAliases: without(state.aliases, stored.state.aliases) })
      outcome.removedHosts.push(...without(stored.state.aliases, state.aliases))
      outcome.updated += changes
    }
  }
  return outcome
}

function without(hosts: string[], others: string[]): string[] {
  const excluded = new Set(others)
  return hosts.filter((host) => !excluded.has(host))
}
