import { Random } from '../../../../catalogue/build/random.ts'
import type { StoreRecord } from '../../../../catalogue/build/records.ts'
import { type FacetFile, readFacet } from '../../../../catalogue/build/taxonomy/files.ts'

/**
 * Invented store records for measurements, the same on every run and machine. The distribution resembles real
 * catalogues: a few values cover most stores, and size, score, apps and ads are correlated.
 */
export function* generateStores(count: number, seed = 1): Generator<StoreRecord> {
  const random = new Random(seed)
  const draw = makeDraws(random)
  for (let number = 0; number < count; number++) yield generateStore(random, draw, number)
}

type Draws = Record<'category' | 'country' | 'app' | 'pixel', () => string>

/** A value's frequency is roughly one over its rank. */
function makeDraws(random: Random): Draws {
  const skewed = (facet: FacetFile) => {
    const values = readFacet(facet).map((item) => item.value)
    return () => values[Math.floor(values.length ** random.fraction()) - 1]!
  }
  return {
    category: skewed('categories'),
    country: skewed('countries'),
    app: skewed('apps'),
    pixel: skewed('pixels'),
  }
}

const trafficTiers = readFacet('traffic_tiers').map((item) => item.value)
const revenueTiers = readFacet('revenue_tiers').map((item) => item.value)
const themes = ['Dawn', 'Refresh', 'Sense', 'Craft', 'Impulse', 'Prestige', 'Turbo', 'Empire']

function generateStore(random: Random, draw: Draws, number: number): StoreRecord {
  const size = random.fraction() ** 2
  const word = Math.floor(random.fraction() * 2 ** 32).toString(36)
  const domain = `${word}-${number.toString(36)}.example`
  const several = (most: number, value: () => string) =>
    [...new Set(Array.from({ length: random.below(most + 1) }, value))].sort()
  const tier = (tiers: string[]) => tiers[Math.min(Math.floor((size + random.fraction() * 0.15) * 7), 6)]!
  const unknown = <T>(probability: number, value: T) => (random.chance(probability) ? null : value)
  return {
    domain,
    name: `${word[0]!.toUpperCase()}${word.slice(1)} ${number}`,
    aliases: random.chance(0.5) ? [`${word}-${number.toString(36)}.myshopify.com`] : [],
    category: unknown(0.05, draw.category()),
    country: unknown(0.04, draw.country()),
    traffic_tier: unknown(0.08, tier(trafficTiers)),
    revenue_tier: unknown(0.12, tier(revenueTiers)),
    platform_plus: random.chance(size * 0.4),
    lead_fit_score: unknown(0.06, Math.round((15 + size * 60 + random.fraction() * 25) * 10) / 10),
    store_created_at: unknown(0.1, {
      estimate: moment(2010, random.below(15 * 365)),
      resolution: random.pick(['exact', 'month', 'year'] as const),
      source: random.pick(['platform', 'domain_registration', 'first_product', 'web_archive']),
      confidence: random.pick(['high', 'medium', 'low'] as const),
    }),
    first_discovered_at: unknown(0.05, moment(2021, random.below(5 * 365))),
    active_ads: unknown(0.3, random.chance(0.6) ? 0 : Math.floor(400 * size * random.fraction())),
    technologies: {
      apps: several(2 + Math.floor(size * 12), draw.app),
      pixels: several(1 + Math.floor(size * 5), draw.pixel),
      theme: { name: random.pick(themes), type: random.pick(['free', 'paid', 'custom'] as const) },
    },
  }
}

function moment(year: number, day: number): string {
  return new Date(Date.UTC(year, 0, 1 + day)).toISOString()
}
