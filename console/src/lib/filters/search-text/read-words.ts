import { toHost } from '../domains.ts'
import { type FilterFields, type FilterName, maxListValues } from '../fields.ts'
import type { Taxonomy } from '../taxonomy.ts'
import { type Filters, listOf, withFilter } from '../url.ts'
import { type Amount, readAmount, tiersOf } from './amounts.ts'
import { findNearest } from './nearest.ts'
import { type Meaning, Phrases } from './phrases.ts'
import { splitWords, type Token } from './tokens.ts'

/**
 * Turns words into filters: `klaviyo not yotpo germany 100k+`. The grammar:
 *
 *     text      = { filler | [negation] condition | unknown }
 *     negation  = "not" | "no" | "without" | … | "-" in front of a word
 *     condition = label or value of the taxonomy | flag | amount | domain (contacts only)
 *
 * The longest label that fits is taken. Nothing is dropped: a word without a meaning comes back as unknown, with what it could be.
 */
export interface WordsReading {
  /** The filters with everything that was understood. */
  filters: Filters
  /** The part that was understood. */
  understood: Filters
  unknown: readonly UnknownWords[]
  /** Other readings of words with several meanings. */
  others: readonly Offer[]
}

interface UnknownWords {
  text: string
  /** Why they are not taken, where they are known. */
  reason?: string
  offers: readonly Offer[]
}

/** Words to put in place of others. */
export interface Offer {
  /** The words that it is for. */
  of: string
  /** The meaning instead, such as `not Yotpo`, and its group. */
  label: string
  group: string
  /** The whole text with it. */
  text: string
}

const negations = new Set('not no without except excluding minus non doesnt dont never lacking'.split(' '))
const fillers = new Set(
  `a all an and any are at based but by do does find for from has have having i in is it me of on or our per run running sell
  selling shop shops show site sites store stores that the their they to use used uses using want we which who whose with`.split(
    /\s+/,
  ),
)
const contactFillers = new Set(['people', 'person', 'persons', 'contact', 'contacts', 'somebody', 'everybody'])

/** Texts are longer than this only by mistake. */
const longestText = 500

export function readWords(fields: FilterFields, filters: Filters, taxonomy: Taxonomy, text: string): WordsReading {
  const reader = new Reader(fields, filters, taxonomy, text)
  reader.read()
  return {
    filters: reader.addTo(filters),
    understood: reader.addTo({}),
    unknown: reader.unknown,
    others: reader.others,
  }
}

/** A text without the words that were understood. */
export function unknownText({ unknown }: WordsReading): string {
  return unknown.map(({ text }) => text).join(' ')
}

type Match = 'any' | 'all' | 'none'

interface Condition {
  name: FilterName
  /** Values of a list, or what a flag or number is set to. */
  value: readonly string[] | boolean | number
  amount?: Amount
}

class Reader {
  readonly unknown: UnknownWords[] = []
  readonly others: Offer[] = []
  readonly #conditions: Condition[] = []
  readonly #filters: Filters
  readonly #text: string
  readonly #tokens: Token[]
  readonly #phrases: Phrases
  readonly #taxonomy: Taxonomy
  readonly #isContacts: boolean
  #at = 0
  /** Where the words begin that deny what follows. */
  #negatedFrom: number | undefined
  #connector: 'and' | 'or' | undefined
  /** The words directly before. */
  #last: { condition: Condition; list: 'apps' | 'pixels'; match: Match } | undefined

  constructor(fields: FilterFields, filters: Filters, taxonomy: Taxonomy, text: string) {
    this.#filters = filters
    this.#text = text.slice(0, longestText)
    this.#tokens = splitWords(this.#text)
    this.#taxonomy = taxonomy
    this.#isContacts = 'domains' in fields
    this.#phrases = phrasesOf(fields, taxonomy)
  }

