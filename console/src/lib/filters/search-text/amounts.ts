import type { TaxonomyNode } from '../taxonomy.ts'
import type { Token } from './tokens.ts'

/** A number or a range in words: `100k+`, `$1m to $10m`, `revenue over 1m`, `5 ads`. */
export interface Amount {
  /** How many words it takes. */
  length: number
  of: 'traffic' | 'revenue' | 'ads'
  /** From, and up to; both missing for an exact number. */
  low?: number
  high?: number
  exact?: number
}

const kinds: Record<string, Amount['of']> = {
  traffic: 'traffic',
  visits: 'traffic',
  visitors: 'traffic',
  revenue: 'revenue',
  sales: 'revenue',
  turnover: 'revenue',
  ads: 'ads',
}
const beforeLow = ['over', 'above', 'more than', 'at least', 'from', 'min', 'minimum', '>', '>=', '≥']
const beforeHigh = ['under', 'below', 'less than', 'up to', 'at most', 'max', 'maximum', '<', '<=', '≤']
const behindLow = ['+', 'and up', 'and more', 'or more', 'and above', 'or above']
const behindHigh = ['or less', 'and less', 'and below', 'or below']
const betweenBounds = ['to', '-', '–', 'and']
const currencies = ['usd', 'dollar', 'dollars', '$']
const units: Record<string, number> = {
  k: 1e3,
  thousand: 1e3,
  m: 1e6,
  mn: 1e6,
  mio: 1e6,
  million: 1e6,
  b: 1e9,
  bn: 1e9,
  billion: 1e9,
}

/** Below this a number without unit, sign or kind may be anything. */
const leastPlainNumber = 1_000

/** Reads an amount from here on. */
export function readAmount(tokens: readonly Token[], at: number): Amount | undefined {
  const words = new Words(tokens, at)
  const kindBefore = words.take(...Object.keys(kinds))
  if (kindBefore) words.take('of')
  const isLow = words.take(...beforeLow) !== undefined
  const isHigh = !isLow && words.take(...beforeHigh) !== undefined
  const isRange = words.take('between') !== undefined
  const first = words.takeNumber()
  if (!first) return undefined
  let { low, high } = first
  let exact = low === undefined && high === undefined ? first.value : undefined
  const place = words.place
  // `under 10k and 5 ads` are two conditions.
  const second = !isLow && !isHigh && words.take(...(isRange ? ['and', ...betweenBounds] : betweenBounds.slice(0, 3)))
  const last = second ? words.takeNumber() : undefined
  if (last && exact !== undefined) {
    // The unit of `10-50k` is said once.
    low = first.hasUnit || !last.hasUnit ? first.value : first.value * last.unit
    high = last.value
    exact = undefined
  } else words.place = place
  const isMoney = Boolean(first.isMoney || last?.isMoney || words.take(...currencies))
  if (exact !== undefined) {
    if (isLow || words.take(...behindLow)) low = exact
    else if (isHigh || words.take(...behindHigh)) high = exact
    if (low !== undefined || high !== undefined) exact = undefined
  }
  const kindBehind = kindBefore ?? takeKindBehind(words)
  if (kindBefore === undefined && kindBehind) words.takeAll('a', 'per', 'month', 'monthly')
  const of = kindBehind ? kinds[kindBehind]! : isMoney ? 'revenue' : 'traffic'
  const isPlain = !first.hasUnit && !last?.hasUnit && !isMoney && !kindBehind
  if ((isPlain && first.value < leastPlainNumber) || (isMoney && of !== 'revenue')) return undefined
  if (low !== undefined && high !== undefined && low >= high) return undefined
  return {
    length: words.place - at,
    of,
    ...(low !== undefined && { low }),
    ...(high !== undefined && { high }),
    ...(exact !== undefined && { exact }),
  }
}

/** The tiers that have a part of the amount. */
export function tiersOf(nodes: readonly TaxonomyNode[], { low = 0, high = Infinity, exact }: Amount): string[] {
  return nodes
    .filter(({ deprecated, min, max }) => {
      if (deprecated || (min == null && max == null)) return false
      const [from, to] = [min ?? 0, max ?? Infinity]
      return exact === undefined ? from < high && to > low : from <= exact && exact < to
    })
    .map(({ value }) => value)
}

function takeKindBehind(words: Words): string | undefined {
  const { place } = words
  words.takeAll('in', 'of', 'active', 'monthly')
  const kind = words.take(...Object.keys(kinds))
  if (!kind) words.place = place
  return kind
}

interface ReadNumber {
  value: number
  unit: number
  hasUnit: boolean
  isMoney: boolean
  low?: number
  high?: number
}

const numberPattern = /^([<>]=?|[≥≤])?(\$)?(\d[\d,]*(?:\.\d+)?)([a-z]*)(\$)?(\+)?$/i

/** A place in the words, moved on by what is taken. */
class Words {
  readonly #tokens: readonly Token[]
  place: number

  constructor(tokens: readonly Token[], place: number) {
    this.#tokens = tokens
    this.place = place
  }

  /** The one of these phrases that stands here; the longest. */
  take(...phrases: readonly string[]): string | undefined {
    const found = phrases
      .filter((phrase) => phrase.split(' ').every((word, index) => this.#text(this.place + index) === word))
      .sort((a, b) => b.length - a.length)[0]
    if (found !== undefined) this.place += found.split(' ').length
    return found
  }

  takeAll(...words: readonly string[]): void {
    while (this.take(...words) !== undefined);
  }

  takeNumber(): ReadNumber | undefined {
    const text = this.#text(this.place)
    if (text === undefined) return undefined
    // A sign in front of a number is none between two.
    const between = text.slice(1).search(/[-–_]/) + 1
    if (between > 0 && between < text.length - 1)
      return this.#takeRange(text.slice(0, between), text.slice(between + 1))
    const number = parseNumber(text)
    if (!number) return undefined
    this.place++
    const unit = number.hasUnit ? undefined : this.take(...Object.keys(units).filter((name) => name.length > 2))
    return unit ? { ...number, value: number.value * units[unit]!, unit: units[unit]!, hasUnit: true } : number
  }

  /** `10k-50k` in one word. */
  #takeRange(from: string, to: string): ReadNumber | undefined {
    const [first, last] = [parseNumber(from), parseNumber(to)]
    if (!first || !last || first.low !== undefined || last.low !== undefined) return undefined
    this.place++
    const low = first.hasUnit || !last.hasUnit ? first.value : first.value * last.unit
    return {
      ...last,
      hasUnit: first.hasUnit || last.hasUnit,
      isMoney: first.isMoney || last.isMoney,
      low,
      high: last.value,
    }
  }

  #text(place: number): string | undefined {
    const token = this.#tokens[place]
    return token?.mark ? undefined : token?.text.toLowerCase()
  }
}

function parseNumber(text: string): ReadNumber | undefined {
  const [, comparison, dollarBefore, digits, unitName = '', dollarBehind, plus] = numberPattern.exec(text) ?? []
  if (digits === undefined) return undefined
  const isUsd = unitName.toLowerCase() === 'usd'
  const unit = unitName === '' || isUsd ? 1 : units[unitName.toLowerCase()]
  if (unit === undefined) return undefined
  const value = Number(digits.replaceAll(',', '')) * unit
  if (!Number.isFinite(value)) return undefined
  return {
    value,
    unit,
    hasUnit: unit > 1,
    isMoney: Boolean(dollarBefore || dollarBehind || isUsd),
    ...((plus || comparison?.startsWith('>') || comparison === '≥') && { low: value }),
    ...((comparison?.startsWith('<') || comparison === '≤') && { high: value }),
  }
}
