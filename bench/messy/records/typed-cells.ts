/** Cells of a workbook as Excel keeps what a person typed: numbers, dates, booleans and errors have types of their own. */
import { bookCell, type NumberFormat, type TestCell } from '@storedex/testkit/workbooks'
import type { Random } from '../../../catalogue/build/random.ts'

/** A cell as text, and the value that it certainly means; undefined where that is open, or at fault. */
export interface DrawnCell {
  text: string
  means?: unknown
}

/** Some columns are formatted as text before they are filled. */
const keptAsText = 0.08
const dateFormats: NumberFormat[] = [
  14,
  15,
  'yyyy-mm-dd',
  'dd\\.mm\\.yyyy',
  'd. mmmm yyyy',
  '[$-409]mmmm d, yyyy',
  'm/d/yyyy;@',
]
const countFormats: NumberFormat[] = [0, 1, 3, '0', '#,##0;[Red]-#,##0', '_-* #,##0_-;-* #,##0_-;_-* "-"_-;_-@_-']
const scoreFormats: NumberFormat[] = [0, 2, 4, '0.0', '0.0##']
const errors = ['#N/A', '#REF!', '#VALUE!', '#DIV/0!', '#NAME?']

export function typedCell({ text, means }: DrawnCell, random: Random): TestCell {
  if (text === '') return null
  if (errors.includes(text)) return bookCell.error(text)
  if (random.chance(keptAsText)) return text
  if (typeof means === 'number') return numberCell(means, text, random)
  if (typeof means === 'boolean' && /^(true|false)$/i.test(text)) return means
  if (typeof means === 'string' && isDay(text, means))
    return bookCell.date(means.slice(0, 10), random.pick(dateFormats))
  if (typeof means === 'string' && /^0\d{5,14}$/.test(text))
    return bookCell.number(Number(text), '0'.repeat(text.length))
  // What looks like a number becomes one, whatever it was meant to be.
  if (/^-?\d/.test(text) && text.length <= 15 && String(Number(text)) === text) return Number(text)
  return textCell(text, random)
}

/** Not a month or a year alone, whose precision a date would lose. */
function isDay(text: string, means: string): boolean {
  return /^\d{4}-\d\d-\d\d(T00:00:00(\.000)?Z)?$/.test(text) && text.slice(0, 10) === means.slice(0, 10)
}

function numberCell(value: number, text: string, random: Random): TestCell {
  // A blank or an apostrophe between thousands makes a text, as do spaces around.
  if (!/^[\d.,]+$/.test(text)) return text
  if (random.chance(0.05)) return bookCell.formula('SUM(Z1:Z9)', value)
  if (Number.isInteger(value) && !text.includes('.')) return bookCell.number(value, random.pick(countFormats))
  if (random.chance(0.3)) return bookCell.number(Number((value / 100).toPrecision(15)), '0.0%')
  // Excel writes seventeen digits, of which the last two are noise.
  const digits = random.chance(0.5) ? String(Number(value)) : value.toPrecision(17)
  return bookCell.number(digits, random.pick(scoreFormats))
}

/** Mostly shared, sometimes inline, in several fonts, or the result of a formula. */
function textCell(text: string, random: Random): TestCell {
  if (random.chance(0.9)) return text
  if (random.chance(0.3)) return bookCell.inline(text)
  const isPlain = text === text.trim() && !/[^ -\ufffd]/.test(text)
  if (isPlain && !text.startsWith('#') && random.chance(0.5)) return bookCell.formula('TRIM(Z1)', text)
  const middle = random.below(text.length)
  const runs = [text.slice(0, middle), text.slice(middle)]
  const isCut = /[\ud800-\udbff]$/.test(runs[0]!)
  return isCut ? text : bookCell.shared({ runs, phonetic: 'yomi' })
}
