import type { Pace, Steps } from '@storedex/work'

type Sortable = Uint32Array | Float64Array

const numbersAtOnce = 2_048
/** Of sorting a number among `numbersAtOnce`, and of merging one. */
const unitsToSort = 64
const unitsToMerge = 4

/** Sorts numbers, ascending, in place. */
export function* sortNumbers<Numbers extends Sortable>(numbers: Numbers, pace: Pace): Steps<Numbers> {
  const { length } = numbers
  for (let start = 0; start < length; start += numbersAtOnce) {
    numbers.subarray(start, start + numbersAtOnce).sort()
    if (length > numbersAtOnce && pace.spend(numbersAtOnce * unitsToSort)) yield
  }
  if (length <= numbersAtOnce) return numbers
  let from: Sortable = numbers
  let into: Sortable = numbers instanceof Uint32Array ? new Uint32Array(length) : new Float64Array(length)
  for (let width = numbersAtOnce; width < length; width *= 2) {
    for (let start = 0; start < length; start += 2 * width)
      yield* mergeAscending(
        from.subarray(start, start + width),
        from.subarray(start + width, start + 2 * width),
        into.subarray(start, start + 2 * width),
        pace,
      )
    ;[from, into] = [into, from]
  }
  if (from !== numbers) numbers.set(from)
  return numbers
}

/** Merges two ascending arrays into a third, which has room for exactly both. */
export function* mergeAscending(a: Sortable, b: Sortable, into: Sortable, pace: Pace): Steps<void> {
  const merge = new Merge(a, b, into)
  while (!merge.advance()) if (pace.spend(numbersAtOnce * unitsToMerge)) yield
}

class Merge {
  readonly #a: Sortable
  readonly #b: Sortable
  readonly #into: Sortable
  #fromA = 0
  #fromB = 0

  constructor(a: Sortable, b: Sortable, into: Sortable) {
    this.#a = a
    this.#b = b
    this.#into = into
  }

  /** Merges the next numbers; returns whether all are merged. */
  advance(): boolean {
    const [a, b, into] = [this.#a, this.#b, this.#into]
    let [fromA, fromB] = [this.#fromA, this.#fromB]
    const end = Math.min(into.length, fromA + fromB + numbersAtOnce)
    for (let at = fromA + fromB; at < end; at++)
      into[at] = fromB === b.length || (fromA < a.length && a[fromA]! <= b[fromB]!) ? a[fromA++]! : b[fromB++]!
    this.#fromA = fromA
    this.#fromB = fromB
    return end === into.length
  }
}
