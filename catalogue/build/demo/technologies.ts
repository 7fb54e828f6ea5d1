import { type Random, type Weighted, zipf } from '../random.ts'
import type { Technologies } from '../records.ts'
import { readFacet, readPopularity, type TaxonomyItem } from '../taxonomy/files.ts'
import { words } from './names.ts'

/** Purposes that the sources count on every kind of site: much rarer as a shop's choice than their counts say. */
const notOnlyForShops = new Set(['accessibility', 'consent', 'fraud_prevention', 'payments', 'performance', 'video'])

/** The rarest still turn up now and then. */
const minOccurrences = 800

const popularity = readPopularity()
const apps = readFacet('apps').map((value) => {
  const occurrences = Math.max(popularity.apps[value.value] ?? 0, minOccurrences)
  return { value, weight: notOnlyForShops.has(value.category!) ? occurrences / 10 : occurrences }
})
const pixels = readFacet('pixels').map((value) => ({
  value,
  weight: tempered(Math.max(popularity.pixels[value.value] ?? 0, minOccurrences)),
}))

/** What a shop of this size runs: large ones run more, and seldom two apps for one purpose. */
export function demoTechnologies(random: Random, size: number, country: string, revenueTier: number): Technologies {
  const appCount = random.chance(0.12 - size * 0.1) ? 0 : 1 + random.below(2 + Math.round(size * size * 14))
  const pixelCount = random.chance(0.1) ? 0 : 1 + random.below(3 + Math.round(size * 7))
  const pixelsHere = pixels.filter(({ value }) => words.regionalPixels[value.value]?.includes(country) ?? true)
  return {
    apps: draw(random, apps, appCount, 0.25),
    pixels: draw(random, pixelsHere, pixelCount, 1),
    theme: inventTheme(random, revenueTier),
  }
}

/** One app or pixel, popular ones more often. */
export function drawTechnology(random: Random, facet: 'apps' | 'pixels'): string {
  return random.weighted(facet === 'apps' ? apps : pixels).value
}

/** Up to `count` different values, in their alphabetical order. */
function draw(random: Random, from: Weighted<TaxonomyItem>[], count: number, secondOfPurpose: number): string[] {
  const drawn = new Map<string, TaxonomyItem>()
  for (let attempts = count; attempts > 0; attempts--) {
    const item = random.weighted(from)
    const purposeTaken = [...drawn.values()].some((other) => other.category === item.category)
    if (!purposeTaken || random.chance(secondOfPurpose)) drawn.set(item.value, item)
  }
  return [...drawn.keys()].sort()
}

/** Themes made to order belong to the large, free ones to the small; some are not recognised at all. */
function inventTheme(random: Random, revenueTier: number): Technologies['theme'] {
  if (random.chance(0.08)) return { name: null, type: null }
  if (random.chance([0.02, 0.03, 0.06, 0.12, 0.3, 0.5, 0.8][revenueTier]!)) {
    return { name: random.chance(0.5) ? null : 'Custom', type: 'custom' }
  }
  return random.chance(0.3 + revenueTier * 0.06)
    ? { name: random.weighted(zipf(words.paidThemes)), type: 'paid' }
    : { name: random.weighted(zipf(words.freeThemes)), type: 'free' }
}

/** To the power of 3/4, for counts that run from hundreds to millions; square roots are the same on every machine. */
function tempered(occurrences: number): number {
  return Math.sqrt(occurrences) * Math.sqrt(Math.sqrt(occurrences))
}
