import fc from 'fast-check'
import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { CsvParser } from '../../../src/imports/source/csv.ts'
import { compileCsvColumns } from '../../../src/imports/source/csv-columns.ts'
import { LineSplitter } from '../../../src/imports/source/text.ts'

/** Reads a file that arrives in pieces. */
function readInPieces(content: Buffer, cuts: number[]) {
  const lines = new LineSplitter()
  const csv = new CsvParser()
  const bounds = [0, ...cuts.map((cut) => cut % (content.length + 1)).sort((a, b) => a - b), content.length]
  const rows = bounds
    .slice(1)
    .flatMap((end, index) => csv.read(lines.push(content.subarray(bounds[index]!, end)), false))
  return rows.concat(csv.read(lines.end(), true))
}

const quoteCell = (cell: string) => `"${cell.replaceAll('"', '""')}"`

test('any cells come back as they were, wherever the pieces of the file end', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', 'ü', '🕯', ' ', '|'), maxLength: 8 })
  // A row of one empty cell is a blank line, which is no row.
  const row = fc.array(cell, { minLength: 2, maxLength: 4 })
  fc.assert(
    fc.property(fc.array(row), fc.array(fc.nat()), fc.constantFrom('\n', '\r\n'), (rows, cuts, lineBreak) => {
      const content = rows.map((cells) => cells.map(quoteCell).join(',')).join(lineBreak)
      const read = readInPieces(Buffer.from(content), cuts)
      expect(read.map((row) => row.problem ?? row.cells)).toEqual(rows)
    }),
  )
})

test('whatever the bytes, each line with something on it is part of one row or one refusal, in order', () => {
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

test('lists of objects are spelt with numbers, in any order of the columns', () => {
  const schema = Type.Object({
    who: Type.String(),
    emails: Type.Array(Type.Object({ email: Type.String(), is_primary: Type.Boolean() }), { maxItems: 12 }),
  })
  const header = ['who', 'emails.10.email', 'emails.2.email', 'emails.0.email', 'emails.0.is_primary']
  const { read } = compileCsvColumns(schema, header, 'people.csv')
  expect(read(['A', 'k@a.example', '', 'a@a.example', 'true'])).toEqual({
    who: 'A',
    emails: [{ email: 'a@a.example', is_primary: true }, { email: 'k@a.example' }],
  })
  expect(read(['A', '', '', '', ''])).toEqual({ who: 'A' })
  expect(() => compileCsvColumns(schema, ['who', 'emails.12.email'], 'people.csv')).toThrow('emails.12.email')
})

test('a list of objects is cleared by a column of its name', () => {
  const schema = Type.Object({
    who: Type.String(),
    emails: Type.Array(Type.Object({ email: Type.String() }), { maxItems: 12 }),
  })
  const { read } = compileCsvColumns(schema, ['who', 'emails', 'emails.0.email'], 'people.csv')
  expect(read(['A', 'null', ''])).toEqual({ who: 'A', emails: null })
  expect(read(['A', 'null', 'a@a.example'])).toEqual({ who: 'A', emails: [{ email: 'a@a.example' }] })
  expect(read(['A', '', ''])).toEqual({ who: 'A' })
  // For the check of the record to refuse.
  expect(read(['A', 'none', ''])).toEqual({ who: 'A', emails: 'none' })
})
