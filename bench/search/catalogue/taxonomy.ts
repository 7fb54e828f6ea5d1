import { join } from 'node:path'
import { shuffle } from '@storedex/testkit'
import { Random } from '../../../catalogue/build/random.ts'
import { type Facet, facets, type Term, Vocabulary } from '../../../server/src/search/query/vocabulary.ts'
import type { TaxonomyEntry } from '../../../server/src/search/taxonomy/queries.ts'
import { readTaxonomyFiles } from '../../../server/src/search/taxonomy/sync-taxonomy.ts'

const taxonomyFolder = join(import.meta.dirname, '../../../catalogue/taxonomy')
const appCount = 1_500
/** The first token that the database assigns to a taxonomy value. */
const firstToken = 1_000

/** The taxonomy of a generated catalogue. */
export interface BenchTaxonomy {
  vocabulary: Vocabulary
  terms: readonly Term[]
  /** The terms of a facet from the most used to the rarest; tiers in their own order. */
  ranked(facet: Facet): readonly Term[]
}

/** The shipped taxonomy, with invented apps added up to the size of a large ecosystem. */
export async function readTaxonomyEntries(): Promise<TaxonomyEntry[]> {
  const shipped = await readTaxonomyFiles(taxonomyFolder)
  const apps = shipped.filter((entry) => entry.facet === 'app').length
  const invented = Array.from({ length: appCount - apps }, (_, index): TaxonomyEntry => {
    const number = index + 1
    const nothing = { parent: null, category: null, min: null, max: null }
    return {
      facet: 'app',
      value: `invented_app_${number}`,
      label: `Invented App ${number}`,
      ...nothing,
      position: apps + index,
      deprecated: false,
    }
  })
  return [...shipped, ...invented]
}

/** The taxonomy with the tokens that an empty database would assign. */
export async function readBenchTaxonomy(): Promise<BenchTaxonomy> {
  return rankTaxonomy((await readTaxonomyEntries()).map((entry, index) => ({ ...entry, token: firstToken + index })))
}

export function rankTaxonomy(terms: readonly Term[]): BenchTaxonomy {
  const byFacet = new Map(facets.map((facet) => [facet, rankedTerms(facet, terms)]))
  return { vocabulary: new Vocabulary(terms), terms, ranked: (facet) => byFacet.get(facet)! }
}

/** Tiers keep their order. Files are sorted by name, so the other values are shuffled. */
function rankedTerms(facet: Facet, terms: readonly Term[]): Term[] {
  const ofFacet = terms.filter((term) => term.facet === facet)
  return facet.endsWith('_tier') ? ofFacet : shuffle(ofFacet, new Random(ofFacet.length))
}

type ByRank = (rank: number) => string
type FromTo = (from: number, to: number) => string[]
type Tiers = (...ranks: number[]) => string[]

/** Taxonomy values by frequency: 0 is the most frequent, -1 the rarest. Tiers are in their own order. */
export interface ValuesByRank {
  app: ByRank
  apps: FromTo
  pixel: ByRank
  pixels: FromTo
  category: ByRank
  categories: FromTo
  /** Categories with subcategories. */
  branch: ByRank
  country: ByRank
  countries: FromTo
  traffic: Tiers
  revenue: Tiers
}

export function valuesByRank(taxonomy: BenchTaxonomy): ValuesByRank {
  const values = (facet: Facet) => taxonomy.ranked(facet).map((term) => term.value)
  const [apps, pixels, categories, countries] = [values('app'), values('pixel'), values('category'), values('country')]
  const [traffic, revenue] = [values('traffic_tier'), values('revenue_tier')]
  const parents = new Set(taxonomy.ranked('category').map((term) => term.parent))
  const branches = categories.filter((value) => parents.has(value))
  return {
    app: (rank) => apps.at(rank)!,
    apps: (from, to) => apps.slice(from, to),
    pixel: (rank) => pixels.at(rank)!,
    pixels: (from, to) => pixels.slice(from, to),
    category: (rank) => categories.at(rank)!,
    categories: (from, to) => categories.slice(from, to),
    branch: (rank) => branches.at(rank)!,
    country: (rank) => countries.at(rank)!,
    countries: (from, to) => countries.slice(from, to),
    traffic: (...ranks) => ranks.map((rank) => traffic[rank]!),
    revenue: (...ranks) => ranks.map((rank) => revenue[rank]!),
  }
}
