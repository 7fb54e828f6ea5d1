import type { Facet, Vocabulary } from '../search/query/vocabulary.ts'
import { extensibleFacets, toExtensionValue } from '../taxonomy/extend-taxonomy.ts'
import { quoteForReason, RecordError } from './fields.ts'

/** Looking for what is spelt nearly like a word takes long: that many words get a hint, the same ones the same at once. */
const maxHints = 10_000

const extensible = new Set<Facet>(extensibleFacets)

/** Reads the taxonomy's words in records: any letter case in, the canonical spelling out. */
export class TaxonomyResolver {
  readonly #extends: boolean
  readonly #hints = new Map<string, string>()
  #vocabulary: Vocabulary

  constructor(vocabulary: Vocabulary, extendTaxonomy: boolean) {
    this.#vocabulary = vocabulary
    this.#extends = extendTaxonomy
  }

  /** Reads by a newer vocabulary from here on. */
  setVocabulary(vocabulary: Vocabulary): void {
    this.#vocabulary = vocabulary
    this.#hints.clear()
  }

  /**
   * The canonical spelling; throws `RecordError`, naming the path, for a word that is unknown and stays so. A word that
   * the taxonomy shall learn is spelt as it will be there.
   */
  resolve(facet: Facet, path: string, spelling: string): string {
    const term = this.#vocabulary.find(facet, spelling)
    if (term) return term.value
    if (!this.#extends || !extensible.has(facet)) throw new RecordError(`${path}: ${this.#complain(facet, spelling)}`)
    const value = toExtensionValue(spelling)
    if (value === null)
      throw new RecordError(`${path}: ${quoteForReason(spelling)} cannot become a value of the taxonomy`)
    return value
  }

  /** The same for a list; words that mean the same value count once. */
  resolveList(facet: Facet, path: string, spellings: string[]): string[] {
    return [...new Set(spellings.map((spelling, index) => this.resolve(facet, `${path}[${index}]`, spelling)))]
  }

  #complain(facet: Facet, spelling: string): string {
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
