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

/** Tokens of conditions that are no taxonomy values; numbers below 1,000 are kept for them. */
export const flagTokens = { platformPlus: 1, revealableContacts: 2 } as const

export interface Term {
  facet: Facet
  /** The canonical spelling, as records and replies carry it. */
  value: string
  token: number
  /** Value of the term above it in the same facet. */
  parent: string | null
}

export class Vocabulary {
  readonly #terms = new Map<string, Term>()
  readonly #values = new Map<Facet, string[]>()

  constructor(terms: Iterable<Term>) {
    for (const term of terms) {
      this.#terms.set(keyOf(term.facet, term.value), term)
      const values = this.#values.get(term.facet)
      if (values) values.push(term.value)
      else this.#values.set(term.facet, [term.value])
    }
  }

  /** The term a spelling means, whatever its letter case. */
  find(facet: Facet, spelling: string): Term | undefined {
    return this.#terms.get(keyOf(facet, spelling))
  }

  /** The token of a term and of all terms above it: what a store with this value answers to. */
  tokensWithParents(term: Term): number[] {
    const tokens = [term.token]
    for (let above = this.#parentOf(term); above; above = this.#parentOf(above)) {
      if (tokens.includes(above.token)) break
      tokens.push(above.token)
    }
    return tokens
  }

  /** Up to `count` values of the facet spelt most like `spelling`, nearest first; none when nothing is near. */
  nearest(facet: Facet, spelling: string, count = 3): string[] {
    const wanted = spelling.toLowerCase().slice(0, 60)
    const scored: { value: string; distance: number }[] = []
    for (const value of this.#values.get(facet) ?? []) {
      const distance = dissimilarity(wanted, value.toLowerCase())
      if (distance <= farthest) scored.push({ value, distance })
    }
    scored.sort((a, b) => a.distance - b.distance || (a.value < b.value ? -1 : 1))
    return scored.slice(0, count).map((candidate) => candidate.value)
  }

  #parentOf(term: Term): Term | undefined {
    return term.parent === null ? undefined : this.#terms.get(keyOf(term.facet, term.parent))
  }
}

/** Words less alike than this are no help to name. */
const farthest = 0.6

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
