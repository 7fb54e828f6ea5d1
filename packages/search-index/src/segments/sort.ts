/**
 * Sorts row or document numbers by value with a stable radix sort, because there are millions of them. Sorted input is
 * returned as it is.
 */

const digitBits = 11
const digitMask = 2 ** digitBits - 1

/** 0, 1, 2 and so on. */
export function identityPermutation(size: number): Uint32Array {
  const numbers = new Uint32Array(size)
  for (let number = 0; number < size; number++) numbers[number] = number
  return numbers
}

/** The numbers below `size` that pass, ascending. The built-in `filter` keeps them on the heap first. */
export function selectNumbers(size: number, passes: (number: number) => boolean): Uint32Array {
  const selected = new Uint32Array(size)
  let count = 0
  for (let number = 0; number < size; number++) if (passes(number)) selected[count++] = number
  return selected.subarray(0, count)
}

/** Number → its index in the permutation. */
export function invertPermutation(permutation: Uint32Array): Uint32Array {
  const indexes = new Uint32Array(permutation.length)
  for (let index = 0; index < permutation.length; index++) indexes[permutation[index]!] = index
  return indexes
}

/** Offsets of each row's items after the rows are permuted; one more than rows. */
export function permuteStarts(starts: Uint32Array, indexes: Uint32Array): Uint32Array {
  const moved = new Uint32Array(starts.length)
  for (let row = 0; row < indexes.length; row++) moved[indexes[row]! + 1] = starts[row + 1]! - starts[row]!
  for (let index = 0; index < indexes.length; index++) moved[index + 1]! += moved[index]!
  return moved
}

/** Gathers values by number, into `picked` if it is given. */
export function gather(
  values: Uint32Array | Float64Array,
  numbers: Uint32Array,
  picked: Float64Array = new Float64Array(numbers.length),
): Float64Array {
  for (let index = 0; index < numbers.length; index++) picked[index] = values[numbers[index]!]!
  return picked
}

/** The numbers by ascending value, stable. No value may be NaN. */
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

/** One pass of the radix sort. Returns false without writing if all keys have the same digit. */
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
    const next = starts[digit]!
    target[next] = number
    starts[digit] = next + 1
  }
  return true
}

/** The low and high words of unsigned 64-bit integers that sort like the values. */
function sortableWords(values: Float64Array): [Uint32Array, Uint32Array] {
  const low = new Uint32Array(values.length)
  const high = new Uint32Array(values.length)
  const view = new DataView(new ArrayBuffer(8))
  for (let index = 0; index < values.length; index++) {
    // -0 equals 0 but has other bits; adding 0 makes them the same.
    view.setFloat64(0, values[index]! + 0)
    const upper = view.getInt32(0)
    const lower = view.getInt32(4)
    // Bits of positive numbers sort like the numbers; those of negative numbers in reverse, and below.
    high[index] = upper < 0 ? ~upper : upper ^ 0x8000_0000
    low[index] = upper < 0 ? ~lower : lower
  }
  return [low, high]
}

/** Merges sorted lists. */
export function mergeLists(lists: Uint32Array[], isBefore: (a: number, b: number) => boolean): Uint32Array {
  // Shortest first, so that a long list is copied once.
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
  const end = fromOne + fromOther
  merged.set(one.subarray(fromOne), end)
  merged.set(other.subarray(fromOther), end + one.length - fromOne)
  return merged
}
