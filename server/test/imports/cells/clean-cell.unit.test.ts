import { expect, test } from 'vitest'
import { CellFault } from '../../../src/imports/cells/cell-fault.ts'
import { readBoolean, readCellText, readChoice, splitCell, trimCell } from '../../../src/imports/cells/clean-cell.ts'
import { findCountry, nearestCountries } from '../../../src/imports/cells/countries.ts'
import { readDate } from '../../../src/imports/cells/dates.ts'
import { decimalMarkOf, readNumber } from '../../../src/imports/cells/numbers.ts'
import { readPhone } from '../../../src/imports/cells/phones.ts'
import { TaxonomyResolver } from '../../../src/imports/taxonomy-resolver.ts'
import { Vocabulary } from '../../../src/search/query/vocabulary.ts'

/** The value, or the reason why there is none. */
function outcome(read: () => unknown): unknown {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof CellFault)) throw error
    return `fault: ${error.reason}`
  }
}

test('surrounding space, inner line breaks and words for nothing are cleaned, and the word null is kept', () => {
  expect(['  GB\u00a0', 'a\r\n b', 'one\ttwo', "'+49 30", "'tis"].map(trimCell)).toEqual([
    'GB',
    'a b',
    'one two',
    '+49 30',
    "'tis",
  ])
  for (const nothing of ['', ' ', 'N/A', 'n/a', 'NULL', 'Null', '(null)', 'none', 'None', '-', '–', '#N/A'])
    expect(trimCell(nothing)).toBe('')
  expect(['null', 'NA', 'no', '0', 'Nana'].map(trimCell)).toEqual(['null', 'NA', 'no', '0', 'Nana'])
})

test('dates are read as far as they are certain', () => {
  const cases: [cell: string, text: string, resolution?: string][] = [
    ['2019-03-01', '2019-03-01T00:00:00Z'],
    ['2019/3/1', '2019-03-01T00:00:00Z'],
    ['2019', '2019-01-01T00:00:00Z', 'year'],
    ['2019-03', '2019-03-01T00:00:00Z', 'month'],
    ['2019-03-01 08:05', '2019-03-01T08:05:00Z'],
    ['2019-03-01T08:05:00+02:00', '2019-03-01T08:05:00+02:00'],
    ['12 Mar 2021', '2021-03-12T00:00:00Z'],
    ['March 12, 2021', '2021-03-12T00:00:00Z'],
    ['March 2021', '2021-03-01T00:00:00Z', 'month'],
  ]
  for (const [cell, text, resolution = null] of cases)
    expect(readDate(cell, undefined), cell).toEqual({ text, resolution })
  for (const cell of ['03/04/2021', '3.4.2021', '31/12/2021'])
    expect(outcome(() => readDate(cell, undefined))).toBe('fault: does not tell day and month apart')
  expect(readDate('03/04/2021', 'dmy').text).toBe('2021-04-03T00:00:00Z')
  expect(readDate('03/04/2021', 'mdy').text).toBe('2021-03-04T00:00:00Z')
  expect(readDate('3.4.2021 10:30', 'dmy').text).toBe('2021-04-03T10:30:00Z')
  expect(outcome(() => readDate('31/12/2021', 'mdy'))).toBe('fault: is a date that does not exist')
  expect(outcome(() => readDate('2021-02-30', undefined))).toBe('fault: is a date that does not exist')
  expect(outcome(() => readDate('43525', undefined))).toBe('fault: is the number that a spreadsheet stores for a date')
  for (const cell of ['soon', '12', '1 Foo 2021', '2019-3-1-1', '31/12/21'])
    expect(
      outcome(() => readDate(cell, 'dmy')),
      cell,
    ).toBe('fault: is not a date')
})

test('a number that could mean two numbers is at fault', () => {
  const read = (cell: string, decimal: 'dot' | 'comma') => outcome(() => readNumber(cell, decimal))
  for (const decimal of ['dot', 'comma'] as const) {
    expect(read('1234', decimal)).toBe(1234)
    expect(read('64.5', decimal)).toBe(64.5)
    expect(read('-3', decimal)).toBe(-3)
    expect(read('1,234.5', decimal)).toBe(1234.5)
    expect(read('1.234,5', decimal)).toBe(1234.5)
    expect(read('1.234.567', decimal)).toBe(1234567)
    for (const cell of ['01', '1e', '5%', '€5', '1_000', '1 000', 'Infinity'])
      expect(read(cell, decimal)).toMatch(/^fault/)
  }
  expect(read('64,5', 'comma')).toBe(64.5)
  expect(read('64,5', 'dot')).toBe('fault: has a decimal comma, and this file has decimal dots')
  expect(read('1.234', 'dot')).toBe(1.234)
  expect(read('1.234', 'comma')).toBe('fault: could be a fraction or a thousand')
  expect(read('1,234', 'comma')).toBe(1.234)
  expect(read('1,234', 'dot')).toBe('fault: could be a fraction or a thousand')
  expect(['1,5', '1.5', '15', 'x'].map(decimalMarkOf)).toEqual(['comma', 'dot', null, null])
})

