/** Faults of booleans and countries. */
import { readFacet } from '../../../catalogue/build/taxonomy/files.ts'
import { type CellFault, fault, replacedBy } from './fault.ts'
import { lettersOf, misspell, spacesAround, wordsForNothing } from './text.ts'

const spellingsOfTrue = ['TRUE', 'True', 'yes', 'Yes', 'YES', '1']
const spellingsOfFalse = ['FALSE', 'False', 'no', 'No', 'NO', '0']

export const booleanFaults: readonly CellFault[] = [
  fault('boolean in words and digits', 0.6, 'clean', (_cell, { value, random }) =>
    random.pick(value ? spellingsOfTrue : spellingsOfFalse),
  ),
  fault('boolean in letters', 0.02, 'clean or drop', (_cell, { value, random }) =>
    random.pick(value ? ['Y', 'y', 't', 'x'] : ['N', 'n', 'f']),
  ),
  spacesAround(0.03),
  ...wordsForNothing(0.02),
  replacedBy('not a boolean', 0.01, 'drop', ['maybe', '2', 'see notes', '?!']),
]

/** Alpha-3 codes and English names besides the label, of the countries that most stores are in. */
const commonCountries: Record<string, { alpha3: string; names: string[] }> = {
  US: { alpha3: 'USA', names: ['USA', 'United States', 'United States of America', 'usa'] },
  GB: { alpha3: 'GBR', names: ['UK', 'United Kingdom', 'Great Britain', 'uk'] },
  DE: { alpha3: 'DEU', names: ['Germany'] },
  FR: { alpha3: 'FRA', names: ['France'] },
  AU: { alpha3: 'AUS', names: ['Australia'] },
  CA: { alpha3: 'CAN', names: ['Canada'] },
  NL: { alpha3: 'NLD', names: ['Netherlands'] },
  ES: { alpha3: 'ESP', names: ['Spain'] },
  IT: { alpha3: 'ITA', names: ['Italy'] },
  SE: { alpha3: 'SWE', names: ['Sweden'] },
  CH: { alpha3: 'CHE', names: ['Switzerland'] },
  AT: { alpha3: 'AUT', names: ['Austria'] },
  PL: { alpha3: 'POL', names: ['Poland'] },
  DK: { alpha3: 'DNK', names: ['Denmark'] },
  JP: { alpha3: 'JPN', names: ['Japan'] },
  BR: { alpha3: 'BRA', names: ['Brazil'] },
  CZ: { alpha3: 'CZE', names: ['Czechia', 'Czech Republic'] },
  KR: { alpha3: 'KOR', names: ['South Korea'] },
}

const countryLabels = new Map(readFacet('countries').map(({ value, label }) => [value, label]))
/** Of every country also its names in other languages: Andora is Andorra in Polish, and not misspelt. */
const languages = 'bg cs da de el es et fi fr hr hu it lt lv nb nl pl pt ro sk sl sv tr'.split(' ')
const knownCountries = new Set(
  [
    ...[...countryLabels].flat(),
    ...Object.values(commonCountries).flatMap(({ alpha3, names }) => [alpha3, ...names]),
    ...languages.flatMap((language) => {
      const names = new Intl.DisplayNames([language], { type: 'region' })
      return [...countryLabels.keys()].map((code) => names.of(code)!)
    }),
  ].map(lettersOf),
)

export const countryFaults: readonly CellFault[] = [
  fault('country by English name', 0.2, 'clean', (_cell, { value, random }) => {
    const names = commonCountries[value as string]?.names ?? [countryLabels.get(value as string)!]
    const name = random.pick(names)
    return random.pick([name, name, name.toUpperCase(), name.toLowerCase()])
  }),
  fault('alpha-3', 0.08, 'clean', (_cell, { value, random }) => {
    const code = commonCountries[value as string]?.alpha3
    return code ? random.pick([code, code, code.toLowerCase()]) : null
  }),
  fault('lower case', 0.05, 'clean', (cell) => cell.toLowerCase()),
  spacesAround(0.06),
  breakAfter(0.002),
  ...wordsForNothing(0.03),
  fault('misspelt country', 0.01, 'drop', (_cell, { value, random }) =>
    misspell(countryLabels.get(value as string)!, knownCountries, random.below(1_000)),
  ),
  fault('country with dots, or in its own language', 0.005, 'clean or drop', (_cell, { value }) => {
    const others: Record<string, string> = { US: 'U.S.A.', GB: 'U.K.', DE: 'Deutschland', ES: 'España', IT: 'Italia' }
    return others[value as string] ?? null
  }),
  replacedBy('no country', 0.008, 'drop', ['Europe', 'Worldwide', 'DE/AT', 'EU', 'XX', '+49', 'ZZZ', 'unknown']),
]

function breakAfter(probability: number): CellFault {
  return fault('line break at the end', probability, 'clean', (cell) => `${cell}\r\n`)
}
