import type { Random } from '../../../catalogue/build/random.ts'

/** Draws an index by weight in constant time (Walker's alias method): two numbers of chance, one comparison. */
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
    // What rounding left over is as good as full.
    for (const index of [...small, ...large]) this.#shares[index] = 1
  }

  draw(random: Random): number {
    const index = random.below(this.#shares.length)
    return random.fraction() < this.#shares[index]! ? index : this.#aliases[index]!
  }
}

/** Weights by rank: the first of `count` is the most frequent, and the larger the exponent the more so. */
export function zipfWeights(count: number, exponent: number): number[] {
  return Array.from({ length: count }, (_, rank) => (rank + 1) ** -exponent)
}

/** Exponentially distributed around a mean: mostly little, seldom much. */
export function drawExponential(random: Random, mean: number): number {
  return -Math.log(1 - random.fraction()) * mean
}

/** Nearly normal, around 0 with a deviation of 1, and never beyond 6. */
export function drawNormal(random: Random): number {
  let sum = 0
  for (let draw = 0; draw < 6; draw++) sum += random.fraction()
  return (sum - 3) * Math.SQRT2
}
