/** Faults of numbers: which mark is the decimal one, and which separates thousands. */

import type { Dialect } from '../dialect.ts'
import { type CellFault, fault, type Must, replacedBy } from './fault.ts'
import { spacesAround, wordsForNothing } from './text.ts'

/**
 * One mark before exactly three digits is a thousand or a fraction. Other numbers of the file tell which, unless they
 * contradict each other.
 */
function mustReadByEvidence({ evidence }: Dialect): Must {
  return evidence === 'none' ? 'drop' : 'clean'
}

const grouped = (digits: string, mark: string) => digits.replaceAll(/\B(?=(?:\d{3})+$)/g, mark)
const thousandsMark = ({ decimal }: Dialect) => (decimal === ',' ? '.' : ',')

export const scoreFaults: readonly CellFault[] = [
  fault('trailing zeros', 0.05, 'clean', (cell, { dialect }) =>
    cell.includes(dialect.decimal) ? `${cell}0` : `${cell}${dialect.decimal}00`,
  ),
  fault('three decimals', 0.03, 'drop', (cell, { dialect }) => {
    const [whole, decimals = ''] = cell.split(dialect.decimal)
    return { cell: `${whole}${dialect.decimal}${decimals.padEnd(3, '0')}`, must: mustReadByEvidence(dialect) }
  }),
  fault('decimal comma in a file of decimal dots', 0.02, 'drop', (cell, { dialect }) =>
    dialect.evidence === 'none' && cell.includes('.') ? cell.replace('.', ',') : null,
  ),
  spacesAround(0.03),
  ...wordsForNothing(0.03),
  replacedBy('not a number', 0.01, 'drop', ['high', '~70', '70-80', '71.5.2', 'A+', '70 of 100', 'NaN', 'Infinity']),
]

export const countFaults: readonly CellFault[] = [
  fault('whole number with decimals', 0.03, 'drop', (cell, { dialect, random }) =>
    cell === '' ? null : `${cell}${dialect.decimal}${random.pick(['0', '00'])}`,
  ),
  fault('whole number with three decimals', 0.01, 'drop', (cell, { dialect }) =>
    // By the file's own marks this is a fraction, of zeros or not.
    cell.length < 4 && cell !== '0' ? `${cell}${dialect.decimal}000` : null,
  ),
  fault('thousands separator', 0.5, 'drop', (cell, { dialect }) => {
    if (cell.length < 4) return null
    const isAmbiguous = cell.length < 7
    return { cell: grouped(cell, thousandsMark(dialect)), must: isAmbiguous ? mustReadByEvidence(dialect) : 'clean' }
  }),
  fault('thousands with blanks or apostrophes', 0.6, 'clean', (cell, { random, dialect }) => {
    if (cell.length < 4) return null
    const marks = [' ', '\u00a0', "'", '’']
    return grouped(cell, random.pick(dialect.encoding === 'windows-1252' ? marks : [...marks, '\u202f', '\u2009']))
  }),
  spacesAround(0.03),
  ...wordsForNothing(0.03),
  fault('not a count', 0.01, 'drop', (cell, { random, dialect }) =>
    random.pick([`${cell} ads`, '-3', `12${dialect.decimal}5`, 'many', '12-15', '99999999999', '1 2', "12'34"]),
  ),
]
