import { Random, zipf } from '../random.ts'
import type { CreatedAt, StoreRecord } from '../records.ts'
import { revenueTiers, trafficTiers } from '../taxonomy/fixed-facets.ts'
import { demoName, words } from './names.ts'
import { demoTechnologies } from './technologies.ts'

const storeCount = 2_000
const seed = 20_261_101

/** Shares of shops per tier, smallest tier first. */
const trafficShares = [0.34, 0.3, 0.18, 0.07, 0.07, 0.025, 0.015]
const revenueShares = [0.36, 0.3, 0.14, 0.12, 0.04, 0.03, 0.01]

/** The shop of the documentation's examples. */
const auroraCandles: StoreRecord = {
  domain: 'aurora-candles.example',
  name: 'Aurora Candles',
  aliases: ['aurora-candles.myshopify.com'],
  category: 'home_garden',
  country: 'DE',
  traffic_tier: '10k_50k',
  revenue_tier: '50k_100k',
  platform_plus: false,
  lead_fit_score: 71.5,
  store_created_at: {
    estimate: '2019-03-01T00:00:00Z',
    resolution: 'month',
    source: 'first_product',
    confidence: 'medium',
  },
  first_discovered_at: '2021-06-11T08:00:00Z',
  active_ads: 12,
  technologies: { apps: ['klaviyo'], pixels: ['meta_pixel'], theme: { name: 'Dawn', type: 'free' } },
}

/** The invented catalogue of the demonstration: the same 2,000 shops on every call. */
export function demoStores(): StoreRecord[] {
  const random = new Random(seed)
  const takenDomains = new Set([auroraCandles.domain])
  const stores = [auroraCandles]
  while (stores.length < storeCount) stores.push(inventStore(random, takenDomains))
  return stores
}

/** Visits, revenue, apps, ads, tier and score are correlated with one hidden size, as in real catalogues. */
function inventStore(random: Random, takenDomains: Set<string>): StoreRecord {
  const size = random.fraction()
  const line = random.weighted(words.lines.map((value) => ({ value, weight: value.weight })))
  const country = random.weighted(zipf(words.countriesByShops))
  const { name, domain, aliases } = demoName(random, line, country, takenDomains)
  const revenueTier = tierAt(addNoise(random, size), revenueShares)
  const discoveredAt = demoDiscoveredAt(random)
  return {
    domain,
    name,
    aliases,
    category: orNull(random, 0.05, line.category),
    country: orNull(random, 0.04, country),
    traffic_tier: orNull(random, 0.08, trafficTiers[tierAt(addNoise(random, size), trafficShares)]!.value),
    revenue_tier: orNull(random, 0.12, revenueTiers[revenueTier]!.value),
    platform_plus: random.chance([0, 0, 0.01, 0.08, 0.3, 0.6, 0.85][revenueTier]!),
    lead_fit_score: orNull(random, 0.06, inventScore(random, size)),
    store_created_at: orNull(random, 0.1, demoCreatedAt(random, discoveredAt)),
    first_discovered_at: orNull(random, 0.05, discoveredAt),
    active_ads: orNull(random, 0.3, inventActiveAds(random, size)),
    technologies: demoTechnologies(random, size, country, revenueTier),
  }
}

function orNull<T>(random: Random, probability: number, value: T): T | null {
  return random.chance(probability) ? null : value
}

/** `size` with noise, reflected at 0 and 1: clamping would overfill the outermost tiers. */
function addNoise(random: Random, size: number): number {
  const moved = Math.abs(size + (random.fraction() - 0.5) * 0.3)
  return moved > 1 ? 2 - moved : moved
}

function tierAt(place: number, shares: readonly number[]): number {
  let upTo = 0
  const index = shares.findIndex((share) => {
    upTo += share
    return place < upTo
  })
  return index === -1 ? shares.length - 1 : index
}

/** 0 to 100 with one decimal; a third are whole numbers, so that equal scores are common. */
function inventScore(random: Random, size: number): number {
  const score = Math.min(Math.max(15 + size * 65 + (random.fraction() - 0.5) * 50, 0), 100)
  return random.chance(1 / 3) ? Math.round(score) : Math.round(score * 10) / 10
}

/** Most run none; a few of the large ones run hundreds. */
function inventActiveAds(random: Random, size: number): number {
  if (random.chance(0.7 - size * 0.4)) return 0
  const reach = size * size * random.fraction()
  return 1 + Math.floor(12 * size * random.fraction() + 1_500 * reach * reach * reach)
}

const hourMs = 3_600_000
const firstOpening = Date.UTC(2009, 0, 1)
const firstDiscovery = Date.UTC(2019, 5, 1)
const lastDiscovery = Date.UTC(2026, 9, 1)

type Clue = Pick<CreatedAt, 'resolution' | 'source' | 'confidence'>

/** Sources of opening dates, with frequency, resolution and confidence. */
const clues: { value: Clue; weight: number }[] = [
  { value: { resolution: 'exact', source: 'platform', confidence: 'high' }, weight: 20 },
  { value: { resolution: 'exact', source: 'domain_registration', confidence: 'medium' }, weight: 16 },
  { value: { resolution: 'exact', source: 'certificate_log', confidence: 'medium' }, weight: 10 },
  { value: { resolution: 'exact', source: 'certificate_log', confidence: 'low' }, weight: 4 },
  { value: { resolution: 'month', source: 'first_product', confidence: 'high' }, weight: 8 },
  { value: { resolution: 'month', source: 'first_product', confidence: 'medium' }, weight: 16 },
  { value: { resolution: 'month', source: 'first_page', confidence: 'medium' }, weight: 6 },
  { value: { resolution: 'year', source: 'first_page', confidence: 'low' }, weight: 4 },
  { value: { resolution: 'month', source: 'web_archive', confidence: 'low' }, weight: 4 },
  { value: { resolution: 'year', source: 'web_archive', confidence: 'low' }, weight: 7 },
  { value: { resolution: 'exact', source: 'first_discovered', confidence: 'low' }, weight: 5 },
  { value: { resolution: null, source: 'web_archive', confidence: null }, weight: 2 },
]

function demoDiscoveredAt(random: Random): string {
  return moment(between(random, firstDiscovery, lastDiscovery))
}

/** An opening date before the discovery, truncated to the resolution of its source. */
function demoCreatedAt(random: Random, discoveredAt: string): CreatedAt {
  const clue = random.weighted(clues)
  if (clue.resolution === null) return { estimate: null, ...clue }
  if (clue.source === 'first_discovered') return { estimate: discoveredAt, ...clue }
  // The later of two random dates: more shops are young than old.
  const discovered = Date.parse(discoveredAt)
  const opened = Math.max(between(random, firstOpening, discovered), between(random, firstOpening, discovered))
  return { estimate: truncateTo(clue.resolution, moment(opened)), ...clue }
}

function between(random: Random, start: number, end: number): number {
  return start + random.below((end - start) / hourMs) * hourMs
}

function truncateTo(resolution: 'exact' | 'month' | 'year', instant: string): string {
  if (resolution === 'exact') return instant
  return resolution === 'month' ? `${instant.slice(0, 7)}-01T00:00:00Z` : `${instant.slice(0, 4)}-01-01T00:00:00Z`
}

function moment(timeMs: number): string {
  return new Date(timeMs).toISOString().replace('.000Z', 'Z')
}
