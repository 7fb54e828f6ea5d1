import { wordsOfName } from '../../../foundation/kernel/similarity.ts'

/** Half as many stores of an import are remembered, and at most so many, so that its memory does not grow with its file: some 10 MB. */
const mostRemembered = 50_000

/** The names that the latest records of an import gave to their stores: rows with different names can be different shops. */
export class RecentNames {
  /** Two maps in turns: a Map from which the first key is deleted again and again becomes slow. */
  #latest = new Map<string, string>()
  #earlier = new Map<string, string>()

  /** Remembers the name that a record gives to a store; returns the one that another record gave it before, if that is a different one. */
  remember(domain: string, name: string): string | null {
    const earlier = this.#latest.get(domain) ?? this.#earlier.get(domain)
    if (this.#latest.size >= mostRemembered / 2) {
      this.#earlier = this.#latest
      this.#latest = new Map()
    }
    this.#latest.set(domain, name)
    return earlier === undefined || isSameName(earlier, name) ? null : earlier
  }
}

/** Whether two names differ in case, accents, punctuation and further words only: `Willow Teas` and `WILLOW TEAS Ltd`. */
function isSameName(a: string, b: string): boolean {
  if (a === b) return true
  const [fewer, more] = [a, b].map(wordsOf).sort((x, y) => x.length - y.length) as [string[], string[]]
  return more.join('').startsWith(fewer.join('')) || fewer.every((word) => more.includes(word))
}

function wordsOf(name: string): string[] {
  const words = wordsOfName(name)
  return words.length > 0 ? words : [name]
}
