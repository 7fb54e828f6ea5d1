import { seniorities } from '@storedex/search-index'
import { Random } from '../../../catalogue/build/random.ts'
import type { StoreSearchFilters } from '../../../server/src/search/query/filters.ts'
import { normalizeStoreFilters } from '../../../server/src/search/query/store-query.ts'
import type { Facet } from '../../../server/src/search/query/vocabulary.ts'
import { catalogueMoment } from '../catalogue/generate.ts'
import type { BenchTaxonomy } from '../catalogue/taxonomy.ts'
import type { Search } from '../engine.ts'
import { contactSearch } from './questions.ts'

const maxListLength = 50
const limit = 101
const dayMs = 86_400_000

/** Random searches, every fourth of them for contacts, with up to fifty values in a list. */
export function drawRandomSearches(taxonomy: BenchTaxonomy, stores: number, count: number, seed = 7): Search[] {
  const random = new Random(seed)
  const draw = new RandomFilters(taxonomy, random)
  return Array.from({ length: count }, (_, index): Search => {
    const { contacts, ...store } = draw.drawFilters()
    if (index % 4 === 3) {
      const search = contactSearch(
        taxonomy,
        { person: draw.drawPerson(), store, maxPerStore: 1 + random.below(5) },
        stores,
      )
      return { ...search, limit }
    }
    const query = normalizeStoreFilters(taxonomy.vocabulary, contacts ? { ...store, contacts } : store, 'all')
    return { kind: 'stores', mode: 'live', query, after: null, limit }
  })
}

export class RandomFilters {
  readonly #taxonomy: BenchTaxonomy
  readonly #random: Random

  constructor(taxonomy: BenchTaxonomy, random: Random) {
    this.#taxonomy = taxonomy
    this.#random = random
  }

  drawFilters(): StoreSearchFilters {
    const random = this.#random
    const filters: StoreSearchFilters = {}
    const sometimes = (chance: number, set: () => void) => random.chance(chance) && set()
    sometimes(0.35, () => (filters.categories = this.#drawWords('category')))
    sometimes(0.4, () => (filters.countries = this.#drawWords('country')))
    sometimes(0.3, () => (filters.traffic_tiers = this.#drawWords('traffic_tier')))
    sometimes(0.25, () => (filters.revenue_tiers = this.#drawWords('revenue_tier')))
    sometimes(0.2, () => (filters.platform_plus = random.chance(0.5)))
    sometimes(0.45, () => (filters.apps = this.#drawTechnology('app')))
    sometimes(0.3, () => (filters.pixels = this.#drawTechnology('pixel')))
    sometimes(0.2, () => (filters.themes = { types: this.#drawWords('theme_type') }))
    sometimes(0.2, () => (filters.meta_ads = { active_ads_min: Math.floor(10 ** (random.fraction() * 4)) }))
    sometimes(0.15, () => (filters.store_created_at = this.#drawRange(3_650)))
    sometimes(0.15, () => (filters.first_discovered_at = this.#drawRange(1_460)))
    sometimes(0.15, () => (filters.contacts = { roles_any: this.#drawWords('role') }))
    return filters
  }

  drawPerson() {
    const random = this.#random
    return {
      ...(random.chance(0.6) && { roles_any: this.#drawWords('role') }),
      ...(random.chance(0.5) && { seniority_any: [random.pick(seniorities)] }),
      ...(random.chance(0.4) && { has_verified_email: random.chance(0.8) }),
      ...(random.chance(0.2) && { has_phone: random.chance(0.8) }),
      ...(random.chance(0.2) && { has_profile: random.chance(0.8) }),
    }
  }

  /** Prefers short lists and frequent values. */
  #drawWords(facet: Facet, but: readonly string[] = []): string[] {
    const ranked = this.#taxonomy.ranked(facet)
    const count = Math.ceil(maxListLength ** this.#random.fraction())
    const drawn = new Set<string>()
    for (let draw = 0; draw < count; draw++) {
      const rank = Math.floor(ranked.length * this.#random.fraction() ** 3)
      drawn.add(ranked[rank]!.value)
    }
    return [...drawn].filter((value) => !but.includes(value))
  }

  #drawTechnology(facet: 'app' | 'pixel') {
    const all = this.#random.chance(0.35) ? this.#drawWords(facet).slice(0, 1 + this.#random.below(4)) : []
    return {
      ...(this.#random.chance(0.5) && { any: this.#drawWords(facet) }),
      all,
      ...(this.#random.chance(0.4) && { none: this.#drawWords(facet, all) }),
    }
  }

  /** A range of an hour to years before the catalogue's date. */
  #drawRange(days: number): { from: string; to: string } {
    const lengthMs = Math.max(days * this.#random.fraction() ** 4, 1 / 24) * dayMs
    const from = catalogueMoment - this.#random.fraction() * days * dayMs
    return { from: new Date(from).toISOString(), to: new Date(from + lengthMs).toISOString() }
  }
}
