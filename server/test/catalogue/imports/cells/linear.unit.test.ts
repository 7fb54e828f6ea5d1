import { expect, test } from 'vitest'
import { withoutQuotes } from '../../../../src/catalogue/import-jobs/run/report.ts'
import { CellFault } from '../../../../src/catalogue/imports/cells/cell-fault.ts'
import * as cleanCell from '../../../../src/catalogue/imports/cells/clean-cell.ts'
import * as dates from '../../../../src/catalogue/imports/cells/dates.ts'
import * as months from '../../../../src/catalogue/imports/cells/months.ts'
import * as numbers from '../../../../src/catalogue/imports/cells/numbers.ts'
import * as phones from '../../../../src/catalogue/imports/cells/phones.ts'
import { TaxonomyResolver } from '../../../../src/catalogue/imports/cells/taxonomy-resolver.ts'
import { storeImportKind } from '../../../../src/catalogue/imports/stores/import-stores.ts'
import * as header from '../../../../src/catalogue/imports/table/header.ts'
import { findUnseen, readEmail, unwrapEmail } from '../../../../src/foundation/kernel/channels/email.ts'
import { csvCell } from '../../../../src/foundation/kernel/csv.ts'
import { trimMatching } from '../../../../src/foundation/kernel/text/trim.ts'
import { facets, Vocabulary } from '../../../../src/search/query/vocabulary.ts'

/** A cell may have so many characters. Work that grows with their square would not end within the time of a test. */
const length = 200_000

const units = [
  ' ',
  '\u00a0',
  '\t',
  '\n',
  '\r\n',
  '\u200b',
  '_',
  '-',
  '#',
  '1',
  '12',
  '.',
  ',',
  ';',
  '|',
  '"',
  '""',
  "'",
  '\\',
  '\\"',
]
const more = [
  '<',
  '<a',
  '>',
  '@',
  'a@',
  '@a',
  '&',
  '&a',
  '=',
  '+',
  '(',
  ')',
  ':',
  '/',
  'a ',
  '1 ',
  '1,',
  ',123',
  '\u0301',
  'ﬁ',
  '\ud83d',
]

function* longTexts(): Generator<string> {
  for (const unit of [...units, ...more]) {
    const run = unit.repeat(Math.ceil(length / unit.length))
    // Near-misses: a pattern that wants the run at an end meets another character there.
    yield* [run, `a${run}a`, `${run}a`, `a${run}`, `1${run}<`, `"${run}`]
  }
}

const resolver = new TaxonomyResolver(new Vocabulary([]), false)
const style = { decimal: 'comma', isDecimalCertain: true } as const
const options = { numbers: style, dates: 'dmy', resolver } as const

/** What is done to a text. Every exported function of a module that cleans cells is here. */
const cleaners: Record<string, Record<string, (text: string) => unknown>> = {
  'clean-cell': {
    trimCell: cleanCell.trimCell,
    readBoolean: cleanCell.readBoolean,
    readChoice: (text) => cleanCell.readChoice(text, ['high', 'low']),
    readCellText: (text) => {
      for (const kind of [undefined, 'host', 'name', 'moment', 'email', 'phone', ...facets] as const)
        ignoreFault(() => cleanCell.readCellText(text, kind, options))
    },
    splitCell: cleanCell.splitCell,
  },
  dates: { readDate: (text) => dates.readDate(text, 'dmy') },
  months: { findMonth: months.findMonth, keyOfWord: months.keyOfWord },
  numbers: {
    readNumber: (text) => {
      ignoreFault(() => numbers.readNumber(text, { ...style, decimal: 'dot' }))
      numbers.readNumber(text, style)
    },
    readWholeNumber: (text) => numbers.readWholeNumber(text, style, {}),
    decimalMarkOf: numbers.decimalMarkOf,
    countDecimalMarks: (text) => numbers.countDecimalMarks([[text]], [0]),
  },
  phones: {
    isCountryless: phones.isCountryless,
    isInternationalPhone: phones.isInternationalPhone,
    readPhone: (text) => phones.readPhone(text, 'DE'),
  },
  header: {
    describeUnreadableHeader: (text) => header.describeUnreadableHeader([text]),
    fieldsOfHeader: (text) => header.fieldsOfHeader(storeImportKind, [text, text], {}),
  },
  others: {
    readEmail,
    unwrapEmail,
    findUnseen,
    csvCell: (text) => csvCell(text, ';'),
    trimMatching: (text) => trimMatching(text, /[\s\d]/),
    withoutQuotes,
  },
}

function ignoreFault(work: () => unknown): void {
  try {
    work()
  } catch (error) {
    if (!(error instanceof CellFault)) throw error
  }
}

test.for(
  Object.entries(cleaners).flatMap(([module, each]) => Object.keys(each).map((name) => [module, name] as const)),
)('%s: %s ends on long runs of one character, and on near-misses', ([module, name]) => {
  for (const text of longTexts()) ignoreFault(() => cleaners[module]![name]!(text))
})

test('every function that cleans cells is tried', () => {
  const functions = (exported: object) =>
    Object.entries(exported).flatMap(([name, value]) => (typeof value === 'function' ? [name] : []))
  // These are called with cells that describeUnreadableHeader has let pass.
  const bounded = ['readHeader', 'requireUsable', 'withoutHeader']
  for (const [module, exported] of Object.entries({ 'clean-cell': cleanCell, dates, months, numbers, phones, header }))
    expect([...Object.keys(cleaners[module]!), ...(module === 'header' ? bounded : [])].sort(), module).toEqual(
      functions(exported).sort(),
    )
})

test('a header of too many columns, and one with a heading that is too long, are refused before they are read', () => {
  expect(header.describeUnreadableHeader(['domain', 'x'.repeat(1_000)])).toBeNull()
  expect(header.describeUnreadableHeader(['domain', `a${' '.repeat(80_000)}b`])).toBe(
    'heading 2 has 80,002 characters; it may have 1,000.',
  )
  expect(header.describeUnreadableHeader(Array(1_000).fill(''))).toBeNull()
  expect(header.describeUnreadableHeader(Array(200_001).fill(''))).toMatch(/^the header has 200,001 columns/)
})

test('the widest header with nothing but unknown headings is described, and not all of it is', () => {
  const cells = Array.from({ length: 1_000 }, (_, index) => `${index}${' x'.repeat(490)}`)
  const { columns, problems } = header.readHeader(storeImportKind, cells, {})
  expect(columns).toHaveLength(1_000)
  expect(problems[0]).toContain('and 950 more')
})
