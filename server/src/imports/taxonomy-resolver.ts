import type { Facet, Vocabulary } from '../search/query/vocabulary.ts'
import { extensibleFacets, toExtensionValue } from '../taxonomy/extend-taxonomy.ts'
import { quoteForReason, RecordError } from './fields.ts'

/** Finding similar values is slow, so hints are cached, and only this many different values get one. */
const maxHints = 10_000

const extensible = new Set<Facet>(extensibleFacets)

/** Resolves taxonomy values in records: accepts any letter case, returns the canonical spelling. */
export class TaxonomyResolver {
  readonly #canExtend: boolean
  readonly #hints = new Map<string, string>()
  #vocabulary: Vocabulary

  constructor(vocabulary: Vocabulary, extendTaxonomy: boolean) {
    this.#vocabulary = vocabulary
    this.#canExtend = extendTaxonomy
  }

  /** Uses a newer vocabulary for all following values. */
  setVocabulary(vocabulary: Vocabulary): void {
    this.#vocabulary = vocabulary
    this.#hints.clear()
  }

  /**
   * Returns the canonical spelling. An unknown value is returned as it will be added to the taxonomy if the import may
   * extend it; otherwise throws `RecordError` with the path.
   */
  resolve(facet: Facet, path: string, spelling: string): string {
    const term = this.#vocabulary.find(facet, spelling)
    if (term) return term.value
    if (!this.#canExtend || !extensible.has(facet))
      throw new RecordError(`${path}: ${this.#describeUnknown(facet, spelling)}`)
    const value = toExtensionValue(spelling)
    if (value === null)
      throw new RecordError(`${path}: ${quoteForReason(spelling)} cannot become a value of the taxonomy`)
    return value
  }

  /** The same for a list, without duplicates. */
  resolveList(facet: Facet, path: string, spellings: string[]): string[] {
    return [...new Set(spellings.map((spelling, index) => this.resolve(facet, `${path}[${index}]`, spelling)))]
  }

  #describeUnknown(facet: Facet, spelling: string): string {
    const key = `${facet} ${spelling}`
    let hint = this.#hints.get(key)
    if (hint === undefined && this.#hints.size < maxHints) {
      const nearest = this.#vocabulary.nearest(facet, spelling)
      hint = nearest.length > 0 ? ` (nearest: ${nearest.join(', ')})` : ''
      this.#hints.set(key, hint)
    }
    return `unknown value ${quoteForReason(spelling)}${hint ?? ''}`
  }
}
