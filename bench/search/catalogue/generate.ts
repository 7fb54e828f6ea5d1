import type { StagedStores } from '@storedex/search-index'
import { Random } from '../../../catalogue/build/random.ts'
import { flagTokens } from '../../../server/src/search/query/vocabulary.ts'
import { AliasSampler, drawExponential, drawNormal, zipfWeights } from './distributions.ts'
import { ContactGenerator } from './people.ts'
import type { BenchTaxonomy } from './taxonomy.ts'

/** The catalogue's date: stores were opened in the ten years before and discovered in the last four. */
export const catalogueMoment = Date.parse('2026-10-01T00:00:00Z')
const yearSeconds = 365 * 86_400

/**
 * Generates a catalogue of any size as columns, the same on every run. A hidden *quality* of each store correlates traffic,
 * revenue, premium plan, score, apps, ads and contacts, as in real catalogues; values follow Zipf distributions. It
 * creates no object for a store, so that ten million take a minute and 2 GB.
 */
export function generateCatalogue(taxonomy: BenchTaxonomy, count: number, seed = 1): StagedStores {
  const random = new Random(seed)
  const draw = new StoreGenerator(taxonomy, random)
  const people = new ContactGenerator(taxonomy)
  const tokens = new GrowableArray((size) => new Int32Array(size), count * 23)
  const roles = new GrowableArray((size) => new Int32Array(size), count * 3)
  const traits = new GrowableArray((size) => new Uint8Array(size), count * 3)
  const numbers = new GrowableArray((size) => new Uint16Array(size), count * 3)
  const staged = emptyColumns(count)
  const own = new SortedTokens()
  const add = (token: number) => own.add(token)

  for (let row = 0; row < count; row++) {
    const quality = random.fraction() ** 3
    own.clear()
    draw.drawStore(quality, add)
    people.drawStore(random, quality)
    people.addTokens(add)
    staged.ids[row] = row + 1
    staged.negatedScores[row] = draw.negatedScore
    staged.activeAds[row] = draw.activeAds
    staged.created[row] = draw.created
    staged.discovered[row] = draw.discovered
    for (let index = 0; index < own.size; index++) tokens.push(own.at(index))
    for (let number = 0; number < people.count; number++) {
      roles.push(people.roles[number]!)
      traits.push(people.traits[number]!)
      numbers.push(number)
    }
    staged.tokenStarts[row + 1] = tokens.size
    staged.contactStarts[row + 1] = roles.size
  }
  return {
    ...staged,
    tokens: tokens.take(),
    contactRoles: roles.take(),
    contactTraits: traits.take(),
    contactNumbers: numbers.take(),
  }
}

function emptyColumns(count: number) {
  return {
    size: count,
    ids: new Float64Array(count),
    negatedScores: new Float64Array(count),
    activeAds: new Uint32Array(count),
    created: new Float64Array(count),
    discovered: new Float64Array(count),
    tokenStarts: new Uint32Array(count + 1),
    contactStarts: new Uint32Array(count + 1),
  }
}

/** The distinct tokens of one store in ascending order. */
class SortedTokens {
  readonly #tokens = new Int32Array(256)
  size = 0

  clear(): void {
    this.size = 0
  }

  at(index: number): number {
    return this.#tokens[index]!
  }

