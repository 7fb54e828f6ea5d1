/** So many stores of an import are remembered, so that its memory does not grow with its file: some 10 MB. */
const mostRemembered = 50_000

/** The names that the latest records of an import gave to their stores: rows with different names can be different shops. */
export class RecentNames {
  readonly #names = new Map<string, string>()

  /** Remembers the name that a record gives to a store; returns the one that another record gave it before, if that is a different one. */
  remember(domain: string, name: string): string | null {
    const earlier = this.#names.get(domain)
    // Last again, so that the store of many rows is not forgotten.
    if (earlier !== undefined) this.#names.delete(domain)
    else if (this.#names.size >= mostRemembered) this.#names.delete(this.#names.keys().next().value!)
    this.#names.set(domain, name)
    return earlier === undefined || isSameName(earlier, name) ? null : earlier
  }
}

/** Whether two names differ in case, accents, punctuation and further words only: `Willow Teas` and `WILLOW TEAS Ltd`. */
function isSameName(a: string, b: string): boolean {
  if (a === b) return true
  const [fewer, more] = [wordsOf(a), wordsOf(b)].sort((x, y) => x.length - y.length) as [string[], string[]]
  return more.join('').startsWith(fewer.join('')) || fewer.every((word) => more.includes(word))
}

function wordsOf(name: string): string[] {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  return plain.match(/[\p{L}\p{N}]+/gu) ?? [name]
}
