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

/** How many bits two ranges of `count` words have in common. */
export function countCommon(a: Int32Array, b: Int32Array, fromB: number, count: number): number {
  // Carry-save adders sum the bits of eight words, so that one population count does for all (Harley and Seal).
  let ones = 0
  let twos = 0
  let fours = 0
  let eights = 0
  let index = 0
  for (let at = fromB; index + 8 <= count; index += 8, at += 8) {
    let x = a[index]! & b[at]!
    let y = a[index + 1]! & b[at + 1]!
    let half = ones ^ x
    const twosA = (ones & x) | (half & y)
    ones = half ^ y
    x = a[index + 2]! & b[at + 2]!
    y = a[index + 3]! & b[at + 3]!
    half = ones ^ x
    const twosB = (ones & x) | (half & y)
    ones = half ^ y
    half = twos ^ twosA
    const foursA = (twos & twosA) | (half & twosB)
    twos = half ^ twosB
    x = a[index + 4]! & b[at + 4]!
    y = a[index + 5]! & b[at + 5]!
    half = ones ^ x
    const twosC = (ones & x) | (half & y)
    ones = half ^ y
    x = a[index + 6]! & b[at + 6]!
    y = a[index + 7]! & b[at + 7]!
    half = ones ^ x
    const twosD = (ones & x) | (half & y)
    ones = half ^ y
    half = twos ^ twosC
    const foursB = (twos & twosC) | (half & twosD)
    twos = half ^ twosD
    half = fours ^ foursA
    eights += bitsOfWord((fours & foursA) | (half & foursB))
    fours = half ^ foursB
  }
  let total = 8 * eights + 4 * bitsOfWord(fours) + 2 * bitsOfWord(twos) + bitsOfWord(ones)
  for (; index < count; index++) total += bitsOfWord(a[index]! & b[fromB + index]!)
  return total
}

function bitsOfWord(word: number): number {
  let bits = word - ((word >>> 1) & 0x5555_5555)
  bits = (bits & 0x3333_3333) + ((bits >>> 2) & 0x3333_3333)
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24
}
