import { isDeepStrictEqual } from 'node:util'
import type { Store } from '../../../product/delivery/store-document.ts'
import { type Fault, fault, type LineFault, quoteForReason, RecordError } from '../fields/faults.ts'
import { patchField } from '../fields/fields.ts'
import {
  applyRecords,
  type ChunkOutcome,
  type ChunkRecords,
  collectChanges,
  type MergeEntry,
  updateEntry,
  type WriteContext,
} from '../records/import-kind.ts'
import type { RecentNames } from '../records/recent-names.ts'
import type { StorePatch } from './store-record.ts'

export interface StoredStore {
  id: number
  state: StoreState
}

export interface ReadStore extends StoredStore {
  /** The one that wrote it last. */
  batch: number
}

interface ChangedStore extends ReadStore {
  /** The store as it is stored. */
  before: StoreState
  addedAliases: string[]
}

/** The planned changes of a chunk. */
export interface StoreChanges {
  created: StoreState[]
  changed: ChangedStore[]
  /** Hosts to remove from their store; another store of the chunk may take them over. */
  removedHosts: string[]
}

type StoreEntry = MergeEntry<ReadStore, StoreState>

/** Applies records in their order. */
export function mergeStores(
  stored: ReadStore[],
  { records, trials }: Pick<ChunkRecords<StorePatch>, 'records' | 'trials'>,
  { dropsBadValues, storeNames }: Pick<WriteContext, 'dropsBadValues' | 'storeNames'>,
): { changes: StoreChanges; outcome: ChunkOutcome<StorePatch> } {
  const owners = new Map<string, StoreEntry>()
  for (const store of stored) {
    const entry = { stored: store, state: store.state, changes: 0, noops: 0 }
    for (const host of hostsOf(store.state)) owners.set(host, entry)
  }
  const entries = new Set<StoreEntry>()
  const dropped: LineFault[] = []
  const notices: LineFault[] = []
  const refused = applyRecords(records, ({ line, patch }) => {
    const rest = withoutForeignAliases(owners, patch, dropsBadValues)
    entries.add(applyToOwner(owners, rest.patch))
    const notice = noticeName(storeNames, rest.patch)
    if (notice) notices.push({ line, fault: notice })
    for (const fault of rest.faults) dropped.push({ line, fault })
  })
  const { created, changed, ...counts } = collectChanges(entries, (store, state) => isSameStore(store.state, state))
  const changes = { created, ...compareHosts(changed) }
  // After the changes were collected: what trials do to the entries does not count.
  const refusedTrials = applyRecords(trials, ({ patch }) =>
    applyToOwner(owners, withoutForeignAliases(owners, patch, true).patch),
  )
  return {
    changes,
    outcome: { ...counts, refused, dropped, notices, takenTrials: trials.length - refusedTrials.length },
  }
}

/** One domain with different names can be that of a host on which several shops are. */
function noticeName(names: RecentNames, { domain, name }: StorePatch): Fault | null {
  if (typeof name !== 'string' || name === domain) return null
  const earlier = names.remember(domain, name)
  if (earlier === null) return null
  const value = `${domain}: ${[earlier, name].map(quoteForReason).join(', ')}`
  return fault('domain', 'rows with different names became one store', { value, hint: lastNameCounts })
}

const lastNameCounts = 'the last name counts; give each shop its own domain'

export function hostsOf({ store, aliases }: StoreState): string[] {
  return [store.domain, ...aliases]
}

/** Leaves out the aliases that other stores have; refuses the record for them if nothing may be left out. */
function withoutForeignAliases(
  owners: Map<string, StoreEntry>,
  patch: StorePatch,
  dropsBadValues: boolean,
): { patch: StorePatch; faults: Fault[] } {
  const owner = owners.get(patch.domain)
  const faults: Fault[] = []
  const own = (patch.aliases ?? []).filter((alias) => {
    const other = owners.get(alias)
    if (!other || other === owner) return true
    const text = `${alias} belongs to ${other.state.store.domain}`
    faults.push(fault('aliases', 'belongs to another store', { value: alias, text }))
    return false
  })
  if (faults.length === 0) return { patch, faults }
  if (!dropsBadValues) throw new RecordError(faults, { isTakenWithDrop: true })
  return { patch: { ...patch, aliases: own.length > 0 ? own : undefined }, faults }
}

