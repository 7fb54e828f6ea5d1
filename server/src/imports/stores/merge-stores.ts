import { advance, applyEach, type Entry, settleEntries } from '../entries.ts'
import type { ChunkOutcome, NumberedRecord } from '../kind.ts'
import { applyPatch, isSameState, type StoreState } from '../merge.ts'
import { RecordProblem } from '../problem.ts'
import type { StorePatch } from './store-record.ts'

export interface StoredStore {
  id: number
  state: StoreState
}

interface ChangedStore extends StoredStore {
  addedAliases: string[]
}

/** What a chunk comes to against what is stored; nothing of it is written yet. */
export interface StoreChanges {
  created: StoreState[]
  changed: ChangedStore[]
  /** Hosts that leave the store they led to, perhaps for another one. */
  removedHosts: string[]
}

type StoreEntry = Entry<StoredStore, StoreState>

/** Applies records in their order. */
export function mergeStores(
  stored: StoredStore[],
  records: NumberedRecord<StorePatch>[],
): { changes: StoreChanges; outcome: ChunkOutcome<StorePatch> } {
  const owners = new Map<string, StoreEntry>()
  for (const store of stored) {
    const entry = { stored: store, state: store.state, changes: 0, repeats: 0 }
    for (const host of hostsOf(store.state)) owners.set(host, entry)
  }
  const entries = new Set<StoreEntry>()
  const refused = applyEach(records, ({ patch }) => entries.add(applyToOwner(owners, patch)))
  const { created, changed, ...counts } = settleEntries(entries, (store, state) => isSameState(store.state, state))
  return { changes: { created, ...compareHosts(changed) }, outcome: { ...counts, refused } }
}

export function hostsOf({ store, aliases }: StoreState): string[] {
  return [store.domain, ...aliases]
}

function applyToOwner(owners: Map<string, StoreEntry>, patch: StorePatch): StoreEntry {
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
  advance(entry, state, before !== null && isSameState(before, state))
  for (const host of before?.aliases ?? []) owners.delete(host)
  for (const host of hostsOf(state)) owners.set(host, entry)
  return entry
}

function compareHosts(changed: { stored: StoredStore; state: StoreState }[]): Omit<StoreChanges, 'created'> {
  const removedHosts = changed.flatMap(({ stored, state }) => without(stored.state.aliases, state.aliases))
  const stores = changed.map(({ stored, state }) => ({
    id: stored.id,
    state,
    addedAliases: without(state.aliases, stored.state.aliases),
  }))
  return { changed: stores, removedHosts }
}

function without(hosts: string[], others: string[]): string[] {
  const excluded = new Set(others)
  return hosts.filter((host) => !excluded.has(host))
}
