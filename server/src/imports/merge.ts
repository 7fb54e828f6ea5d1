import { isDeepStrictEqual } from 'node:util'
import type { Store } from '../delivery/store-document.ts'
import { patched } from './fields.ts'
import type { StorePatch } from './stores/store-record.ts'

/** All that imports know of a store. The public id stays empty until the store has been given one. */
export interface StoreState {
  store: Store
  activeAds: number | null
  /** Sorted. */
  aliases: string[]
  /** What its contacts add to its tokens; records of stores leave that alone. */
  contactTokens: number[]
}

type CreatedAt = NonNullable<Store['store_created_at']>
type Technologies = Store['technologies']

/** The state after a record: what it leaves out stays as it was, inside nested objects too; lists are replaced whole. */
export function applyPatch(before: StoreState | null, patch: StorePatch): StoreState {
  const { store, activeAds, aliases, contactTokens } = before ?? unknownStore(patch.domain)
  return {
    store: {
      ...store,
      // A store always has a name; without one it goes by its domain.
      name: patched(patch.name, store.name, patch.domain),
      category: patched(patch.category, store.category, null),
      country: patched(patch.country, store.country, null),
      traffic_tier: patched(patch.trafficTier, store.traffic_tier, null),
      revenue_tier: patched(patch.revenueTier, store.revenue_tier, null),
      platform_plus: patched(patch.platformPlus, store.platform_plus, false),
      lead_fit_score: patched(patch.leadFitScore, store.lead_fit_score, null),
      store_created_at: patchCreatedAt(patch.storeCreatedAt, store.store_created_at),
      first_discovered_at: patched(patch.firstDiscoveredAt, store.first_discovered_at, null),
      technologies: patchTechnologies(patch.technologies, store.technologies),
    },
    activeAds: patched(patch.activeAds, activeAds, null),
    aliases: patched(patch.aliases, aliases, []),
    contactTokens,
  }
}

export function isSameState(a: StoreState, b: StoreState): boolean {
  return isDeepStrictEqual(a, b)
}

function patchCreatedAt(patch: StorePatch['storeCreatedAt'], current: CreatedAt | null): CreatedAt | null {
  if (patch === undefined) return current
  if (patch === null) return null
  const saysSomething = Object.values(patch).some((field) => field !== undefined)
  if (!current && !saysSomething) return null
  return {
    estimate: patched(patch.estimate, current?.estimate ?? null, null),
    resolution: patched(patch.resolution, current?.resolution ?? null, null),
    source: patched(patch.source, current?.source ?? null, null),
    confidence: patched(patch.confidence, current?.confidence ?? null, null),
  }
}

function patchTechnologies(patch: StorePatch['technologies'], current: Technologies): Technologies {
  if (patch === undefined) return current
  const { apps, pixels, theme } = patch ?? { apps: null, pixels: null, theme: null }
  return {
    apps: patched(apps, current.apps, []),
    pixels: patched(pixels, current.pixels, []),
    theme:
      theme === null
        ? { name: null, type: null }
        : {
            name: patched(theme?.name, current.theme.name, null),
            type: patched(theme?.type, current.theme.type, null),
          },
  }
}

function unknownStore(domain: string): StoreState {
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
