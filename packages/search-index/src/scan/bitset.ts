/** Operations on the first `count` 32-bit words of an array. */

/** Returns whether any bit is left. */
export function intersectInto(into: Int32Array, bits: Int32Array, from: number, count: number): boolean {
  let left = 0
  for (let index = 0; index < count; index++) left |= into[index]! &= bits[from + index]!
  return left !== 0
}

/** Returns whether any bit is left. */
export function subtractFrom(into: Int32Array, bits: Int32Array, from: number, count: number): boolean {
  let left = 0
  for (let index = 0; index < count; index++) left |= into[index]! &= ~bits[from + index]!
  return left !== 0
}

/** Population count. */
export function countBits(words: Int32Array, count: number): number {
  let total = 0
  for (let index = 0; index < count; index++) {
    let word = words[index]!
    if (word === 0) continue
    word -= (word >>> 1) & 0x5555_5555
    word = (word & 0x3333_3333) + ((word >>> 2) & 0x3333_3333)
    total += Math.imul((word + (word >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24
  }
  return total
}
