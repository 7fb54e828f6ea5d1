import { Random, type Weighted, zipf } from '../random.ts'
import type { StoreRecord } from '../records.ts'
import { revenueTiers, trafficTiers } from '../taxonomy/fixed-facets.ts'
import { words } from './names.ts'
import { demoStores } from './stores.ts'
import { drawTechnology } from './technologies.ts'

const seed = 20_261_102
/** Of the stores, how many have changed since they were added. */
const changedShare = 0.75
const weeks = 26

type Value = string | number | boolean | null

/** A change of one field, as the history of a store tells it, this many days before the demonstration is loaded. */
interface InventedChange {
  days_ago: number
  field: string
  before?: Value
  after?: Value
  added?: string[]
  removed?: string[]
}

export interface InventedHistory {
  domain: string
  /** The oldest first; they lead to the store as it is in the demonstration. */
  changes: InventedChange[]
}

/** The shop of the documentation's examples: a little of everything. */
const auroraCandles: InventedHistory = {
  domain: 'aurora-candles.example',
  changes: [
    { days_ago: 182, field: 'added_to_catalogue' },
    { days_ago: 161, field: 'lead_fit_score', before: 58, after: 63.5 },
    { days_ago: 140, field: 'theme.name', before: 'Debut', after: 'Dawn' },
    { days_ago: 119, field: 'apps', added: ['judge_me'], removed: [] },
    { days_ago: 98, field: 'traffic_tier', before: '1k_10k', after: '10k_50k' },
    { days_ago: 77, field: 'pixels', added: ['meta_pixel'], removed: [] },
    { days_ago: 63, field: 'revenue_tier', before: '10k_50k', after: '50k_100k' },
    { days_ago: 49, field: 'aliases', added: ['aurora-candles.myshopify.com'], removed: [] },
    { days_ago: 49, field: 'name', before: 'Aurora Candle Shop', after: 'Aurora Candles' },
    { days_ago: 35, field: 'apps', added: ['klaviyo'], removed: ['mailchimp'] },
    { days_ago: 28, field: 'lead_fit_score', before: 63.5, after: 71.5 },
    { days_ago: 7, field: 'apps', added: [], removed: ['judge_me'] },
  ],
}

type DemoStore = Required<StoreRecord>

/** Half a year of the invented stores, made up backwards from what they are now: the same on every call. */
export function demoHistories(): InventedHistory[] {
  const random = new Random(seed)
  return demoStores().map((store) =>
    store.domain === auroraCandles.domain ? auroraCandles : inventHistory(random, structuredClone(store) as DemoStore),
  )
}

function inventHistory(random: Random, store: DemoStore): InventedHistory {
  const changes: InventedChange[] = []
  const changeCount = random.chance(changedShare) ? 1 + random.below(6) : 0
  const weeksAgo = new Set(Array.from({ length: changeCount }, () => 1 + random.below(weeks - 2)))
  for (const week of [...weeksAgo].sort((a, b) => a - b)) {
    const change = random.weighted(kinds)(random, store)
    if (change) changes.push({ days_ago: week * 7, ...change })
  }
  changes.push({ days_ago: weeks * 7, field: 'added_to_catalogue' })
  return { domain: store.domain, changes: changes.reverse() }
}

/** Undoes something that may have happened to a store, and tells it; null if it cannot have happened. */
type Undo = (random: Random, store: DemoStore) => Omit<InventedChange, 'days_ago'> | null

const kinds: Weighted<Undo>[] = [
  { weight: 34, value: (random, store) => undoTechnology(random, store, 'apps') },
  { weight: 16, value: (random, store) => undoTechnology(random, store, 'pixels') },
  { weight: 14, value: (random, store) => undoTier(random, store, 'traffic_tier', trafficTiers) },
  { weight: 9, value: (random, store) => undoTier(random, store, 'revenue_tier', revenueTiers) },
  { weight: 14, value: undoScore },
  { weight: 6, value: undoTheme },
  { weight: 4, value: undoAlias },
  { weight: 2, value: undoName },
  { weight: 1, value: undoPlatformPlus },
]

/** Most changes add something; some replace it, and some drop it. */
function undoTechnology(random: Random, { technologies }: DemoStore, field: 'apps' | 'pixels') {
  const now = technologies[field]
  const added = now.length > 0 && random.chance(0.65) ? [random.pick(now)] : []
  const isDropped = added.length === 0 || random.chance(0.3)
  const removed = isDropped ? [drawTechnology(random, field)].filter((value) => !now.includes(value)) : []
  if (added.length + removed.length === 0) return null
  technologies[field] = [...now.filter((value) => !added.includes(value)), ...removed].sort()
  return { field, added, removed }
}

function undoTier(
  random: Random,
  store: DemoStore,
  field: 'traffic_tier' | 'revenue_tier',
  tiers: readonly { value: string }[],
) {
  const after = store[field]
  const place = tiers.findIndex(({ value }) => value === after)
  // More stores grow than shrink.
  const before = tiers[place + (random.chance(0.7) ? -1 : 1)]?.value
  if (place === -1 || before === undefined) return null
  store[field] = before
  return { field, before, after }
}

function undoScore(random: Random, store: DemoStore) {
  const after = store.lead_fit_score
  if (after === null) return null
  const before = Math.min(Math.max(Math.round(after * 10 - random.below(120) + 45) / 10, 0), 100)
  if (before === after) return null
  store.lead_fit_score = before
  return { field: 'lead_fit_score', before, after }
}

function undoTheme(random: Random, { technologies: { theme } }: DemoStore) {
  const after = theme.name
  const before = random.weighted(zipf(theme.type === 'paid' ? words.paidThemes : words.freeThemes))
  if (after === null || theme.type === 'custom' || before === after) return null
  theme.name = before
  return { field: 'theme.name', before, after }
}

/** The store was renamed, and its old domain became an alias. */
function undoAlias(random: Random, store: DemoStore) {
  if (store.aliases.length === 0) return null
  const alias = random.pick(store.aliases)
  store.aliases = store.aliases.filter((host) => host !== alias)
  return { field: 'aliases', added: [alias], removed: [] }
}

function undoName(random: Random, store: DemoStore) {
  const after = store.name
  const before = `${after} ${random.pick(['Shop', 'Store', 'Online'])}`
  store.name = before
  return { field: 'name', before, after }
}

function undoPlatformPlus(_random: Random, store: DemoStore) {
  if (!store.platform_plus) return null
  store.platform_plus = false
  return { field: 'platform_plus', before: false, after: true }
}
