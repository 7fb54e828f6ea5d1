/** Faults of phone numbers. National spellings are read by the store's country; without one they are at fault. */
import type { Random } from '../../../catalogue/build/random.ts'
import {
  beginsLikeCallingCode,
  hasNumberBeforeLastBlock,
  internationalSpellings,
  isInPlan,
  isReadTwiceWithoutPlus,
  nationalSpellings,
  type PhoneNumber,
  phoneOf,
} from '../records/phones.ts'
import { type CellContext, type CellFault, type FaultyCell, fault, replacedBy } from './fault.ts'
import { breakAtTheEnd, ifWritable, spacesAround, wordsForNothing } from './text.ts'

/** Countries in which 00 leads abroad. */
const abroadWith00 = 'DE FR GB AT IT NL PL ES SE CH DK CZ FI'.split(' ')

export const phoneFaults: readonly CellFault[] = [
  fault('international, spaced', 0.25, 'clean', (cell, { random }) =>
    random.pick(internationalSpellings(phoneOf(cell))),
  ),
  fault('with 00', 0.05, 'clean', (cell, { country }) => {
    const { country: own, callingCode, blocks } = phoneOf(cell)
    return country === own && abroadWith00.includes(own) ? `00${callingCode} ${blocks.join(' ')}` : null
  }),
  fault('calling code without a plus', 0.06, 'clean', (cell, { random, country }) => {
    const phone = phoneOf(cell)
    const { callingCode, blocks } = phone
    const digits = random.pick([
      cell.slice(1),
      `${callingCode} ${blocks.join(' ')}`,
      `${callingCode}-${blocks.join('-')}`,
    ])
    const written = withoutPlus(digits, phone, country)
    const isOpen = written?.must === 'clean' && digits.includes('-') && hasNumberBeforeLastBlock(phone)
    return isOpen ? { ...written, must: 'clean or drop' } : written
  }),
  fault('.0 of a data frame', 0.04, 'clean', dataFrameCell),
  fault('two numbers', 0.02, 'drop', twoNumbers),
  fault('invisible marks around', 0.02, 'clean', (cell, { random, dialect }) =>
    ifWritable(
      random.pick([
        `\u202a${cell}\u202c`,
        `\u200e${cell}`,
        `\u2068${cell}\u2069`,
        `${cell}\u200b`,
        `\u202d${cell}\u202c`,
      ]),
      dialect,
    ),
  ),
  fault('national', 0.4, 'clean', (cell, { random, country }) => nationalCell(cell, country, random)),
  fault('with an extension', 0.06, 'clean', (cell, { random, country }) => {
    const written: FaultyCell = nationalCell(cell, country, random) ?? {
      cell: random.pick(internationalSpellings(phoneOf(cell))),
    }
    if (written.must !== undefined && written.must !== 'clean') return null
    const extension = String(10 + random.below(990))
    const sign = random.pick([' x', ' ext. ', ' ext ', 'x', ' extension '])
    return { cell: `${written.cell}${sign}${extension}`, value: `${cell} x${extension}` }
  }),
  fault('tel: or an apostrophe', 0.01, 'clean or drop', (cell, { random }) => random.pick([`tel:${cell}`, `'${cell}`])),
  fault('words beside the number', 0.01, 'clean or drop', (cell, { random }) =>
    random.pick([`${cell} (mobile)`, `Tel. ${cell}`, `${cell} ask for Petra`, `M: ${cell}`]),
  ),
  spacesAround(0.04),
  breakAtTheEnd(0.003),
  ...wordsForNothing(0.05, 'missing or drop'),
  fault('as a spreadsheet shows long numbers', 0.01, 'drop', (cell, { dialect }) => {
    const [, first, next] = /^\+(\d)(\d{5})/.exec(cell)!
    return `${first}${dialect.decimal}${next}E+${cell.length - 2}`
  }),
  replacedBy('junk', 0.02, 'drop', [
    'call me',
    'tbd',
    '12',
    '000',
    '+',
    'unknown',
    '1234567890123456789012',
    'see website',
    '0',
    '0.0',
    '#',
    'x12',
  ]),
]

/** The store's own calling code without a plus. Where a valid national number could begin so, nobody knows. */
function withoutPlus(cell: string, phone: PhoneNumber, country: string | null | undefined): FaultyCell | null {
  if (country === null) return { cell, must: 'drop' }
  if (phone.country !== country) return null
  return { cell, must: isReadTwiceWithoutPlus(phone) ? 'drop' : 'clean' }
}

/** A program that takes phones for numbers loses the plus, often the zero in front, and adds a fraction. */
function dataFrameCell(cell: string, { random, country }: CellContext): FaultyCell | null {
  const phone = phoneOf(cell)
  const digits = phone.blocks.join('')
  const written = random.pick([
    withoutPlus(cell.slice(1), phone, country),
    withoutPlus(digits, { ...phone, blocks: [digits] }, country),
    nationalCell(cell, country, random),
  ])
  if (written === null) return null
  const isNational = written.cell === digits
  const must = isNational && beginsLikeCallingCode(phone) ? 'clean or drop' : (written.must ?? 'clean')
  return { cell: `${written.cell.replaceAll(/\D/g, '')}.0`, must: isInPlan(phone) ? must : 'drop' }
}

function twoNumbers(cell: string, { random, country }: CellContext): FaultyCell {
  const phone = phoneOf(cell)
  const last = Number(cell.at(-1))
  const second = `${cell.slice(0, -1)}${(last + 1) % 10}`
  const both: [string, string] =
    country === phone.country && random.chance(0.6)
      ? [random.pick(nationalSpellings(phone)), random.pick(nationalSpellings(phoneWithEnd(phone, (last + 1) % 10)))]
      : [cell, second]
  const end = phone.blocks.at(-1)!
  const separator = random.pick([' / ', '/', ', ', '; ', ' or ', ' & ', ' | ', '\n', '  ', ' und ', ' - '])
  return {
    cell: random.pick([both.join(separator), both.join(separator), `${both[0]} / ${end}`, `${both[0]}, -${end}`]),
  }
}

function phoneWithEnd(phone: PhoneNumber, digit: number): PhoneNumber {
  const end = phone.blocks.at(-1)!
  return { ...phone, blocks: [...phone.blocks.slice(0, -1), `${end.slice(0, -1)}${digit}`] }
}

/** Null where nobody could say what the national spelling of this number would be read as. */
function nationalCell(cell: string, country: string | null | undefined, random: Random): FaultyCell | null {
  const phone = phoneOf(cell)
  if (country === null)
    return {
      cell: random.pick(nationalSpellings(phone).filter((spelling) => !spelling.startsWith('1'))),
      must: 'drop' as const,
    }
  if (phone.country !== country) return null
  const must = beginsLikeCallingCode(phone) ? ('clean or drop' as const) : ('clean' as const)
  return { cell: random.pick(nationalSpellings(phone)), must }
}
