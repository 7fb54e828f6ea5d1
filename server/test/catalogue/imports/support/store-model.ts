import type { Pool } from '../../../../src/foundation/db/pool.ts'

/** A simple model of the store import: slow and obviously correct. */
export interface ModelStore {
  domain: string
  name: string
  category: string | null
  country: string | null
  traffic_tier: string | null
  revenue_tier: string | null
  platform_plus: boolean
  lead_fit_score: number | null
  // biome-ignore lint/suspicious/noExplicitAny: the shape is not repeated here
  store_created_at: any
  first_discovered_at: string | null
  active_ads: number | null
  // biome-ignore lint/suspicious/noExplicitAny: the shape is not repeated here
  technologies: any
  aliases: string[]
}

type ModelRecord = Partial<Record<keyof ModelStore, unknown>> & { domain: string; aliases?: string[] | null }

/** Applies records to the model and returns how many were rejected. */
export function applyToModel(model: Map<string, ModelStore>, records: ModelRecord[]): number {
  let rejected = 0
  for (const record of records) {
    const aliases = [...new Set(record.aliases ?? [])].filter((host) => host !== record.domain).sort()
    const others = [...model.values()].filter((store) => store.domain !== record.domain)
    const taken = new Set(others.flatMap((store) => [store.domain, ...store.aliases]))
    if (taken.has(record.domain) || aliases.some((host) => taken.has(host))) {
      rejected++
      continue
    }
    const store = model.get(record.domain) ?? blank(record.domain)
    const patched = overlay(store, record, blank(record.domain)) as ModelStore
    if ('aliases' in record) patched.aliases = aliases
    // An estimate of which nothing is known is none.
    if (Object.values(patched.store_created_at ?? {}).every((field) => field === null)) patched.store_created_at = null
    model.set(record.domain, patched)
  }
  return rejected
}

/** Merges a field: undefined keeps the value, null resets it, objects are merged, anything else replaces. */
// biome-ignore lint/suspicious/noExplicitAny: walks plain JSON
function overlay(current: any, patch: any, empty: any): any {
  if (patch === undefined) return current
  if (patch === null) return empty
  if (typeof patch !== 'object' || Array.isArray(patch)) return patch
  // An object that gives no field says nothing.
  if (!current && Object.values(patch).every((field) => field === undefined)) return current
  const base = current ?? createdBlank
  return Object.fromEntries(
    Object.keys(base).map((key) => [key, overlay(base[key], patch[key], (empty ?? createdBlank)[key])]),
  )
}

const createdBlank = { estimate: null, resolution: null, source: null, confidence: null }

function blank(domain: string): ModelStore {
  return {
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
    active_ads: null,
    technologies: { apps: [], pixels: [], theme: { name: null, type: null } },
    aliases: [],
  }
}

/** Computes the search columns of a store from the stored taxonomy. */
export async function expectedColumns(db: Pool, store: ModelStore | Omit<ModelStore, 'aliases'>) {
  const { apps, pixels, theme } = store.technologies
  const { rows } = await db.query<{ token: number }>(
    `select token from taxonomy_values join unnest($1::text[], $2::text[]) as word (facet, value) using (facet, value)`,
    [
      [
        'category',
        'country',
        'traffic_tier',
        'revenue_tier',
        'theme_type',
        ...apps.map(() => 'app'),
        ...pixels.map(() => 'pixel'),
      ],
      [store.category, store.country, store.traffic_tier, store.revenue_tier, theme.type, ...apps, ...pixels],
    ],
  )
  const estimate = store.store_created_at?.estimate ?? null
  return {
    tokens: [...rows.map((row) => row.token), ...(store.platform_plus ? [1] : [])].sort((a, b) => a - b),
    negated_score: store.lead_fit_score === null ? Number.POSITIVE_INFINITY : 0 - store.lead_fit_score,
    created_estimate: estimate === null ? null : new Date(estimate),
    first_discovered_at: store.first_discovered_at === null ? null : new Date(store.first_discovered_at),
    active_ads: store.active_ads,
  }
}
