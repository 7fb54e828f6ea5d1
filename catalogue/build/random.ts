export interface Weighted<T> {
  value: T
  weight: number
}

/**
 * A seeded random number generator (mulberry32). It and its callers use only integer operations and exactly rounded
 * arithmetic, so that every machine generates the same catalogue.
 */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  /** From 0 inclusive to 1 exclusive. */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** A whole number from 0 inclusive to `end` exclusive. */
  below(end: number): number {
    return Math.floor(this.fraction() * end)
  }

  chance(probability: number): boolean {
    return this.fraction() < probability
  }

  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)]!
  }

  weighted<T>(choices: readonly Weighted<T>[]): T {
    let left = this.fraction() * choices.reduce((sum, choice) => sum + choice.weight, 0)
    for (const choice of choices) {
      left -= choice.weight
      if (left < 0) return choice.value
    }
    return choices.at(-1)!.value
  }
}

/** Weights 1, 1/2, 1/3, …: the first few values take most. */
export function zipf<T>(values: readonly T[]): Weighted<T>[] {
  return values.map((value, index) => ({ value, weight: 1 / (index + 1) }))
}
