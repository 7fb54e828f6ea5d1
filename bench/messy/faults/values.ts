/** Faults of numbers, booleans, dates and countries. */
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

/** Faults of numbers; the decimal comma is one only where the file does not have it. */
export const scoreFaults: readonly CellFault[] = [
  fault('trailing zeros', 0.05, 'clean', (cell, { dialect }) =>
    cell.includes(dialect.decimal) ? `${cell}0` : `${cell}${dialect.decimal}00`,
  ),
  fault('decimal comma in a file with commas or tabs', 0.02, 'drop', (cell, { dialect }) => {
    if (dialect.decimal === ',' || !cell.includes('.')) return null
    return { cell: cell.replace('.', ','), must: dialect.delimiter === ',' ? 'drop' : 'clean or drop' }
  }),
  fault('decimal point in a file with decimal commas', 0.02, 'clean or drop', (cell, { dialect }) =>
    dialect.decimal === ',' && cell.includes(',') ? cell.replace(',', '.') : null,
  ),
  spacesAround(0.03),
  ...wordsForNothing(0.03),
  replacedBy('not a number', 0.01, 'drop', ['high', '~70', '70-80', '71.5.2', 'A+', '70 of 100', 'NaN', 'Infinity']),
]

export const countFaults: readonly CellFault[] = [
  fault('whole number with decimals', 0.03, 'clean or drop', (cell, { dialect }) => `${cell}${dialect.decimal}0`),
  fault('thousands separator', 0.8, 'clean or drop', (cell, { dialect }) =>
    cell.length > 3 ? cell.replace(/(\d)(\d{3})$/, dialect.decimal === ',' ? '$1.$2' : '$1,$2') : null,
  ),
  spacesAround(0.03),
  ...wordsForNothing(0.03),
  fault('not a count', 0.01, 'drop', (cell, { random, dialect }) =>
    random.pick([`${cell} ads`, '-3', `12${dialect.decimal}5`, 'many', '12-15', '99999999999']),
  ),
]

const twoDigits = (number: number) => String(number).padStart(2, '0')
const monthNames = 'January February March April May June July August September October November December'.split(' ')

/** Days since the moment from which spreadsheets count. */
function serialOf(date: Date): number {
  return Math.round((date.getTime() - Date.UTC(1899, 11, 30)) / 86_400_000)
}

/** Faults of dates; every clean date is the first moment of a day. `--dates` decides what 03/04/2021 means. */
export const dateFaults: readonly CellFault[] = [
  dated('plain date', 0.3, 'clean', (date) => date.toISOString().slice(0, 10)),
  dated(
    'another offset',
    0.03,
    'clean',
    (date) => `${new Date(date.getTime() + 7_200_000).toISOString().slice(0, 19)}+02:00`,
  ),
  dated('day and month with slashes', 0.01, 'drop', (date) => `${dayMonth(date, '/')}`, true),
  dated('day and month with dots', 0.01, 'drop', (date) => `${dayMonth(date, '.')}`, true),
  dated(
    'day and month without zeros',
    0.005,
    'drop',
    (date) => `${date.getUTCDate()}.${date.getUTCMonth() + 1}.${date.getUTCFullYear()}`,
    true,
  ),
  dated('serial number of a spreadsheet', 0.01, 'drop', (date) => String(serialOf(date))),
  dated('time without an offset', 0.01, 'clean or drop', (date) => `${date.toISOString().slice(0, 10)} 00:00:00`),
  dated(
    'month by name',
    0.005,
    'clean or drop',
    (date) => `${date.getUTCDate()} ${monthNames[date.getUTCMonth()]} ${date.getUTCFullYear()}`,
  ),
  replacedBy('no such date', 0.004, 'drop', ['2019-02-30', '2021-13-01', '31/31/2021', '2019-00-10']),
  replacedBy('zero date of MySQL', 0.002, 'missing or drop', ['0000-00-00', '0000-00-00 00:00:00']),
  replacedBy('not a date', 0.005, 'drop', ['last year', 'Q3 2019', 'soon', '20190', 'early 2019', '########']),
  spacesAround(0.02),
  ...wordsForNothing(0.03),
]

function dated(
  name: string,
  probability: number,
  must: CellFault['must'],
  write: (date: Date) => string,
  needsFlag = false,
): CellFault {
  return fault(name, probability, must, (_cell, { value, dialect }) => ({
    cell: write(new Date(value as string)),
    must: needsFlag && dialect.dates === 'dmy' ? 'clean' : must,
  }))
}

function dayMonth(date: Date, separator: string): string {
  return [twoDigits(date.getUTCDate()), twoDigits(date.getUTCMonth() + 1), date.getUTCFullYear()].join(separator)
}

/** A clean date as a program of the dialect writes it. */
export function writeDate(value: unknown, { dates }: { dates: 'iso' | 'dmy' }): string {
  return dates === 'iso' ? (value as string) : dayMonth(new Date(value as string), '.')
}

/** A year alone is its first moment, with resolution year. */
export const yearAlone: CellFault = fault('year alone', 0.04, 'clean', (_cell, { value, random }) => {
  const year = (value as string).slice(0, 4)
  return {
    cell: year,
    value: `${year}-01-01T00:00:00.000Z`,
    also: { 'store_created_at.resolution': { cell: random.pick(['', 'year']), value: 'year' } },
  }
})

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
