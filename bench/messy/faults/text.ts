/** Faults that any cell of a spreadsheet can have, and those of names. */
import { readFacet } from '../../../catalogue/build/taxonomy/files.ts'
import { type Dialect, fitsEncoding } from '../dialect.ts'
import { type CellFault, fault, type Must, replacedBy } from './fault.ts'

/** Spaces around a cell, those of web pages and tabs included. */
export function spacesAround(probability: number): CellFault {
  return fault('spaces around', probability, 'clean', (cell, { random, dialect }) => {
    const spaces = dialect.delimiter === '\t' ? [' ', '  ', '\u00a0'] : [' ', '  ', '\u00a0', '\t']
    return random.pick([`${cell}${random.pick(spaces)}`, `${random.pick(spaces)}${cell}`, ` ${cell} `])
  })
}

export function breakAtTheEnd(probability: number): CellFault {
  return fault('line break at the end', probability, 'clean', (cell) => `${cell}\n`)
}

function breakInside(probability: number): CellFault {
  return fault('line break inside', probability, 'clean', (cell, { random }) =>
    cell.includes(' ') ? cell.replace(' ', random.pick(['\n', '\r\n', ' \n'])) : null,
  )
}

export const nothing = ['NULL', 'n/a', 'N/A', '-', '#N/A', 'None', 'none']

/** Words that stand for an empty cell. `whatNullDoes`: a channel of a list cannot be cleared by itself. */
export function wordsForNothing(probability: number, whatNullDoes: Must = 'clear'): CellFault[] {
  return [
    replacedBy('word for nothing', probability, 'missing', [...nothing, ' - ']),
    replacedBy('null', probability / 10, whatNullDoes, ['null']),
    replacedBy('error of a spreadsheet', probability / 10, 'missing or drop', [
      '#REF!',
      '#VALUE!',
      '#DIV/0!',
      '#NAME?',
    ]),
  ]
}

/** For fields without a list of values, such as names. */
export const formulas = (probability: number): CellFault =>
  fault('formula', probability, 'drop', (cell, { random, dialect }) =>
    random.pick([
      '=SUM(A1)',
      '=A2&" "&B2',
      `=HYPERLINK("https://shop.example"${dialect.decimal === ',' ? ';' : ','}"${cell.replaceAll('"', '')}")`,
      '=VLOOKUP(A7,Sheet2!A:C,2,FALSE)',
    ]),
  )

const markup = (probability: number): CellFault =>
  fault('markup', probability, 'drop', (cell, { random }) =>
    random.pick([
      `<b>${cell}</b>`,
      `<a href="https://shop.example">${cell}</a>`,
      `${cell}<br>`,
      `<script>alert(1)</script>${cell}`,
    ]),
  )

const htmlEntities = (probability: number): CellFault =>
  fault('HTML entity', probability, 'clean or drop', (cell) =>
    /[&"]/.test(cell) ? cell.replaceAll('&', '&amp;').replaceAll('"', '&quot;') : null,
  )

/** What is left of letters that a program read in the wrong encoding: never right, whatever it was. */
const wrongEncoding = (probability: number): CellFault =>
  fault('letters of another encoding', probability, 'drop', (cell, { random, dialect }) => {
    const wrong = ['\ufffd', '\x81', '\x8d', '\x9d', '\x85', '\x92', '\x96', '\x9f']
    const at = random.below(cell.length + 1)
    return `${cell.slice(0, at)}${random.pick(wrong.filter((text) => fitsEncoding(text, dialect)))}${cell.slice(at)}`
  })

/** Escape sequences colour a terminal, or worse. */
const controlCharacters = (probability: number): CellFault =>
  fault('control characters', probability, 'drop', (cell, { random }) =>
    random.pick([
      `\x1b[31m${cell}\x1b[0m`,
      `${cell}\x07`,
      `${cell}\x1b]0;title\x07`,
      `${cell}\x7f\x7f!`,
      `a\x08${cell}`,
    ]),
  )

/** A text that the dialect's encoding has, or null. */
export function ifWritable(text: string, dialect: Dialect): string | null {
  return fitsEncoding(text, dialect) ? text : null
}

export const unprintable: readonly CellFault[] = [wrongEncoding(0.008), controlCharacters(0.006)]

/** Everything that happens to names, and is understood or told. */
export const nameFaults: readonly CellFault[] = [
  spacesAround(0.08),
  breakInside(0.02),
  breakAtTheEnd(0.01),
  ...wordsForNothing(0.03),
  formulas(0.01),
  markup(0.008),
  htmlEntities(0.01),
  ...unprintable,
  fault('a NUL character', 0.0005, 'drop', (cell) => `${cell}\0`),
  fault('too long', 0.0005, 'drop', (cell) => `${cell} `.repeat(400)),
]

/** Values of a facet under other names, in any case, and misspelt. */
export function facetFaults(
  facet: Parameters<typeof readFacet>[0],
  unknown: readonly string[],
  words: Words = {},
): CellFault[] {
  const items = readFacet(facet)
  const labels = new Map(items.map(({ value, label }) => [value, label]))
  const known = new Set(items.flatMap(({ value, label }) => [lettersOf(value), lettersOf(label)]))
  const labelOf = (value: unknown) => labels.get(value as string)!
  return [
    ...otherWords(words, 0.1),
    fault('label', 0.15, 'clean', (_cell, { value }) => labelOf(value)),
    fault('label in another case', 0.08, 'clean', (_cell, { value, random }) =>
      random.pick([labelOf(value).toUpperCase(), labelOf(value).toLowerCase()]),
    ),
    fault('value in capitals', 0.03, 'clean', (cell) => (cell === cell.toUpperCase() ? null : cell.toUpperCase())),
    spacesAround(0.04),
    breakAtTheEnd(0.002),
    ...wordsForNothing(0.03),
    fault('misspelt', 0.02, 'drop', (_cell, { value, random }) => misspell(labelOf(value), known, random.below(1_000))),
    replacedBy('unknown value', 0.01, 'drop', unknown),
  ]
}

/** What other programs call a value. */
export type Words = Record<string, readonly string[]>

export function otherWords(words: Words, probability: number): CellFault[] {
  if (Object.keys(words).length === 0) return []
  return [
    fault('word of another program', probability, 'clean', (_cell, { value, random }) => {
      const known = words[value as string]
      if (!known) return null
      const word = random.pick(known)
      return random.pick([word, word.toLowerCase(), word.toUpperCase()])
    }),
  ]
}

/** Leaves out a letter inside a word; null where the result could still be read. */
export function misspell(text: string, known: ReadonlySet<string>, draw: number): string | null {
  const places = [...text.matchAll(/(?<=[a-z])[a-z](?=[a-z])/g)].map(({ index }) => index)
  if (text.length < 6 || places.length === 0) return null
  const at = places[draw % places.length]!
  const result = text.slice(0, at) + text.slice(at + 1)
  return known.has(lettersOf(result)) ? null : result
}

/** Words without regard to case, blanks and punctuation. */
export function lettersOf(word: string): string {
  return word.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
}

/** A list of fixed words, such as the resolution of a date, which is no taxonomy. */
export function wordFaults(unknown: readonly string[]): CellFault[] {
  return [
    spacesAround(0.03),
    ...wordsForNothing(0.03),
    fault('in capitals', 0.02, 'clean', (cell) => cell.toUpperCase()),
    replacedBy('unknown word', 0.01, 'drop', unknown),
  ]
}
