import { isDeepStrictEqual } from 'node:util'
import { fieldGroup, type Values } from '../truth.ts'
import type { Expected, ExpectedCatalogue } from './expected.ts'

/** A value in the catalogue that is not the one that was meant, or one that is missing though nothing was wrong with it. */
export interface Deviation {
  key: string
  field: string
  got: unknown
  expected: unknown
  lines: number[]
  /** What is wrong with these lines. */
  faults?: string[]
}

export interface RecordComparison {
  records: number
  values: number
  wrong: Deviation[]
  lost: Deviation[]
  /** Values that the specification lets the import leave out, and that are not there: by group of fields. */
  leftOut: Record<string, number>
  /** Values of which the catalogue cannot show whether they were left out. */
  unclear: Record<string, number>
}

/** What stands for a missing value in the catalogue. */
type Defaults = (values: Values) => Values

export const storeDefaults: Defaults = ({ domain }) => ({ name: domain, platform_plus: false })
export const contactDefaults: Defaults = () => ({ seniority: 'other' })

/** Compares record by record. What is left in `expected` afterwards is missing in the catalogue. */
export class Comparer {
  readonly result: RecordComparison = { records: 0, values: 0, wrong: [], lost: [], leftOut: {}, unclear: {} }
  readonly #expected: ExpectedCatalogue
  readonly #seen = new Set<Expected>()
  readonly #defaults: Defaults

  constructor(expected: ExpectedCatalogue, defaults: Defaults) {
    this.#expected = expected
    this.#defaults = defaults
  }

  compare(key: string, stored: Values): void {
    const expected = this.#expected.find(key, stored, (each) => !this.#seen.has(each))
    this.result.records++
    if (!expected) {
      const lines = this.#expected.find(key, stored)?.lines ?? []
      this.result.wrong.push({ key, field: '', got: stored, expected: undefined, lines })
      return
    }
    this.#seen.add(expected)
    const defaults = this.#defaults(expected.values)
    const [wanted, channels] = splitChannels({ ...defaults, ...expected.values })
    const [found, storedChannels] = splitChannels(stored)
    for (const field of new Set([...Object.keys(wanted), ...Object.keys(found)]))
      this.#compareValue(key, field, found[field], wanted[field], defaults[field], expected)
    for (const list of ['emails', 'phones'] as const)
      if (![...expected.open].some((field) => field.startsWith(list)))
        this.#compareChannels(key, list, storedChannels[list], channels[list], expected)
  }

  /** Records that had to be in the catalogue. */
  finish(): RecordComparison {
    for (const [key, expected] of this.#expected.entries()) {
      const { values, lines } = expected
      if (!this.#seen.has(expected)) this.result.lost.push({ key, field: '', got: undefined, expected: values, lines })
    }
    return this.result
  }

  #compareValue(
    key: string,
    field: string,
    got: unknown,
    wanted: unknown,
    missing: unknown,
    { optional, open, lines }: Expected,
  ): void {
    this.result.values++
    const group = fieldGroup(field)
    if (open.has(field)) {
      // The stored value does not say whether the open one was left out.
      addCount(this.result.unclear, group)
      return
    }
    if (optional.has(field) && isDeepStrictEqual(wanted, missing)) addCount(this.result.unclear, group)
    if (isDeepStrictEqual(got, wanted)) return
    if (!isDeepStrictEqual(got, missing)) this.result.wrong.push({ key, field, got, expected: wanted, lines })
    else if (optional.has(field)) addCount(this.result.leftOut, group)
    else this.result.lost.push({ key, field, got, expected: wanted, lines })
  }

  /** Items are told apart by their channel: an address or a number. */
  #compareChannels(key: string, list: 'emails' | 'phones', got: Item[], wanted: Item[], expected: Expected): void {
    const channel = list === 'emails' ? 'email' : 'phone'
    const { lines } = expected
    const order = wanted.map((item) => item.fields[channel])
    const places = got.map((item) => order.indexOf(item.fields[channel]))
    if (places.includes(-1) || places.some((place, index) => index > 0 && place <= places[index - 1]!)) {
      this.result.wrong.push({ key, field: list, got, expected: wanted, lines })
      return
    }
    for (const item of wanted) {
      const field = `${list}.${item.index}.`
      const stored = got.find(({ fields }) => fields[channel] === item.fields[channel])
      if (!stored) {
        this.#compareValue(key, `${field}${channel}`, undefined, item.fields[channel], undefined, expected)
        continue
      }
      for (const name of ['status', 'type'])
        if (list === 'emails' || name === 'type')
          this.#compareValue(
            key,
            `${field}${name}`,
            stored.fields[name],
            item.fields[name] ?? 'unknown',
            'unknown',
            expected,
          )
    }
    const primary = got.map(({ fields }) => fields.is_primary)
    if (
      got.length > 0 &&
      !isDeepStrictEqual(
        primary,
        got.map((_, index) => index === 0),
      )
    )
      this.result.wrong.push({ key, field: `${list}.is_primary`, got: primary, expected: 'the first', lines })
  }
}

interface Item {
  index: number
  fields: Values
}

function splitChannels(values: Values): [Values, Record<'emails' | 'phones', Item[]>] {
  const others: Values = {}
  const lists: Record<'emails' | 'phones', Item[]> = { emails: [], phones: [] }
  for (const [field, value] of Object.entries(values)) {
    const parts = /^(emails|phones)\.(\d+)\.(\w+)$/.exec(field)
    if (!parts) {
      others[field] = value
      continue
    }
    const list = lists[parts[1] as 'emails' | 'phones']
    const index = Number(parts[2])
    const item = list.find((each) => each.index === index) ?? { index, fields: {} }
    if (!list.includes(item)) list.push(item)
    item.fields[parts[3]!] = value
  }
  return [others, lists]
}

export function addCount(counts: Record<string, number>, name: string, by = 1): void {
  counts[name] = (counts[name] ?? 0) + by
}
