import type { Facet, Term, Vocabulary } from '../../../search/query/vocabulary.ts'
import { labelWords } from './words.ts'

/** Separators and small words that differ between spellings of one label: `Home & Garden`, `10k – 50k`. */
const separators = /[\s_\-–—.,&/'’$]+/u
const smallWords = new Set(['', 'and', 'to', 'a', 'per', 'month', 'visits'])

/** Finds taxonomy terms by what people call them. */
export class LabelIndex {
  readonly #vocabulary: Vocabulary
  readonly #terms = new Map<Facet, Map<string, Term | 'ambiguous'>>()

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary
  }

  /**
   * The term with this label, with this spelling of its value, or that another word means; undefined if none or several
   * have it.
   */
  find(facet: Facet, text: string): Term | undefined {
    const key = keyOfLabel(text)
    if (key === '') return undefined
    const term = this.#termsOf(facet).get(key)
    if (term) return term === 'ambiguous' ? undefined : term
    const words = labelWords[facet]
    return words && Object.hasOwn(words, key) ? this.#vocabulary.find(facet, words[key]!) : undefined
  }

  #termsOf(facet: Facet): Map<string, Term | 'ambiguous'> {
    const known = this.#terms.get(facet)
    if (known) return known
    const terms = this.#vocabulary.termsOf(facet)
    const byKey = new Map<string, Term | 'ambiguous'>()
    for (const term of terms) {
      add(byKey, term.label, term)
      // As breadcrumbs: "Home & Garden > Decor".
      if (term.parent !== null) add(byKey, this.#pathOf(term), term)
    }
    // Values last, and they win: a label may be another term's value.
    for (const term of terms) byKey.set(keyOfLabel(term.value), term)
    this.#terms.set(facet, byKey)
    return byKey
  }

  #pathOf(term: Term): string {
    const parent = term.parent === null ? undefined : this.#vocabulary.find(term.facet, term.parent)
    const label = term.label ?? term.value
    return parent ? `${this.#pathOf(parent)} > ${label}` : label
  }
}

function add(byKey: Map<string, Term | 'ambiguous'>, label: string | undefined, term: Term): void {
  const key = keyOfLabel(label ?? '')
  if (key !== '') byKey.set(key, byKey.has(key) && byKey.get(key) !== term ? 'ambiguous' : term)
}

function keyOfLabel(text: string): string {
  const words = text.normalize('NFKC').toLowerCase().split(separators)
  return words.filter((word) => !smallWords.has(word)).join('_')
}
