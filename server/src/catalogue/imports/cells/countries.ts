import countries from 'i18n-iso-countries'
import english from 'i18n-iso-countries/langs/en.json' with { type: 'json' }
import { nearestTexts } from '../../../foundation/kernel/similarity.ts'

countries.registerLocale(english)

/** Names in use that the list of ISO names does not have. */
const otherNames: Record<string, string> = {
  england: 'GB',
  scotland: 'GB',
  wales: 'GB',
  'northern ireland': 'GB',
  britain: 'GB',
  holland: 'NL',
  'viet nam': 'VN',
  macau: 'MO',
  burma: 'MM',
  swaziland: 'SZ',
  'republic of korea': 'KR',
  'russian federation': 'RU',
}

/** Languages whose own names of their countries are understood too: `Deutschland`, `España`. */
const ownNames = byOwnName(['de', 'fr', 'es', 'it', 'nl', 'pt', 'pl', 'sv', 'da', 'nb', 'fi', 'cs', 'hu'])

/** The ISO 3166-1 alpha-2 code of a country by its English name, its alpha-3 code, or as people write it (UK, U.S.A.). */
export function findCountry(text: string): string | undefined {
  const name = text.normalize('NFKC').replace(/\./g, '').replace(/\s+/g, ' ').replace(/^the /i, '').trim().toLowerCase()
  if (/^[a-z]{3}$/.test(name)) return countries.alpha3ToAlpha2(name.toUpperCase()) ?? shortNames[name]
  return shortNames[name] ?? otherNames[name] ?? countries.getAlpha2Code(name, 'en') ?? ownNames.get(name) ?? undefined
}

/** Codes of the countries whose names are most similar to a text, nearest first. */
export function nearestCountries(text: string): string[] {
  nearNames ??= new Map([
    ...ownNames,
    ...Object.entries(countries.getNames('en')).map(([code, name]) => [name.toLowerCase(), code] as const),
  ])
  return [...new Set(nearestTexts([...nearNames.keys()], text, misspelt).map((name) => nearNames!.get(name)!))]
}

/** A name of another country is no help. */
const misspelt = 0.3

let nearNames: Map<string, string> | undefined

const shortNames: Record<string, string> = { uk: 'GB', us: 'US', uae: 'AE' }

/** Each country under the name that its own languages give it; names that two countries share are left out. */
function byOwnName(languages: readonly string[]): Map<string, string> {
  const names = new Map<string, string | null>()
  for (const language of languages) {
    const display = new Intl.DisplayNames([language], { type: 'region', fallback: 'none' })
    for (const code of Object.keys(countries.getAlpha2Codes())) {
      const name = display.of(code)?.toLowerCase()
      if (name !== undefined) names.set(name, (names.get(name) ?? code) === code ? code : null)
    }
  }
  return new Map([...names].flatMap(([name, code]) => (code === null ? [] : [[name, code] as const])))
}
