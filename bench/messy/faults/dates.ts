/** Faults of dates; every clean date is the first moment of a day. `--dates` decides what 03/04/2021 means. */
import { type Dialect, fitsEncoding } from '../dialect.ts'
import { type CellContext, type CellFault, fault, replacedBy } from './fault.ts'
import { spacesAround, wordsForNothing } from './text.ts'

const twoDigits = (number: number) => String(number).padStart(2, '0')

/** Days since the moment from which spreadsheets count. */
function serialOf(date: Date): number {
  return Math.round((date.getTime() - Date.UTC(1899, 11, 30)) / 86_400_000)
}

/** Languages whose names of months are read. */
const languages = ['en-GB', 'en-US', 'de', 'fr', 'es', 'it', 'nl', 'pt', 'pl', 'ja', 'zh']

function spell(language: string, date: Date, month: 'long' | 'short', withDay: boolean): string {
  const day = withDay ? { day: 'numeric' as const } : {}
  return new Intl.DateTimeFormat(language, { ...day, month, year: 'numeric', timeZone: 'UTC' }).format(date)
}

function inSomeLanguage(date: Date, { random, dialect }: CellContext, month: 'long' | 'short', withDay = true): string {
  const spellings = languages.map((language) => spell(language, date, month, withDay))
  return random.pick(spellings.filter((spelling) => fitsEncoding(spelling, dialect)))
}

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
  fault('a time of twelve hours', 0.01, 'drop', (_cell, { value, random, dialect }) => {
    const [hour, minute, second] = [random.below(24), random.below(60), random.below(60)]
    const moment = new Date(new Date(value as string).getTime() + ((hour * 60 + minute) * 60 + second) * 1_000)
    const day = `${moment.getUTCDate()}/${moment.getUTCMonth() + 1}/${moment.getUTCFullYear()}`
    const half = random.pick(hour < 12 ? ['AM', 'am'] : ['PM', 'pm', 'p.m.'].slice(0, 2))
    const clock = `${hour % 12 || 12}:${twoDigits(minute)}:${twoDigits(second)} ${half}`
    return { cell: `${day} ${clock}`, value: moment.toISOString(), must: dialect.dates === 'dmy' ? 'clean' : 'drop' }
  }),
  dated('serial number of a spreadsheet', 0.01, 'drop', (date) => String(serialOf(date))),
  dated('time without an offset', 0.01, 'clean or drop', (date) => `${date.toISOString().slice(0, 10)} 00:00:00`),
  dated('month by name', 0.02, 'clean', (date, context) => inSomeLanguage(date, context, 'long')),
  dated('month by a short name', 0.01, 'clean or drop', (date, context) => inSomeLanguage(date, context, 'short')),
  replacedBy('no such date', 0.004, 'drop', ['2019-02-30', '2021-13-01', '31/31/2021', '2019-00-10']),
  replacedBy('a date far away', 0.008, 'drop', [
    '1899-12-30',
    '1899-12-30T00:00:00Z',
    '1899-12-31 00:00:00',
    '2999-12-31',
    '9999-12-31T23:59:59Z',
    '0001-01-01',
    '0001-01-01T00:00:00Z',
    '2101-01-01',
    '31 December 2999',
  ]),
  replacedBy('zero date of MySQL', 0.002, 'missing or drop', ['0000-00-00', '0000-00-00 00:00:00']),
  replacedBy('not a date', 0.005, 'drop', ['last year', 'Q3 2019', 'soon', '20190', 'early 2019', '########']),
  spacesAround(0.02),
  ...wordsForNothing(0.03),
]

function dated(
  name: string,
  probability: number,
  must: CellFault['must'],
  write: (date: Date, context: CellContext) => string,
  needsFlag = false,
): CellFault {
  return fault(name, probability, must, (_cell, context) => ({
    cell: write(new Date(context.value as string), context),
    must: needsFlag && context.dialect.dates === 'dmy' ? 'clean' : must,
  }))
}

function dayMonth(date: Date, separator: string): string {
  return [twoDigits(date.getUTCDate()), twoDigits(date.getUTCMonth() + 1), date.getUTCFullYear()].join(separator)
}

/** A clean date as a program of the dialect writes it. */
export function writeDate(value: unknown, { dates }: Dialect): string {
  return dates === 'iso' ? (value as string) : dayMonth(new Date(value as string), '.')
}

/** A year or a month alone is its first moment, with that resolution. */
export const partsOfDates: readonly CellFault[] = [
  fault('year alone', 0.04, 'clean', (_cell, { value, random }) => {
    const year = (value as string).slice(0, 4)
    return { cell: year, value: `${year}-01-01T00:00:00.000Z`, also: resolutionOf('year', random.pick(['', 'year'])) }
  }),
  fault('month alone, by name', 0.01, 'clean', (_cell, context) => ({
    cell: inSomeLanguage(new Date(context.value as string), context, 'long', false),
    value: `${(context.value as string).slice(0, 7)}-01T00:00:00.000Z`,
    also: resolutionOf('month', context.random.pick(['', 'month'])),
  })),
]

function resolutionOf(value: string, cell: string) {
  return { 'store_created_at.resolution': { cell, value } }
}
