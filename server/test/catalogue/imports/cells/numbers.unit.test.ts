import { expect, test } from 'vitest'
import {
  decimalMarkOf,
  type NumberStyle,
  readNumber,
  readWholeNumber,
} from '../../../../src/catalogue/imports/cells/numbers.ts'
import { outcome } from '../support/cell-outcome.ts'

const dot: NumberStyle = { decimal: 'dot', isDecimalCertain: true }
const comma: NumberStyle = { decimal: 'comma', isDecimalCertain: true }
const open = [dot, comma].map((style) => ({ ...style, isDecimalCertain: false }))
const read = (cell: string, style: NumberStyle) => outcome(() => readNumber(cell, style))
const readWhole = (cell: string, style: NumberStyle) => outcome(() => readWholeNumber(cell, style, { minimum: 0 }))
const ambiguous = 'fault: could be a fraction or a thousand'
const fraction = 'fault: is no whole number'

test('a number with one reading is read, whatever the file has', () => {
  for (const style of [dot, comma, ...open]) {
    expect(read('1234', style)).toBe(1234)
    expect(read('64.5', style)).toBe(64.5)
    expect(read('0.125', style)).toBe(0.125)
    expect(read('1234.567', style)).toBe(1234.567)
    expect(read('-3', style)).toBe(-3)
    expect(read('1,234.5', style)).toBe(1234.5)
    expect(read('1.234,5', style)).toBe(1234.5)
    expect(read('1.234.567', style)).toBe(1234567)
    for (const cell of ['1 234', "1'234", '1\u00a0234', '1\u202f234', '1’234']) expect(read(cell, style)).toBe(1234)
    expect(read('1 234,5', style)).toBe(1234.5)
    for (const cell of ['01', '1e', '5%', '€5', '1_000', '10 00', '1  000', 'Infinity', '1e999', '1 234 5', ''])
      expect(read(cell, style), cell).toBe('fault: is not a number')
  }
  expect(read('64,5', comma)).toBe(64.5)
  expect(read('64,5', dot)).toBe('fault: has a decimal comma, and this file has decimal dots')
})

test('a number that could mean two numbers is at fault, unless the file shows its decimal mark', () => {
  for (const style of open)
    for (const cell of ['1.000', '12.000', '1,234', '-1.234']) {
      expect(read(cell, style)).toBe(ambiguous)
      expect(readWhole(cell, style)).toBe(ambiguous)
    }
  expect([read('1.234', dot), read('1,234', dot)]).toEqual([1.234, 1234])
  expect([read('1.234', comma), read('1,234', comma)]).toEqual([1234, 1.234])
})

test('a whole number has no fraction, not even of zeros', () => {
  expect([readWhole('1.000', comma), readWhole('1,000', dot), readWhole('12', dot)]).toEqual([1000, 1000, 12])
  for (const [cell, style] of [
    ['1.000', dot],
    ['1,000', comma],
    ['12.0', dot],
    ['12,00', comma],
    ['12.5', dot],
  ] as const)
    expect(readWhole(cell, style), cell).toBe(fraction)
  for (const style of [dot, comma, ...open]) {
    expect(readWhole('1.234.567', style)).toBe(1234567)
    expect(readWhole('1 234', style)).toBe(1234)
    for (const cell of ['12.0', '1,234.0', '1e3']) expect(readWhole(cell, style), cell).toBe(fraction)
    expect(readWhole('-3', style)).toBe('fault: must be at least 0')
  }
})

test('only an unambiguous number shows the decimal mark of a file', () => {
  const dots = ['1.5', '0.125', '1234.567', '1,234.5', '1,234,567', '1 234.5']
  const commas = ['1,5', '0,125', '1234,567', '1.234,5', '1.234.567', '1 234,5']
  expect(dots.map(decimalMarkOf)).toEqual(dots.map(() => 'dot'))
  expect(commas.map(decimalMarkOf)).toEqual(commas.map(() => 'comma'))
  expect(['1.000', '12.000', '1,234', '-1.234', '15', '1 234', 'x', ''].map(decimalMarkOf)).toEqual(Array(8).fill(null))
})
