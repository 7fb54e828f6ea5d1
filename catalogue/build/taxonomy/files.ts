import { readFileSync, writeFileSync } from 'node:fs'

export interface TaxonomyItem {
  value: string
  label: string
  /** Categories of the second level: the value they belong to. */
  parent?: string
  /** Apps and pixels: what they are for. */
  category?: string
  /** Tiers: from min, inclusive, to below max; null for the open end. */
  min?: number
  max?: number | null
  deprecated?: true
}

export const facetFiles = [
  'apps',
  'categories',
  'countries',
  'pixels',
  'revenue_tiers',
  'roles',
  'seniorities',
  'theme_types',
  'traffic_tiers',
] as const

export type FacetFile = (typeof facetFiles)[number]

/** Occurrences of each app and pixel in the sources: the weights by which the demonstration stores use them. */
export type Popularity = Record<'apps' | 'pixels', Record<string, number>>

const folder = new URL('../../', import.meta.url)
const popularityFile = new URL('build/popularity.json', folder)

export function readFacet(facet: FacetFile): TaxonomyItem[] {
  return JSON.parse(readFileSync(facetUrl(facet), 'utf8')) as TaxonomyItem[]
}

/** One item a line, so that a new value is a diff of one line. */
export function writeFacet(facet: FacetFile, items: readonly TaxonomyItem[]): void {
  const lines = items.map((item) => `  ${JSON.stringify(item)}`)
  writeFileSync(facetUrl(facet), `[\n${lines.join(',\n')}\n]\n`)
}

export function readPopularity(): Popularity {
  return JSON.parse(readFileSync(popularityFile, 'utf8')) as Popularity
}

export function writePopularity(popularity: Popularity): void {
  writeFileSync(popularityFile, `${JSON.stringify(popularity, null, 1)}\n`)
}

function facetUrl(facet: FacetFile): URL {
  return new URL(`taxonomy/${facet}.json`, folder)
}
