/**
 * Sorting numbers of rows or documents by a value that each of them has. Millions are sorted at a time, so it is done by
 * digits (radix sort, stable) rather than by comparing, and what is sorted already is left as it is.
 */

const digitBits = 11
const digitMask = 2 ** digitBits - 1

/** 0, 1, 2 and so on. */
export function identityPermutation(size: number): Uint32Array {
  const numbers = new Uint32Array(size)
  for (let number = 0; number < size; number++) numbers[number] = number
  return numbers
}

/** Number → its place in a list that has each number below its length once. */
export function invertPermutation(list: Uint32Array): Uint32Array {
  const places = new Uint32Array(list.length)
  for (let place = 0; place < list.length; place++) places[list[place]!] = place
  return places
}

/** Where each one's items begin once the rows stand in their places, from where they began; with the end of the last. */
export function permuteStarts(starts: Uint32Array, places: Uint32Array): Uint32Array {
  const moved = new Uint32Array(starts.length)
  for (let row = 0; row < places.length; row++) moved[places[row]! + 1] = starts[row + 1]! - starts[row]!
  for (let place = 0; place < places.length; place++) moved[place + 1]! += moved[place]!
  return moved
}

/** The values of the numbers, in their order. */
export function pick(values: Uint32Array | Float64Array, numbers: Uint32Array): Float64Array {
  const picked = new Float64Array(numbers.length)
  for (let index = 0; index < numbers.length; index++) picked[index] = values[numbers[index]!]!
  return picked
}

/** The same numbers, by ascending value; those of equal value stay in their order. No value is NaN. */
export function sortByValue(numbers: Uint32Array, values: Uint32Array | Float64Array): Uint32Array {
  if (isSorted(numbers, values)) return numbers
  let sorted = numbers
  let spare: Uint32Array = new Uint32Array(numbers.length)
  for (const word of values instanceof Uint32Array ? [values] : sortableWords(values)) {
    for (let shift = 0; shift < 32; shift += digitBits) {
      if (!sortByDigit(sorted, word, shift, spare)) continue
      const free: Uint32Array = sorted === numbers ? new Uint32Array(numbers.length) : sorted
      sorted = spare
      spare = free
    }
  }
  return sorted
}

function isSorted(numbers: Uint32Array, values: Uint32Array | Float64Array): boolean {
  for (let index = 1; index < numbers.length; index++) {
    if (values[numbers[index - 1]!]! > values[numbers[index]!]!) return false
  }
  return true
}

/** Writes the numbers into `target` by one digit of their keys; false, and nothing written, when it is the same in all. */
function sortByDigit(numbers: Uint32Array, keys: Uint32Array, shift: number, target: Uint32Array): boolean {
  const starts = new Uint32Array(digitMask + 2)
  for (let index = 0; index < numbers.length; index++) {
    const digit = (keys[numbers[index]!]! >>> shift) & digitMask
    starts[digit + 1] = starts[digit + 1]! + 1
  }
  if (starts.includes(numbers.length)) return false
  for (let digit = 0; digit <= digitMask; digit++) starts[digit + 1] = starts[digit + 1]! + starts[digit]!
  for (let index = 0; index < numbers.length; index++) {
    const number = numbers[index]!
    const digit = (keys[number]! >>> shift) & digitMask
    const place = starts[digit]!
    target[place] = number
    starts[digit] = place + 1
  }
  return true
}

/** The lower and the upper half of numbers of 64 bits that stand in the same order as the values. */
function sortableWords(values: Float64Array): [Uint32Array, Uint32Array] {
  const low = new Uint32Array(values.length)
  const high = new Uint32Array(values.length)
  const view = new DataView(new ArrayBuffer(8))
  for (let index = 0; index < values.length; index++) {
    // Adding 0 makes 0 of -0, which is its equal but has other bits.
    view.setFloat64(0, values[index]! + 0)
    const upper = view.getInt32(0)
    const lower = view.getInt32(4)
    // Positive numbers are ordered as their bits are, below them the negative ones the other way round.
    high[index] = upper < 0 ? ~upper : upper ^ 0x8000_0000
    low[index] = upper < 0 ? ~lower : lower
  }
  return [low, high]
}

/** Lists that are each in an order, made one that is. */
export function mergeLists(lists: Uint32Array[], isBefore: (a: number, b: number) => boolean): Uint32Array {
  // Short ones first, so that a long one is copied once.
  const [first = new Uint32Array(0), ...others] = lists.toSorted((a, b) => a.length - b.length)
  return others.reduce((merged, list) => mergeTwo(merged, list, isBefore), first)
}

function mergeTwo(one: Uint32Array, other: Uint32Array, isBefore: (a: number, b: number) => boolean): Uint32Array {
  const merged = new Uint32Array(one.length + other.length)
  let fromOne = 0
  let fromOther = 0
  while (fromOne < one.length && fromOther < other.length) {
    const a = one[fromOne]!
    const b = other[fromOther]!
    const takesOther = isBefore(b, a)
    merged[fromOne + fromOther] = takesOther ? b : a
    if (takesOther) fromOther++
    else fromOne++
  }
  const place = fromOne + fromOther
  merged.set(one.subarray(fromOne), place)
  merged.set(other.subarray(fromOther), place + one.length - fromOne)
  return merged
}
