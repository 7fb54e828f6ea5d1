import { entriesOf, type FilterFields, type FilterGroupName, type FilterName, type ValuesField } from '../fields.ts'
import type { Taxonomy } from '../taxonomy.ts'
import { type Token, toKey } from './tokens.ts'

/** One thing that words can mean: a value of a list, or a filter that is on. */
export interface Meaning {
  name: FilterName
  group: FilterGroupName
  label: string
  /** Values of the list with this label; null for a flag. */
  values: readonly string[] | null
}

/** Words for flags besides their labels. */
const flagWords: { readonly [Name in FilterName]?: readonly string[] } = {
  premium: ['plus', 'premium', 'platform plus', 'premium platform'],
  contactable: ['contactable', 'revealable'],
  email: ['email', 'emails', 'verified email', 'verified emails'],
  phone: ['phones', 'phone number'],
  profile: ['profiles'],
}

/** Words beside a value that say which list it is from: `klaviyo pixel`. The first one is written into a text. */
const listWords: { readonly [Name in FilterName]?: readonly string[] } = {
  countries: ['country', 'countries'],
  categories: ['category', 'categories'],
  apps: ['app', 'apps'],
  pixels: ['pixel', 'pixels'],
  themes: ['theme', 'themes'],
  roles: ['role', 'roles'],
  contact_roles: ['contact', 'contacts', 'role', 'roles'],
  seniority: ['seniority'],
}

/** Short names that everybody writes, by the country's code. */
const countryNames: Record<string, readonly string[]> = { US: ['usa', 'america'], GB: ['uk'], AE: ['uae'] }

/** Codes of countries that are words, or parts of names, when they are written in lower case. */
const codesThatAreWords = new Set(
  'ad ai al am an as at be by ca cc cd co do eh fm ga gg gs hm id il im in io is it la ma me ml mm mp ms mu my na no om or pa pm pr ps re sc sh sm so st tc td tm to tv va ws'.split(
    ' ',
  ),
)

/** The longest label has fewer words. */
const longestPhrase = 8

export interface FoundPhrase {
  /** How many words it takes. */
  length: number
  /** The first one is meant, unless the user chooses another. */
  meanings: readonly Meaning[]
}

/** Everything that words can mean in one search, by its key. Made once for each version of the taxonomy. */
export class Phrases {
  readonly #byKey = new Map<string, Meaning[]>()
  readonly #taxonomy: Taxonomy

  constructor(fields: FilterFields, taxonomy: Taxonomy) {
    this.#taxonomy = taxonomy
    for (const [name, field] of entriesOf(fields)) {
      if (field.kind === 'flag') {
        const meaning = { name, group: field.group, label: field.yes, values: null }
        for (const words of [field.yes, field.label, ...(flagWords[name] ?? [])]) this.#add(words, meaning)
      } else if (field.kind === 'values' && !field.match && !isTier(field)) this.#addList(name, field)
    }
  }

  /** All meanings, each once. */
  *meanings(): Iterable<Meaning> {
    yield* new Set([...this.#byKey.values()].flat())
  }

  /** The meaning of the words from here on; as many of them as possible. */
  find(tokens: readonly Token[], at: number): FoundPhrase | undefined {
    for (let length = Math.min(longestPhrase, tokens.length - at); length > 0; length--) {
      const words = tokens.slice(at, at + length)
      if (words[0]!.key === '' || words.at(-1)!.key === '' || words.slice(1).some(({ mark }) => mark)) continue
      const meanings = this.#lookUp(words.map(({ key }) => key).join(''), length === 1 ? words[0] : undefined)
      if (meanings) return this.#narrow(tokens, at, { length, meanings })
    }
    return this.#findBehindListWord(tokens, at)
  }

  /** Words that are read as this one meaning. */
  spell({ name, label }: Meaning): string {
    const words = label.replaceAll(/[\s,;/|]+/g, ' ')
    const isPlain = this.#byKey.get(toKey(label))?.[0]?.name === name
    return isPlain ? words : `${words} ${listWords[name]?.[0] ?? ''}`.trim()
  }

  #addList(name: FilterName, { group, list }: ValuesField): void {
    const nodes = this.#taxonomy.nodes(list).filter(({ deprecated }) => !deprecated)
    for (const { label } of nodes) {
      // Two values with one label are meant together: nothing tells them apart.
      const values = nodes.filter((node) => node.label === label).map(({ value }) => value)
      const meaning = { name, group, label, values }
      this.#add(label, meaning)
      this.#add(label.replaceAll(/ & | and /g, ' '), meaning)
      this.#add(label.replaceAll(' & ', ' and '), meaning)
      for (const value of values) {
        const names = list === 'countries' ? (countryNames[value] ?? []) : [value]
        for (const words of names) this.#add(words, meaning)
      }
    }
  }

  #add(words: string, meaning: Meaning): void {
    const key = toKey(words)
    const known = this.#byKey.get(key) ?? []
    if (key === '' || known.some(({ name, label }) => name === meaning.name && label === meaning.label)) return
    this.#byKey.set(key, [...known, meaning])
  }

  #lookUp(key: string, word: Token | undefined): readonly Meaning[] | undefined {
    const found = this.#byKey.get(key)
    if (found) return found
    const country = word && this.#countryByCode(word)
    if (country) return [country]
    // One or many: `founders`, `candle`.
    if (key.length < 4) return undefined
    return this.#byKey.get(key.replace(/s$/, '')) ?? this.#byKey.get(`${key}s`)
  }

  #countryByCode({ text }: Token): Meaning | undefined {
    if (!/^[a-z]{2}$/i.test(text) || codesThatAreWords.has(text)) return undefined
    const country = this.#taxonomy.find('countries', text.toUpperCase())
    return country && this.#byKey.get(toKey(country.label))?.find(({ name }) => name === 'countries')
  }

  /** `klaviyo pixel`: the word behind decides between several meanings. */
  #narrow(tokens: readonly Token[], at: number, found: FoundPhrase): FoundPhrase {
    const meanings = this.#inList(found.meanings, tokens[at + found.length])
    return meanings ? { length: found.length + 1, meanings } : found
  }

  /** `role marketing`: the word in front decides. */
  #findBehindListWord(tokens: readonly Token[], at: number): FoundPhrase | undefined {
    const following = isListWord(tokens[at]) && at + 1 < tokens.length ? this.find(tokens, at + 1) : undefined
    const meanings = following && this.#inList(following.meanings, tokens[at])
    return meanings && { length: following.length + 1, meanings }
  }

  #inList(meanings: readonly Meaning[], word: Token | undefined): readonly Meaning[] | undefined {
    if (!word || word.mark) return undefined
    const kept = meanings.filter(({ name }) => listWords[name]?.includes(word.key))
    return kept.length > 0 ? kept : undefined
  }
}

function isListWord(token: Token | undefined): boolean {
  return token !== undefined && Object.values(listWords).some((words) => words.includes(token.key))
}

function isTier({ list }: ValuesField): boolean {
  return list === 'traffic_tiers' || list === 'revenue_tiers'
}
