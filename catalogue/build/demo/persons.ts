import { allLocales, Faker } from '@faker-js/faker'
import type { Random, Weighted } from '../random.ts'

export interface DemoPerson {
  firstName: string
  lastName: string
  /** As people write it where the names stand in the other order, or without a space. */
  fullName: string | null
  /** Both names in ASCII, as in an address. */
  latin: { first: string; last: string }
  language: string
}

/** People with names of one locale of faker. */
interface People {
  locale: keyof typeof allLocales
  language: string
  /** What stands after the family name where that comes first. */
  joint?: string
}

const english = (locale: People['locale']): People => ({ locale, language: 'en' })
const american = english('en_US')
const german: People = { locale: 'de', language: 'de' }
const french: People = { locale: 'fr', language: 'fr' }
const italian: People = { locale: 'it', language: 'it' }
const dutch: People = { locale: 'nl', language: 'nl' }
const danish: People = { locale: 'da', language: 'da' }
const greek: People = { locale: 'el', language: 'el' }
const arabic: People = { locale: 'ar', language: 'ar' }
const turkish: People = { locale: 'tr', language: 'tr' }
const mexican: People = { locale: 'es_MX', language: 'es' }
const indian = english('en_IN')
const russian: People = { locale: 'ru', language: 'ru' }
const vietnamese: People = { locale: 'vi', language: 'vi', joint: ' ' }
const taiwanese: People = { locale: 'zh_TW', language: 'zh_TW', joint: '' }

/** Names by country, the most frequent first. People of other countries have English names. */
const peopleByCountry: Record<string, People[]> = {
  US: [american, { ...mexican, language: 'en' }, { ...vietnamese, language: 'en' }, indian],
  GB: [english('en_GB'), indian],
  CA: [english('en_CA'), french],
  AU: [english('en_AU'), { ...vietnamese, language: 'en' }],
  DE: [german, turkish],
  AT: [{ locale: 'de_AT', language: 'de' }],
  CH: [{ locale: 'de_CH', language: 'de' }, { locale: 'fr_CH', language: 'fr' }, italian],
  FR: [french, vietnamese],
  BE: [{ locale: 'nl_BE', language: 'nl' }, french],
  NL: [dutch, turkish],
  IT: [italian],
  ES: [{ locale: 'es', language: 'es' }],
  MX: [mexican],
  CO: [mexican],
  CL: [mexican],
  PT: [{ locale: 'pt_PT', language: 'pt' }],
  BR: [{ locale: 'pt_BR', language: 'pt' }],
  DK: [danish],
  SE: [{ locale: 'sv', language: 'sv' }],
  NO: [{ locale: 'nb_NO', language: 'nb' }],
  FI: [{ locale: 'fi', language: 'fi' }],
  PL: [{ locale: 'pl', language: 'pl' }],
  CZ: [{ locale: 'cs_CZ', language: 'cs' }],
  HU: [{ locale: 'hu', language: 'hu', joint: ' ' }],
  RO: [{ locale: 'ro', language: 'ro' }],
  GR: [greek],
  CY: [greek],
  UA: [{ locale: 'uk', language: 'uk' }, russian],
  TR: [turkish],
  IL: [{ locale: 'he', language: 'he' }, russian],
  AE: [arabic, indian],
  SA: [arabic],
  EG: [arabic],
  // Devanagari is there for Nepal only; such names are at home in India too.
  IN: [indian, { locale: 'ne', language: 'hi' }],
  JP: [{ locale: 'ja', language: 'ja', joint: ' ' }],
  KR: [{ locale: 'ko', language: 'ko', joint: '' }],
  CN: [{ locale: 'zh_CN', language: 'zh', joint: '' }],
  TW: [taiwanese],
  HK: [taiwanese, english('en_HK')],
  TH: [{ locale: 'th', language: 'th' }],
  ID: [{ locale: 'id_ID', language: 'id' }],
  ZA: [english('en_ZA')],
  NA: [english('en_ZA')],
  IE: [english('en_IE')],
}

const choicesByCountry = new Map(Object.entries(peopleByCountry).map(([country, people]) => [country, skewed(people)]))

/** Generates names from faker's lists with one random number generator. */
export class PersonGenerator {
  readonly #random: Random
  readonly #fakers = new Map<string, Faker>()

  constructor(random: Random) {
    this.#random = random
  }

  make(country: string | null): DemoPerson {
    const choices = choicesByCountry.get(country ?? '')
    const { locale, language, joint } = choices ? this.#random.weighted(choices) : american
    const { person } = this.#fakerOf(locale)
    const sex = person.sexType()
    const firstName = person.firstName(sex)
    const lastName = person.lastName(sex)
    return {
      firstName,
      lastName,
      fullName: joint === undefined ? null : `${lastName}${joint}${firstName}`,
      latin: {
        first: transliterate(firstName) ?? this.#alias('first'),
        last: transliterate(lastName) ?? this.#alias('last'),
      },
      language,
    }
  }

  /** Where letters have no ASCII counterpart, people take another name for their addresses. */
  #alias(which: 'first' | 'last'): string {
    const { person } = this.#fakerOf('en')
    return transliterate(which === 'first' ? person.firstName() : person.lastName())!
  }

  #fakerOf(locale: keyof typeof allLocales): Faker {
    let faker = this.#fakers.get(locale)
    if (!faker) {
      const randomizer = { next: () => this.#random.fraction(), seed: () => {} }
      faker = new Faker({ locale: [allLocales[locale], allLocales.en], randomizer })
      this.#fakers.set(locale, faker)
    }
    return faker
  }
}

/** The first is eight times as likely as all others together. */
function skewed(people: People[]): Weighted<People>[] {
  return people.map((value, index) => ({ value, weight: index === 0 ? 8 * Math.max(1, people.length - 1) : 1 }))
}

/** Letters that do not decompose into a Latin letter and a mark, with their transliteration. */
const letters = new Map([
  ...pairs('ßæœøłđðþı', 'ss ae oe o l d d th i'),
  ...pairs('αβγδεζηθικλμνξοπρσςτυφχψω', 'a v g d e z i th i k l m n x o p r s s t y f ch ps o'),
  ...pairs('абвгґдеєжзиіклмнопрстуфхцчшщ', 'a b v h g d e ie zh z y i k l m n o p r s t u f kh ts ch sh shch'),
  ...pairs('ыэюя', 'y e iu ia'),
])

function pairs(from: string, to: string): [letter: string, latin: string][] {
  const latin = to.split(' ')
  return [...from].map((letter, index) => [letter, latin[index]!])
}

/**
 * A name in lower-case ASCII with hyphens, as in an email address; null when its letters cannot be transliterated one by
 * one.
 */
function transliterate(name: string): string | null {
  const bare = name
    .normalize('NFD')
    .toLowerCase()
    .replace(/[\p{Mark}'’ʼьъ]/gu, '')
  const latin = bare.replace(/\p{Letter}/gu, (letter) => letters.get(letter) ?? letter).replace(/[\s.-]+/g, '-')
  return /^[a-z]+(-[a-z]+)*$/.test(latin) ? latin : null
}
