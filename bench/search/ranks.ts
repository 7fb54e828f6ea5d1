import type { Facet } from '../../server/src/search/vocabulary.ts'
import type { BenchWords } from './catalogue/taxonomy.ts'

type ByRank = (rank: number) => string
type FromTo = (from: number, to: number) => string[]
type Tiers = (...ranks: number[]) => string[]

/** Words by how frequent they are: 0 is the most used, -1 the rarest; tiers by their order. */
export interface Ranks {
  app: ByRank
  apps: FromTo
  pixel: ByRank
  pixels: FromTo
  category: ByRank
  categories: FromTo
  /** Categories that have others below them. */
  branch: ByRank
  country: ByRank
  countries: FromTo
  traffic: Tiers
  revenue: Tiers
}

export function ranksOf(words: BenchWords): Ranks {
  const values = (facet: Facet) => words.ranked(facet).map((term) => term.value)
  const [apps, pixels, categories, countries] = [values('app'), values('pixel'), values('category'), values('country')]
  const [traffic, revenue] = [values('traffic_tier'), values('revenue_tier')]
  const parents = new Set(words.ranked('category').map((term) => term.parent))
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