  add(token: number): void {
    let index = this.size
    while (index > 0 && this.#tokens[index - 1]! > token) index--
    if (index > 0 && this.#tokens[index - 1] === token) return
    this.#tokens.copyWithin(index + 1, index, this.size++)
    this.#tokens[index] = token
  }
}

const plusShares = [0.002, 0.005, 0.01, 0.04, 0.12, 0.28, 0.5]
const appsOfCategory = 25

/** Generates one store after the other, without its contacts. */
class StoreGenerator {
  negatedScore = 0
  activeAds = 0
  created = 0
  discovered = 0
  readonly #taxonomy: BenchTaxonomy
  readonly #random: Random
  readonly #category: AliasSampler
  readonly #country: AliasSampler
  readonly #app: AliasSampler
  readonly #pixel: AliasSampler
  /** Apps that are frequent within a category. */
  readonly #specialApps: number[][]

  constructor(taxonomy: BenchTaxonomy, random: Random) {
    const draw = (count: number, exponent: number) => new AliasSampler(zipfWeights(count, exponent))
    this.#taxonomy = taxonomy
    this.#random = random
    this.#category = draw(taxonomy.ranked('category').length, 0.9)
    this.#country = draw(taxonomy.ranked('country').length, 1.2)
    this.#app = draw(taxonomy.ranked('app').length, 1)
    this.#pixel = draw(taxonomy.ranked('pixel').length, 1.1)
    this.#specialApps = taxonomy
      .ranked('category')
      .map(() => Array.from({ length: appsOfCategory }, () => random.below(taxonomy.ranked('app').length)))
  }

  drawStore(quality: number, add: (token: number) => void): void {
    const random = this.#random
    // Sometimes a tier is random, so that contradictory filters match a few stores deep in the order.
    const tier = () =>
      random.chance(0.02) ? random.below(7) : Math.min(Math.floor((quality * 0.9 + random.fraction() * 0.18) * 7), 6)
    const [traffic, revenue] = [tier(), tier()]
    const plus = random.chance(plusShares[revenue]!)
    const category = random.chance(0.03) ? null : this.#category.draw(random)
    if (category !== null) add(this.#taxonomy.ranked('category')[category]!.token)
    if (!random.chance(0.03)) add(this.#taxonomy.ranked('country')[this.#country.draw(random)]!.token)
    if (!random.chance(0.08)) add(this.#taxonomy.ranked('traffic_tier')[traffic]!.token)
    if (!random.chance(0.12)) add(this.#taxonomy.ranked('revenue_tier')[revenue]!.token)
    if (plus) add(flagTokens.platformPlus)
    this.#addTechnologies(quality, category, plus, add)
    this.#drawColumns(quality, traffic)
  }

  #addTechnologies(quality: number, category: number | null, plus: boolean, add: (token: number) => void): void {
    const random = this.#random
    const special = category === null ? null : this.#specialApps[category]!
    const apps = Math.min(Math.floor(drawExponential(random, 3.2 + quality * 9)), 25)
    for (let app = 0; app < apps; app++) {
      const rank = special && random.chance(0.3) ? special[random.below(appsOfCategory)]! : this.#app.draw(random)
      add(this.#taxonomy.ranked('app')[rank]!.token)
    }
    const pixels = Math.min(Math.floor(drawExponential(random, 1.5 + quality * 3)), 12)
    for (let pixel = 0; pixel < pixels; pixel++) add(this.#taxonomy.ranked('pixel')[this.#pixel.draw(random)]!.token)
    const theme = random.chance(plus ? 0.75 : 0.2) ? 0 : random.chance(0.55) ? 1 : 2
    if (!random.chance(0.05)) add(this.#taxonomy.ranked('theme_type')[theme]!.token)
  }

  #drawColumns(quality: number, traffic: number): void {
    const random = this.#random
    const score = Math.round((15 + quality * 60 + random.fraction() * 25) * 10) / 10
    this.negatedScore = random.chance(0.06) ? Infinity : -score
    const advertises = random.chance(0.1 + (0.7 * traffic) / 6)
    const ads = Math.floor(Math.exp(1 + quality * 3 + drawNormal(random) * 1.6))
    this.activeAds = advertises ? Math.min(Math.max(ads, 1), 100_000) : 0
    const ago = (years: number) => catalogueMoment - Math.floor(years * yearSeconds) * 1000
    this.created = random.chance(0.1) ? Number.NaN : ago(10 * random.fraction() ** 1.3)
    this.discovered = random.chance(0.05) ? Number.NaN : ago(4 * random.fraction())
  }
}

type Numbers = Int32Array | Uint8Array | Uint16Array

/** A typed array that numbers are added to. */
class GrowableArray<T extends Numbers> {
  #numbers: T
  #size = 0
  readonly #make: (size: number) => T

  /** A good estimate of the capacity saves copies. */
  constructor(make: (size: number) => T, capacity: number) {
    this.#make = make
    this.#numbers = make(Math.max(capacity, 16))
  }

  get size(): number {
    return this.#size
  }

  push(value: number): void {
    if (this.#size === this.#numbers.length) this.#grow()
    this.#numbers[this.#size++] = value
  }

  /** The added values, as a view on the array's memory. */
  take(): T {
    return this.#numbers.subarray(0, this.#size) as T
  }

  #grow(): void {
    const larger = this.#make(Math.ceil(this.#numbers.length * 1.5))
    larger.set(this.#numbers)
    this.#numbers = larger
  }
}