  read(): void {
    while (this.#at < this.#tokens.length) this.#readNext()
    if (this.#negatedFrom !== undefined) this.#refuse(this.#tokens.length, 'Say what to leave out.')
  }

  addTo(filters: Filters): Filters {
    let next = filters
    for (const { name, value } of this.#conditions) {
      if (typeof value !== 'object') {
        next = withFilter(next, name, value)
        continue
      }
      for (const other of rivalsOf(name))
        next = withFilter(
          next,
          other,
          listOf(next, other).filter((each) => !value.includes(each)),
        )
      next = withFilter(next, name, [...new Set([...listOf(next, name), ...value])].slice(0, maxListValues))
    }
    return next
  }

  #readNext(): void {
    const token = this.#tokens[this.#at]!
    const amount = readAmount(this.#tokens, this.#at)
    const phrase = this.#phrases.find(this.#tokens, this.#at)
    if (phrase && phrase.length > (amount?.length ?? 0) && !this.#isNegation(token)) {
      if (token.mark === '-') this.#negatedFrom ??= this.#at
      this.#takePhrase(phrase.length, phrase.meanings, token.mark === '+')
    } else if (amount) this.#takeAmount(amount)
    else if (this.#isNegation(token)) {
      this.#negatedFrom ??= this.#at
      this.#at++
    } else if (isFiller(token, this.#isContacts)) {
      this.#connector = token.key === 'or' || token.key === 'nor' ? 'or' : isAnd(token) ? 'and' : this.#connector
      this.#at++
    } else this.#takeUnknown(token)
  }

  /** `NO` is Norway where nothing follows that can be denied. */
  #isNegation(token: Token): boolean {
    if (token.text === '-' || token.text === '–') return true
    if (!negations.has(token.key) || token.mark) return false
    if (token.text !== 'NO') return true
    let next = this.#at + 1
    while (next < this.#tokens.length && isFiller(this.#tokens[next]!, this.#isContacts)) next++
    const following = this.#phrases.find(this.#tokens, next)?.meanings[0]
    return following !== undefined && canBeDenied(following)
  }

  #takePhrase(length: number, meanings: readonly Meaning[], isDemanded: boolean): void {
    const isDenied = this.#negatedFrom !== undefined || this.#isDeniedTogether(meanings[0]!)
    const [meaning, ...others] = isDenied && meanings.some(canBeDenied) ? meanings.filter(canBeDenied) : meanings
    if (!meaning) return
    const end = this.#at + length
    if (isDenied && !canBeDenied(meaning)) {
      const offers = [this.#offer(meaning, this.#start, end)]
      this.#refuse(end, `${meaning.label} cannot be left out, only chosen.`, offers)
      return
    }
    if (meaning.values && this.#isFull(meaning.name, meaning.values)) {
      this.#refuse(end, `A search takes ${maxListValues} values of one kind.`)
      return
    }
    const words = this.#textOf(this.#at, end)
    for (const other of others) this.others.push({ ...this.#offer(other, this.#at, end), of: words })
    if (meaning.values === null) this.#add({ name: meaning.name, value: !isDenied })
    else this.#takeValues(meaning.name, meaning.values, isDenied, isDemanded)
    this.#goTo(end)
  }

  #takeValues(name: FilterName, values: readonly string[], isDenied: boolean, isDemanded: boolean): void {
    if (name !== 'apps' && name !== 'pixels') {
      this.#add({ name, value: values })
      return
    }
    const last = this.#last?.list === name ? this.#last : undefined
    // "klaviyo and yotpo" are wanted together.
    const isTogether = this.#connector === 'and' && last !== undefined && last.match !== 'none' && !isDenied
    if (isTogether && last.match === 'any') last.condition.name = `${name}_all`
    const match: Match = isDenied ? 'none' : isDemanded || isTogether ? 'all' : 'any'
    const condition: Condition = { name: match === 'any' ? name : `${name}_${match}`, value: values }
    this.#add(condition)
    this.#last = { condition, list: name, match }
  }

  /** "not yotpo or loox" leaves out both. */
  #isDeniedTogether(meaning: Meaning): boolean {
    return this.#connector !== undefined && this.#last?.match === 'none' && this.#last.list === meaning.name
  }

  #takeAmount(amount: Amount): void {
    const end = this.#at + amount.length
    const condition = amount.of === 'ads' ? adsCondition(amount) : this.#tierCondition(amount, amount.of)
    if (this.#negatedFrom !== undefined) this.#refuse(end, 'A number cannot be left out; say it as a range.')
    else if (typeof condition === 'string') this.#refuse(end, condition)
    else {
      this.#add(condition)
      this.#goTo(end)
    }
  }

  /** The condition, or why there is none. */
  #tierCondition(amount: Amount, of: 'traffic' | 'revenue'): Condition | string {
    const bounds = this.#withOtherBound(amount)
    const value = tiersOf(this.#taxonomy.nodes(`${of}_tiers`), bounds)
    if (value.length === 0) return 'There is no tier for it.'
    if (bounds !== amount) this.#conditions.pop()
    return { name: of, value, amount: bounds }
  }

  /** "over 10k under 1m" are the two bounds of one range. */
  #withOtherBound(amount: Amount): Amount {
    const before = this.#conditions.at(-1)
    const [a, b] = [before?.amount, amount]
    if (a?.of !== b.of) return amount
    const low = a.high === undefined ? a.low : b.high === undefined ? b.low : undefined
    const high = a.low === undefined ? a.high : b.low === undefined ? b.high : undefined
    if (low === undefined || high === undefined || low >= high) return amount
    return { of: b.of, length: b.length, low, high }
  }

  #takeUnknown(token: Token): void {
    const host = this.#isContacts && !token.mark && this.#negatedFrom === undefined ? toHost(token.text) : null
    if (host) {
      this.#add({ name: 'domains', value: [host] })
      this.#goTo(this.#at + 1)
      return
    }
    const end = this.#at + 1
    if (token.mark === '-') this.#negatedFrom ??= this.#at
    const isDenied = this.#negatedFrom !== undefined
    const nearest = findNearest(this.#phrases, token.text).filter((meaning) => !isDenied || canBeDenied(meaning))
    this.#refuse(
      end,
      undefined,
      nearest.map((meaning) => this.#offer(meaning, this.#start, end, isDenied)),
    )
  }

  #refuse(end: number, reason?: string, offers: readonly Offer[] = []): void {
    this.unknown.push({ text: this.#textOf(this.#start, end), offers, ...(reason && { reason }) })
    this.#last = undefined
    this.#goTo(end)
  }

  #offer(meaning: Meaning, start: number, end: number, isDenied = false): Offer {
    const words = `${isDenied ? 'not ' : ''}${this.#phrases.spell(meaning)}`
    const before = this.#text.slice(0, this.#tokens[start]!.start)
    const behind = this.#text.slice(this.#tokens[end - 1]!.end)
    return {
      of: this.#textOf(start, end),
      label: `${isDenied ? 'not ' : ''}${meaning.label}`,
      group: meaning.group,
      text: `${before}${words}${behind || ' '}`,
    }
  }

  #isFull(name: FilterName, values: readonly string[]): boolean {
    return new Set([...listOf(this.addTo(this.#filters), name), ...values]).size > maxListValues
  }

  #add(condition: Condition): void {
    this.#conditions.push(condition)
  }

  get #start(): number {
    return this.#negatedFrom ?? this.#at
  }

  #textOf(start: number, end: number): string {
    return this.#text.slice(this.#tokens[start]!.start, this.#tokens[end - 1]!.end)
  }

  #goTo(place: number): void {
    if (this.#last && this.#conditions.at(-1) !== this.#last.condition) this.#last = undefined
    this.#at = place
    this.#negatedFrom = undefined
    this.#connector = undefined
  }
}

/** There is a filter for the least number only. */
function adsCondition({ exact, low = exact, high }: Amount): Condition | string {
  if (low === undefined || low < 1 || high !== undefined) return 'Active ads can be searched by their least number.'
  return { name: 'ads', value: Math.min(100_000, Math.round(low)) }
}

function canBeDenied({ name, values }: Meaning): boolean {
  return values === null || name === 'apps' || name === 'pixels'
}

/** A value stands in one of the three lists of a technology. */
function rivalsOf(name: FilterName): FilterName[] {
  const list = /^(apps|pixels)(_|$)/.exec(name)?.[1] as 'apps' | 'pixels' | undefined
  return list ? ([list, `${list}_all`, `${list}_none`] as const).filter((other) => other !== name) : []
}

function isAnd({ key, text }: Token): boolean {
  return key === 'and' || text === '&' || text === '+'
}

function isFiller({ key, text, mark }: Token, isContacts: boolean): boolean {
  if (mark) return false
  // Signs between words say nothing.
  if (key === '') return !/[<>≤≥$]/.test(text)
  return (
    key === 'nor' || fillers.has(key) || key === 'month' || key === 'monthly' || (isContacts && contactFillers.has(key))
  )
}

const known = new WeakMap<Taxonomy, Map<FilterFields, Phrases>>()

function phrasesOf(fields: FilterFields, taxonomy: Taxonomy): Phrases {
  const ofTaxonomy = known.get(taxonomy) ?? new Map<FilterFields, Phrases>()
  known.set(taxonomy, ofTaxonomy)
  const phrases = ofTaxonomy.get(fields) ?? new Phrases(fields, taxonomy)
  ofTaxonomy.set(fields, phrases)
  return phrases
}
