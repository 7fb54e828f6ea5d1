import fc from 'fast-check'
import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { TaxonomyResolver } from '../../../../src/catalogue/imports/cells/taxonomy-resolver.ts'
import { CsvParser } from '../../../../src/catalogue/imports/csv/csv-parser.ts'
import { LineSplitter } from '../../../../src/catalogue/imports/source/lines.ts'
import { compileColumns } from '../../../../src/catalogue/imports/table/columns.ts'
import { Vocabulary } from '../../../../src/search/query/vocabulary.ts'

/** Parses a file that arrives in blocks, which end at the cuts. */
function readInPieces(content: Buffer, cuts: number[]) {
  const lines = new LineSplitter()
  const csv = new CsvParser(',')
  const bounds = [0, ...cuts.map((cut) => cut % (content.length + 1)).sort((a, b) => a - b), content.length]
  const rows = bounds
    .slice(1)
    .flatMap((end, index) => csv.read(lines.push(content.subarray(bounds[index]!, end)), false))
  return rows.concat(csv.read(lines.end(), true))
}

const options = {
  numbers: { decimal: 'dot', isDecimalCertain: true },
  dates: undefined,
  resolver: new TaxonomyResolver(new Vocabulary([]), false),
} as const

const quoteCell = (cell: string) => `"${cell.replaceAll('"', '""')}"`

test('quoted cells are parsed back exactly, wherever the blocks of the file end', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', 'ü', '🕯', ' ', '|'), maxLength: 8 })
  // At least two cells: a row of one empty cell is a blank line, which is skipped.
  const row = fc.array(cell, { minLength: 2, maxLength: 4 })
  fc.assert(
    fc.property(fc.array(row), fc.array(fc.nat()), fc.constantFrom('\n', '\r\n'), (rows, cuts, lineBreak) => {
      const content = rows.map((cells) => cells.map(quoteCell).join(',')).join(lineBreak)
      const read = readInPieces(Buffer.from(content), cuts)
      expect(read.map((row) => row.problem ?? row.cells)).toEqual(rows)
    }),
  )
})

test('for any input, every non-blank line belongs to one row or one reject, in order', () => {
  const text = fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r\n'), maxLength: 60 })
  fc.assert(
    fc.property(text, fc.array(fc.nat()), (content, cuts) => {
      const rows = readInPieces(Buffer.from(content), cuts)
      expect(rows).toEqual(readInPieces(Buffer.from(content), []))
      const numbers = rows.map((row) => row.line)
      expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
      const first = content.split(/\r?\n/).findIndex((line) => line !== '')
      expect(numbers[0]).toBe(first === -1 ? undefined : first + 1)
    }),
  )
})

test('numbered columns build a list of objects, in any order of the columns', () => {
  const schema = Type.Object({
    who: Type.String(),
    emails: Type.Array(Type.Object({ email: Type.String(), is_primary: Type.Optional(Type.Boolean()) }), {
      maxItems: 12,
    }),
  })
  const header = ['who', 'emails.10.email', 'emails.2.email', 'emails.0.email', 'emails.0.is_primary']
  const row = compileColumns(schema, header)
  const read = (cells: string[]) => row(cells, options, 'ascii').record
  expect(read(['A', 'k@a.example', '', 'a@a.example', 'true'])).toEqual({
    who: 'A',
    emails: [{ email: 'a@a.example', is_primary: true }, { email: 'k@a.example' }],
  })
  expect(read(['A', '', '', '', ''])).toEqual({ who: 'A' })
  // The place, and not the name, which is somebody's text and would reach the log.
  expect(() => compileColumns(schema, ['who', 'emails.12.email'])).toThrow(
    /^column 2 is mapped to a field that the schema does not have$/,
  )
})

test('an item of a list without its value is none, whatever its other cells say', () => {
  const schema = Type.Object({
    who: Type.String(),
    emails: Type.Array(Type.Object({ email: Type.String(), status: Type.Optional(Type.String()) })),
  })
  const row = compileColumns(schema, ['who', 'emails.0.email', 'emails.0.status', 'emails.1.email'])
  expect(row(['A', 'n/a', 'unknown', 'b@a.example'], options, 'ascii')).toEqual({
    record: { who: 'A', emails: [{ email: 'b@a.example' }] },
    faults: [],
    keepsPhones: false,
  })
})

test('null in the column named like a list of objects clears the list', () => {
  const schema = Type.Object({
    who: Type.String(),
    emails: Type.Array(Type.Object({ email: Type.String() }), { maxItems: 12 }),
  })
  const row = compileColumns(schema, ['who', 'emails', 'emails.0.email'])
  const read = (cells: string[]) => row(cells, options, 'ascii').record
  expect(read(['A', 'null', ''])).toEqual({ who: 'A', emails: null })
  expect(read(['A', 'null', 'a@a.example'])).toEqual({ who: 'A', emails: [{ email: 'a@a.example' }] })
  expect(read(['A', '', ''])).toEqual({ who: 'A' })
  // The check of the record rejects it.
  expect(read(['A', 'some', ''])).toEqual({ who: 'A', emails: 'some' })
})