test('phones become E.164 with the country of the store, and keep their extension', () => {
  const read = (cell: string, country: string | null) => outcome(() => readPhone(cell, country))
  expect(read('+49 (0)30 123456', null)).toBe('+4930123456')
  expect(read('0049 30 123456', null)).toBe('+4930123456')
  expect(read('tel:+49-30-123456', null)).toBe('+4930123456')
  expect(read('030 123456', 'DE')).toBe('+4930123456')
  expect(read('(202) 555-0143 ext. 12', 'US')).toBe('+12025550143 x12')
  expect(read('617-555-0171 extension 569', 'US')).toBe('+16175550171 x569')
  expect(read('030 123456', null)).toBe('fault: has no country code, and its store has no country')
  expect(read('4,93012E+11', 'DE')).toBe('fault: is a number that a spreadsheet rounded')
  for (const cell of ['call me', '12', '+49', '030 123456 / 030 654321'])
    expect(read(cell, 'DE'), cell).toMatch(/^fault/)
})

test('countries are found by English names, three letters and as people write them', () => {
  const names = ['Germany', 'germany', 'DEU', 'UK', 'U.S.A.', 'USA', 'the Netherlands', 'Holland', 'Deutschland']
  expect(names.map(findCountry)).toEqual(['DE', 'DE', 'DE', 'GB', 'US', 'US', 'NL', 'NL', 'DE'])
  expect(['Deutschlnd', 'Atlantis', 'XYZ', ''].map(findCountry)).toEqual(Array(4).fill(undefined))
  expect(nearestCountries('Deutschlnd')).toEqual(['DE'])
  expect(nearestCountries('Atlantis')).toEqual([])
})

test('formulas, markup and the errors of spreadsheets are no names', () => {
  const resolver = new TaxonomyResolver(new Vocabulary([]), false)
  const read = (cell: string) =>
    outcome(() => readCellText(cell, 'name', { decimal: 'dot', dates: undefined, resolver }))
  for (const name of ['Ben & Jerry', '5" Screens', '3 < 4', '@home', '-20 Degrees', 'AT&T', 'A=B', '+1 Coffee'])
    expect(read(name)).toBe(name)
  for (const cell of ['=SUM(A1)', '+cmd(1)', '-SUM (A1)', '<b>Shop</b>', '<script>', 'Tom &amp; Co', '#REF!', '#NAME?'])
    expect(read(cell), cell).toMatch(/^fault/)
})

test('an email address is read as mail programs write it', () => {
  const resolver = new TaxonomyResolver(new Vocabulary([]), false)
  const options = { decimal: 'dot', dates: undefined, resolver } as const
  const cells = ['mara@a.example', 'mailto:mara@a.example', 'Mara Lind <mara@a.example>', '<mara@a.example>']
  expect(cells.map((cell) => readCellText(cell, 'email', options))).toEqual(Array(4).fill('mara@a.example'))
})

test('labels and values of the taxonomy are found in any case, and an ambiguous label is not', () => {
  const term = (value: string, label: string, token: number, parent: string | null = null) =>
    ({ facet: 'category', value, label, token, parent }) as const
  const resolver = new TaxonomyResolver(
    new Vocabulary([
      term('home_garden', 'Home & Garden', 101),
      term('home_garden_decor', 'Decor', 102, 'home_garden'),
      term('party_decor', 'Decor', 103, 'party'),
      term('party', 'Party', 104),
    ]),
    false,
  )
  const understand = (text: string) => resolver.understand('category', text)
  expect(['HOME_GARDEN', 'home and garden', 'Home & Garden', 'home-garden'].map(understand)).toEqual(
    Array(4).fill('home_garden'),
  )
  expect(understand('Decor')).toBeUndefined()
  expect(understand('Home & Garden > Decor')).toBe('home_garden_decor')
})

test('booleans, choices and lists are read as people write them', () => {
  expect(['TRUE', 'yes', 'Y', '1', 'WAHR'].map(readBoolean)).toEqual(Array(5).fill(true))
  expect(['False', 'no', 'n', '0', 'falsch'].map(readBoolean)).toEqual(Array(5).fill(false))
  expect(outcome(() => readBoolean('maybe'))).toMatch(/^fault/)
  expect(readChoice('Accept All', ['verified', 'accept_all'])).toBe('accept_all')
  expect(outcome(() => readChoice('ok', ['verified', 'accept_all']))).toMatch(/^fault/)
  expect(['a|b', 'a; b', 'a, b', 'a\nb', 'a', 'a| |b'].map(splitCell)).toEqual([
    ['a', 'b'],
    ['a', 'b'],
    ['a', 'b'],
    ['a', 'b'],
    ['a'],
    ['a', 'b'],
  ])
})
