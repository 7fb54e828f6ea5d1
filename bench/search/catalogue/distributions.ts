import type { Random } from '../../../catalogue/build/random.ts'

/** Draws an index by weight in constant time (Walker's alias method): two random numbers, one comparison. */
export class AliasSampler {
  readonly #shares: Float64Array
  readonly #aliases: Uint32Array

  constructor(weights: readonly number[]) {
    const count = weights.length
    const mean = weights.reduce((sum, weight) => sum + weight, 0) / count
    this.#shares = Float64Array.from(weights, (weight) => weight / mean)
    this.#aliases = Uint32Array.from(weights, (_, index) => index)
    const small: number[] = []
    const large: number[] = []
    this.#shares.forEach((share, index) => void (share < 1 ? small : large).push(index))
    while (small.length > 0 && large.length > 0) {
      const [poor, rich] = [small.pop()!, large.at(-1)!]
      this.#aliases[poor] = rich
      this.#shares[rich]! -= 1 - this.#shares[poor]!
      if (this.#shares[rich]! < 1) small.push(large.pop()!)
    }
    // Entries left over by rounding count as full.
    for (const index of [...small, ...large]) this.#shares[index] = 1
  }

  draw(random: Random): number {
    const index = random.below(this.#shares.length)
    return random.fraction() < this.#shares[index]! ? index : this.#aliases[index]!
  }
}

/** Zipf weights by rank: the first is the most frequent, and more so with a larger exponent. */
export function zipfWeights(count: number, exponent: number): number[] {
  return Array.from({ length: count }, (_, rank) => (rank + 1) ** -exponent)
}

/** An exponentially distributed number with this mean. */
export function drawExponential(random: Random, mean: number): number {
  return -Math.log(1 - random.fraction()) * mean
}

/** An approximately normal number with mean 0 and deviation 1. */
export function drawNormal(random: Random): number {
  let sum = 0
  for (let draw = 0; draw < 6; draw++) sum += random.fraction()
  return (sum - 3) * Math.SQRT2
}
