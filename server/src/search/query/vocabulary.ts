import { ApiError } from '../../kernel/errors.ts'

/**
 * The words that filters and records may use, each with the number (token) that stands for it in `stores.tokens`.
 * Immutable: a change of the taxonomy makes a new vocabulary.
 */
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

/** Tokens of conditions that are no taxonomy values; numbers below 100 are kept for them, those of people follow. */
export const flagTokens = {
  platformPlus: 1,
  /** Somebody can be revealed. */
  revealableContacts: 2,
  /** Somebody is on file. */
  contacts: 3,
  /** Somebody can be revealed where of emails only verified ones are delivered. */
  verifiedRevealableContacts: 4,
} as const

export interface Term {
  facet: Facet
  /** The canonical spelling, as records and replies carry it. */
  value: string
  token: number
  /** Value of the term above it in the same facet. */
  parent: string | null
}

/** A facet with more values is not searched for near ones. */
const maxCompared = 5_000

export class Vocabulary {
  readonly #terms = new Map<string, Term>()
  readonly #values = new Map<Facet, string[]>()
  readonly #children = new Map<string, Term[]>()

  constructor(terms: Iterable<Term>) {
    for (const term of terms) {
      this.#terms.set(keyOf(term.facet, term.value), term)
      append(this.#values, term.facet, term.value)
      if (term.parent !== null) append(this.#children, keyOf(term.facet, term.parent), term)
    }
  }

  /** The term a spelling means, whatever its letter case. */
  find(facet: Facet, spelling: string): Term | undefined {
    return this.#terms.get(keyOf(facet, spelling))
  }

  /** The tokens of a term and of all terms below it: a filter that names a category means its whole branch. */
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

  /** Up to `count` values of the facet spelt most like `spelling`, nearest first; none when nothing is near. */
  nearest(facet: Facet, spelling: string, count = 3): string[] {
    const wanted = spelling.toLowerCase().slice(0, 60)
    const scored: { value: string; distance: number }[] = []
    const values = this.#values.get(facet) ?? []
    // Comparing with each takes microseconds apiece, on the thread that serves everybody.
    if (values.length > maxCompared) return []
    for (const value of values) {
      const distance = dissimilarity(wanted, value.toLowerCase())
      if (distance <= farthest || values.length <= shortList) scored.push({ value, distance })
    }
    scored.sort((a, b) => a.distance - b.distance || (a.value < b.value ? -1 : 1))
    const near = scored.filter((candidate) => candidate.distance <= farthest)
    // Of a short list even a distant value tells what kind of word is meant.
    return (near.length > 0 ? near : scored).slice(0, count).map((candidate) => candidate.value)
  }
}

/** Words less alike than this are no help to name. */
const farthest = 0.6
const shortList = 20

function append<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key)
  if (list) list.push(value)
  else lists.set(key, [value])
}

function keyOf(facet: Facet, value: string): string {
  return `${facet}\n${value.toLowerCase()}`
}

/** 0 for equal words to 1 for nothing in common: edit distance over length, better when one holds the other. */
function dissimilarity(a: string, b: string): number {
  const longer = Math.max(a.length, b.length, 1)
  const contained = Math.min(a.length, b.length) >= 3 && (a.includes(b) || b.includes(a))
  // The difference in length alone can rule a word out, without comparing letters.
  if (!contained && Math.abs(a.length - b.length) / longer > farthest) return 1
  const distance = editDistance(a, b) / longer
  return contained ? Math.min(distance, 0.3) : distance
}

/** Levenshtein distance, one row at a time. */
function editDistance(a: string, b: string): number {
  const row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let i = 1; i <= a.length; i++) {
    let diagonal = row[0]!
    row[0] = i
    for (let j = 1; j <= b.length; j++) {
      const above = row[j]!
      row[j] = Math.min(above + 1, row[j - 1]! + 1, diagonal + (a[i - 1] === b[j - 1] ? 0 : 1))
      diagonal = above
    }
  }
  return row[b.length]!
}

/** Which emails may be delivered: all but those known to be bad, or only verified ones. Decided by the operator. */
export type DeliverEmails = 'all' | 'verified'

/** The token of stores with somebody who can be revealed under this rule. */
export function revealableToken(deliverEmails: DeliverEmails): number {
  return deliverEmails === 'verified' ? flagTokens.verifiedRevealableContacts : flagTokens.revealableContacts
}

/** The terms that a list of words means, in its order; refuses the first word that the taxonomy lacks, at its place. */
export function resolveFilterValues(vocabulary: Vocabulary, facet: Facet, words: string[] | undefined, place: string): Term[] {
  return (words ?? []).map(
    (word, index) => vocabulary.find(facet, word) ?? refuseUnknown(vocabulary, facet, word, `${place}[${index}]`),
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
  const nearest = vocabulary.nearest(facet, word)
  const hint = nearest.length > 0 ? `nearest: ${nearest.join(', ')}` : 'GET /taxonomy lists them'
  throw new ApiError('invalid_filter_value', `${quote(word)} is not a known ${facetNouns[facet]}; ${hint}.`, { param })
}

/** A caller's text in a sentence: one line, nothing unprintable, at most 60 characters of it. */
export function quote(text: string): string {
  const characters = [
    ...text
      .slice(0, 200)
      .replace(/[\p{C}\p{Z}]+/gu, ' ')
      .trim(),
  ]
  return `"${characters.length > 60 ? `${characters.slice(0, 60).join('')}…` : characters.join('')}"`
}
