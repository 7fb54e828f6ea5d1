import { expect, test } from 'vitest'
import {
  readBoolean,
  readCellText,
  readChoice,
  splitCell,
  trimCell,
} from '../../../../src/catalogue/imports/cells/clean-cell.ts'
import { findCountry, nearestCountries } from '../../../../src/catalogue/imports/cells/countries.ts'
import { readPhone } from '../../../../src/catalogue/imports/cells/phones.ts'
import { TaxonomyResolver } from '../../../../src/catalogue/imports/cells/taxonomy-resolver.ts'
import { Vocabulary } from '../../../../src/search/query/vocabulary.ts'
import { outcome } from '../support/cell-outcome.ts'

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
    outcome(() =>
      readCellText(cell, 'name', { numbers: { decimal: 'dot', isDecimalCertain: true }, dates: undefined, resolver }),
    )
  for (const name of ['Ben & Jerry', '5" Screens', '3 < 4', '@home', '-20 Degrees', 'AT&T', 'A=B', '+1 Coffee'])
    expect(read(name)).toBe(name)
  for (const cell of ['=SUM(A1)', '+cmd(1)', '-SUM (A1)', '<b>Shop</b>', '<script>', 'Tom &amp; Co', '#REF!', '#NAME?'])
    expect(read(cell), cell).toMatch(/^fault/)
})

test('an email address is read as mail programs write it', () => {
  const resolver = new TaxonomyResolver(new Vocabulary([]), false)
  const options = { numbers: { decimal: 'dot', isDecimalCertain: true }, dates: undefined, resolver } as const
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
  for (const two of ['a|b', 'a; b', 'a, b', 'a\nb', 'a| |b', 'a;\nb', 'a,\r\nb', 'a;\r\n b;\n', 'a|\nb'])
    expect(splitCell(two), two).toEqual(['a', 'b'])
  expect(splitCell('a')).toEqual(['a'])
  expect(splitCell('Home, Garden\nFood')).toEqual(['Home, Garden', 'Food'])
})
