import type { Facet, Term, Vocabulary } from '../../../search/query/vocabulary.ts'
import { extensibleFacets, toExtensionValue } from '../../../search/taxonomy/extend-taxonomy.ts'
import { badValue, type Fault, fault, quoteForReason } from '../fields/faults.ts'
import { findCountry, nearestCountries } from './countries.ts'
import { LabelIndex } from './labels.ts'

/** Finding similar values is slow, so hints are cached, and only this many different values get one. */
const maxHints = 10_000

const extensible = new Set<Facet>(extensibleFacets)

/** No name is longer. Unicode normalisation, which comparing names needs, is not linear. */
const maxNameLength = 1_000

/** Resolves taxonomy values in records: accepts any letter case, returns the canonical spelling. */
export class TaxonomyResolver {
  readonly #canExtend: boolean
  readonly #hints = new Map<string, string | null>()
  #vocabulary: Vocabulary
  #labels: LabelIndex

  constructor(vocabulary: Vocabulary, extendTaxonomy: boolean) {
    this.#vocabulary = vocabulary
    this.#labels = new LabelIndex(vocabulary)
    this.#canExtend = extendTaxonomy
  }

  /** Uses a newer vocabulary for all following values. */
  setVocabulary(vocabulary: Vocabulary): void {
    this.#vocabulary = vocabulary
    this.#labels = new LabelIndex(vocabulary)
    this.#hints.clear()
  }

  /**
   * Returns the canonical spelling. An unknown value is returned as it will be added to the taxonomy if the import may
   * extend it; otherwise undefined, with a fault.
   */
  resolve(faults: Fault[], facet: Facet, path: string, spelling: string): string | undefined {
    const term = this.#vocabulary.find(facet, spelling)
    if (term) return term.value
    if (!this.#canExtend || !extensible.has(facet)) {
      faults.push(this.#describeUnknown(facet, path, spelling))
      return undefined
    }
    const value = toExtensionValue(spelling)
    if (value === null) faults.push(badValue(path, spelling, 'cannot become a value of the taxonomy'))
    return value ?? undefined
  }

  /** The same for a list, without duplicates. */
  resolveList(faults: Fault[], facet: Facet, path: string, spellings: string[]): string[] {
    return [
      ...new Set(
        spellings.flatMap((spelling, index) => this.resolve(faults, facet, `${path}[${index}]`, spelling) ?? []),
      ),
    ]
  }

  /** The value that people mean by a label or a name, as spreadsheets have them; undefined if that is not certain. */
  understand(facet: Facet, text: string): string | undefined {
    if (text.length > maxNameLength) return undefined
    const term: Term | undefined = this.#vocabulary.find(facet, text) ?? this.#labels.find(facet, text)
    if (term) return term.value
    const code = facet === 'country' ? findCountry(text) : undefined
    return code === undefined ? undefined : this.#vocabulary.find(facet, code)?.value
  }

  /** The intended value, if it is certain; otherwise what may have been meant. */
  #hint(facet: Facet, spelling: string): string | null {
    const meant = this.understand(facet, spelling)
    if (meant === undefined && (facet !== 'country' || spelling.length <= 3))
      return this.#vocabulary.hint(facet, spelling)
    const nearest = meant ?? nearestCountries(spelling).find((code) => this.#vocabulary.find('country', code))
    return nearest === undefined ? null : `nearest: ${nearest}`
  }

  #describeUnknown(facet: Facet, path: string, spelling: string): Fault {
    const key = `${facet} ${spelling}`
    let hint = this.#hints.get(key) ?? null
    if (!this.#hints.has(key) && this.#hints.size < maxHints) {
      hint = this.#hint(facet, spelling)
      this.#hints.set(key, hint)
    }
    const text = `unknown value ${quoteForReason(spelling)}${hint === null ? '' : ` (${hint})`}`
    return fault(path, 'unknown value', { value: spelling, hint, text })
  }
}