function applyToOwner(owners: Map<string, StoreEntry>, patch: StorePatch): StoreEntry {
  const owner = owners.get(patch.domain)
  if (owner && owner.state.store.domain !== patch.domain) {
    const text = `${patch.domain} is an alias of ${owner.state.store.domain}`
    throw new RecordError([fault('domain', 'is an alias of another store', { value: patch.domain, text })])
  }

  const before = owner?.state ?? null
  const state = applyStorePatch(before, patch)
  const entry = owner ?? { stored: null, state, changes: 0, noops: 0 }
  updateEntry(entry, state, before !== null && isSameStore(before, state))
  for (const host of before?.aliases ?? []) owners.delete(host)
  for (const host of hostsOf(state)) owners.set(host, entry)
  return entry
}

function compareHosts(changed: { stored: ReadStore; state: StoreState }[]): Omit<StoreChanges, 'created'> {
  const removedHosts = changed.flatMap(({ stored, state }) => without(stored.state.aliases, state.aliases))
  const stores = changed.map(({ stored, state }) => ({
    id: stored.id,
    batch: stored.batch,
    before: stored.state,
    state,
    addedAliases: without(state.aliases, stored.state.aliases),
  }))
  return { changed: stores, removedHosts }
}

function without(hosts: string[], others: string[]): string[] {
  const excluded = new Set(others)
  return hosts.filter((host) => !excluded.has(host))
}

/** Everything an import can change about a store. The public id is empty until the store is inserted. */
export interface StoreState {
  store: Store
  activeAds: number | null
  /** Sorted. */
  aliases: string[]
  /** The tokens that come from its contacts; store records do not change them. */
  contactTokens: number[]
}

type CreatedAt = NonNullable<Store['store_created_at']>
type Technologies = Store['technologies']

/** Applies a record: missing fields keep their value, also inside nested objects; lists are replaced. */
function applyStorePatch(before: StoreState | null, patch: StorePatch): StoreState {
  const { store, activeAds, aliases, contactTokens } = before ?? emptyStore(patch.domain)
  return {
    store: {
      ...store,
      // A store always has a name; the default is its domain.
      name: patchField(patch.name, store.name, patch.domain),
      category: patchField(patch.category, store.category, null),
      country: patchField(patch.country, store.country, null),
      traffic_tier: patchField(patch.trafficTier, store.traffic_tier, null),
      revenue_tier: patchField(patch.revenueTier, store.revenue_tier, null),
      platform_plus: patchField(patch.platformPlus, store.platform_plus, false),
      lead_fit_score: patchField(patch.leadFitScore, store.lead_fit_score, null),
      store_created_at: patchCreatedAt(patch.storeCreatedAt, store.store_created_at),
      first_discovered_at: patchField(patch.firstDiscoveredAt, store.first_discovered_at, null),
      technologies: patchTechnologies(patch.technologies, store.technologies),
    },
    activeAds: patchField(patch.activeAds, activeAds, null),
    aliases: patchField(patch.aliases, aliases, []),
    contactTokens,
  }
}

function isSameStore(a: StoreState, b: StoreState): boolean {
  return isDeepStrictEqual(a, b)
}

function patchCreatedAt(patch: StorePatch['storeCreatedAt'], current: CreatedAt | null): CreatedAt | null {
  if (patch === undefined) return current
  if (patch === null) return null
  const next = {
    estimate: patchField(patch.estimate, current?.estimate ?? null, null),
    resolution: patchField(patch.resolution, current?.resolution ?? null, null),
    source: patchField(patch.source, current?.source ?? null, null),
    confidence: patchField(patch.confidence, current?.confidence ?? null, null),
  }
  // An entry without any value is none, as in a file whose columns for it are empty.
  return Object.values(next).some((field) => field !== null) ? next : null
}

function patchTechnologies(patch: StorePatch['technologies'], current: Technologies): Technologies {
  if (patch === undefined) return current
  const { apps, pixels, theme } = patch ?? { apps: null, pixels: null, theme: null }
  return {
    apps: patchField(apps, current.apps, []),
    pixels: patchField(pixels, current.pixels, []),
    theme:
      theme === null
        ? { name: null, type: null }
        : {
            name: patchField(theme?.name, current.theme.name, null),
            type: patchField(theme?.type, current.theme.type, null),
          },
  }
}

function emptyStore(domain: string): StoreState {
  return {
    store: {
      id: '',
      object: 'store',
      domain,
      name: domain,
      category: null,
      country: null,
      traffic_tier: null,
      revenue_tier: null,
      platform_plus: false,
      lead_fit_score: null,
      store_created_at: null,
      first_discovered_at: null,
      contacts_summary: { total: 0, has_revealable_contacts: false, verified_email_count: 0, roles: [] },
      technologies: { apps: [], pixels: [], theme: { name: null, type: null } },
    },
    activeAds: null,
    aliases: [],
    contactTokens: [],
  }
}
