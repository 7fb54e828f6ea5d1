import type { Random } from '../../../catalogue/build/random.ts'
import type { StoreSearchFilters } from '../../../server/src/search/query/filters.ts'
import type { Facet } from '../../../server/src/search/query/vocabulary.ts'
import type { BenchTaxonomy } from '../catalogue/taxonomy.ts'
import { RandomFilters } from '../questions/random-searches.ts'
import { type BadSearch, excludedKinds } from './bad-search.ts'

const maxListLength = 50

/** The lists of values in filters, with their facets. */
const lists: { facet: Facet; of(filters: StoreSearchFilters): string[] | undefined }[] = [
  { facet: 'category', of: ({ categories }) => categories },
  { facet: 'country', of: ({ countries }) => countries },
  { facet: 'traffic_tier', of: ({ traffic_tiers }) => traffic_tiers },
  { facet: 'revenue_tier', of: ({ revenue_tiers }) => revenue_tiers },
  { facet: 'theme_type', of: ({ themes }) => themes?.types },
  { facet: 'role', of: ({ contacts }) => contacts?.roles_any },
  ...(['any', 'all', 'none'] as const).flatMap((part) => [
    { facet: 'app' as const, of: ({ apps }: StoreSearchFilters) => apps?.[part] },
    { facet: 'pixel' as const, of: ({ pixels }: StoreSearchFilters) => pixels?.[part] },
  ]),
]

/** Draws searches of every kind, and changes them a little. */
export class SearchMutator {
  readonly #taxonomy: BenchTaxonomy
  readonly #random: Random
  readonly #draw: RandomFilters

  constructor(taxonomy: BenchTaxonomy, random: Random) {
    this.#taxonomy = taxonomy
    this.#random = random
    this.#draw = new RandomFilters(taxonomy, random)
  }

  draw(): BadSearch {
    const random = this.#random
    return {
      filters: this.#draw.drawFilters(),
      person: random.chance(0.35) ? this.#draw.drawPerson() : null,
      maxPerStore: 1 + random.below(10),
      after: random.chance(0.7) ? null : random.fraction(),
      excluded: random.chance(0.6) ? 'none' : random.pick(excludedKinds),
    }
  }

  /** A changed copy; `other` is a search to take conditions from. */
  mutate(search: BadSearch, other: BadSearch): BadSearch {
    const changed = structuredClone(search)
    for (let changes = 1 + this.#random.below(3); changes > 0; changes--) this.#change(changed, structuredClone(other))
    return changed
  }

  #change(search: BadSearch, other: BadSearch): void {
    const random = this.#random
    const { filters } = search
    const dice = random.below(10)
    if (dice < 2) this.#copyConditions(filters, other.filters)
    else if (dice < 4) this.#copyConditions(filters, this.#draw.drawFilters())
    else if (dice < 5) delete filters[random.pick(keysOf(filters))]
    else if (dice < 8) this.#changeList(filters)
    else if (dice < 9) search.after = random.chance(0.5) ? null : random.fraction() ** 2
    else {
      search.excluded = random.pick(excludedKinds)
      if (random.chance(0.5)) search.person = random.chance(0.4) ? null : this.#draw.drawPerson()
    }
  }

  #copyConditions(filters: StoreSearchFilters, from: StoreSearchFilters): void {
    const keys = keysOf(from)
    if (keys.length === 0) return
    const key = this.#random.pick(keys)
    Object.assign(filters, { [key]: from[key] })
  }

  /** Adds frequent or rare values to a list, up to fifty, or removes some. */
  #changeList(filters: StoreSearchFilters): void {
    const random = this.#random
    const there = lists.filter((list) => list.of(filters) !== undefined)
    if (there.length === 0) return
    const list = random.pick(there)
    const values = list.of(filters)!
    if (random.chance(0.35) && values.length > 1) {
      values.splice(random.below(values.length), 1 + random.below(Math.ceil(values.length / 2)))
      return
    }
    const ranked = this.#taxonomy.ranked(list.facet)
    const power = random.pick([1, 2, 5])
    for (let added = 1 + random.below(maxListLength); added > 0 && values.length < maxListLength; added--) {
      const { value } = ranked[Math.floor(ranked.length * random.fraction() ** power)]!
      if (!values.includes(value)) values.push(value)
    }
  }
}

function keysOf(filters: StoreSearchFilters): (keyof StoreSearchFilters)[] {
  const keys = Object.keys(filters) as (keyof StoreSearchFilters)[]
  return keys.length > 0 ? keys : ['categories']
}
