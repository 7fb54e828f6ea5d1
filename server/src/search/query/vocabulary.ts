import type { DeliverEmails } from '../../foundation/encryption/contact-facts.ts'
import { Refusal } from '../../foundation/kernel/errors.ts'
import { nearestTexts } from '../../foundation/kernel/similarity.ts'

export const facets = [
  'category',
  'country',
  'traffic_tier',
  'revenue_tier',
  'theme_type',
  'role',
  'seniority',
  'app',
  'pixel',
] as const

export type Facet = (typeof facets)[number]

/** Tokens of conditions outside the taxonomy. Numbers below 100 are reserved for them. */
export const flagTokens = {
  platformPlus: 1,
  /** A contact can be revealed. */
  revealableContacts: 2,
  /** There is a contact. */
  contacts: 3,
  /** A contact can be revealed when only verified emails are delivered. */
  verifiedRevealableContacts: 4,
} as const

export interface Term {
  facet: Facet
  /** The canonical spelling, as records and replies carry it. */
  value: string
  /** What people read; vocabularies that no person reads have none. */
  label?: string
  token: number
  /** Value of the parent term in the same facet. */
  parent: string | null
}

/** Suggestions are not computed for facets with more values. */
const maxCompared = 5_000
/** A facet with at most so many values is listed whole where none is similar. */
const shortList = 20

/** The values of the taxonomy with their tokens, the numbers in `stores.tokens`. Immutable; a changed taxonomy needs a new one. */
export class Vocabulary {
  /** By facet, then by value as it is and in lower case. */
  readonly #terms = new Map<Facet, Map<string, Term>>()
  readonly #values = new Map<Facet, string[]>()
  readonly #children = new Map<string, Term[]>()

  constructor(terms: Iterable<Term>) {
    for (const term of terms) {
      const terms = this.#terms.get(term.facet) ?? new Map<string, Term>()
      this.#terms.set(term.facet, terms.set(term.value, term).set(term.value.toLowerCase(), term))
      append(this.#values, term.facet, term.value)
      if (term.parent !== null) append(this.#children, keyOf(term.facet, term.parent), term)
    }
  }

  /** The term with this spelling, in any letter case. */
  find(facet: Facet, spelling: string): Term | undefined {
    const terms = this.#terms.get(facet)
    return terms?.get(spelling) ?? terms?.get(spelling.toLowerCase())
  }

  /** All terms of a facet. */
  termsOf(facet: Facet): Term[] {
    return (this.#values.get(facet) ?? []).map((value) => this.find(facet, value)!)
  }

  /** The tokens of a term and its descendants: a filter for a category includes its whole branch. */
  tokensWithin(term: Term): number[] {
    const tokens = new Set<number>()
    const waiting = [term]
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      if (tokens.has(next.token)) continue
      tokens.add(next.token)
      waiting.push(...(this.#children.get(keyOf(next.facet, next.value)) ?? []))
    }
    return [...tokens]
  }

  /** What may have been meant: up to three values of similar spelling, else all of a short list; null for neither. */
  hint(facet: Facet, spelling: string): string | null {
    const values = this.#values.get(facet) ?? []
    // Each comparison takes microseconds on the thread that serves all requests.
    const nearest = values.length > maxCompared ? [] : nearestTexts(values, spelling).slice(0, 3)
    if (nearest.length > 0) return `nearest: ${nearest.join(', ')}`
    return values.length > 0 && values.length <= shortList ? `one of: ${values.join(', ')}` : null
  }
}

function append<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key)
  if (list) list.push(value)
  else lists.set(key, [value])
}

function keyOf(facet: Facet, value: string): string {
  return `${facet}\n${value.toLowerCase()}`
}

/** The token of stores with a contact that can be revealed under this rule. */
export function revealableToken(deliverEmails: DeliverEmails): number {
  return deliverEmails === 'verified' ? flagTokens.verifiedRevealableContacts : flagTokens.revealableContacts
}

/** Resolves values in order. Throws an `Refusal` with the parameter of the first value the taxonomy lacks. */
export function resolveFilterValues(
  vocabulary: Vocabulary,
  facet: Facet,
  words: string[] | undefined,
  param: string,
): Term[] {
  return (words ?? []).map(
    (word, index) => vocabulary.find(facet, word) ?? refuseUnknown(vocabulary, facet, word, `${param}[${index}]`),
  )
}

const facetNouns: Record<Facet, string> = {
  category: 'category',
  country: 'country code',
  traffic_tier: 'traffic tier',
  revenue_tier: 'revenue tier',
  theme_type: 'theme type',
  role: 'role',
  seniority: 'seniority',
  app: 'app',
  pixel: 'pixel',
}

function refuseUnknown(vocabulary: Vocabulary, facet: Facet, word: string, param: string): never {
  const hint = vocabulary.hint(facet, word) ?? 'GET /taxonomy lists them'
  throw new Refusal('invalid_filter_value', `${quote(word)} is not a known ${facetNouns[facet]}; ${hint}.`, { param })
}

/** Quotes a caller's text for a message: one line, printable, at most 60 characters. */
export function quote(text: string): string {
  const characters = [
    ...text
      .slice(0, 200)
      .replace(/[\p{C}\p{Z}]+/gu, ' ')
      .trim(),
  ]
  return `"${characters.length > 60 ? `${characters.slice(0, 60).join('')}…` : characters.join('')}"`
}
