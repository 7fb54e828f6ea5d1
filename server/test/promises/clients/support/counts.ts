/** Counts by name. */
export class Counts {
  readonly #counts = new Map<string, number>()

  add(name: string, by = 1): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + by)
  }

  of(name: string): number {
    return this.#counts.get(name) ?? 0
  }

  /** The total of all other names. */
  besides(...names: string[]): number {
    return [...this.#counts].reduce((sum, [name, count]) => (names.includes(name) ? sum : sum + count), 0)
  }

  toString(): string {
    const sorted = [...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1))
    return sorted.map(([name, count]) => `${name}: ${count}`).join(', ') || 'nothing'
  }
}
