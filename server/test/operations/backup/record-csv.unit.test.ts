import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CellFault } from '../../../src/catalogue/imports/cells/cell-fault.ts'
import { exactCell, isExactCell, readExactCell } from '../../../src/catalogue/imports/cells/exact-cell.ts'
import { ContactRecord } from '../../../src/catalogue/imports/contacts/contact-record.ts'
import { StoreRecord } from '../../../src/catalogue/imports/stores/store-record.ts'
import { columnsOf, createRecordCsv } from '../../../src/operations/backup/records/record-csv.ts'

const storeRow = (record: object) => {
  const columns = columnsOf(StoreRecord, new Map())
  const cells = createRecordCsv(columns, StoreRecord).row(record).trimEnd()
  return cells.replace(/,+$/, '')
}

test('what an import reads as it is stands in its cell as it is', () => {
  expect(storeRow({ domain: 'willow-teas.example', name: 'Willow Teas', aliases: ['a.example', 'b.example'] })).toBe(
    'willow-teas.example,Willow Teas,a.example|b.example',
  )
  expect(storeRow({ domain: 'a.example', name: '-Dash & Søn 株式会社', lead_fit_score: -12.75 })).toBe(
    "a.example,'-Dash & Søn 株式会社,,,,,,,-12.75",
  )
})

test.each([
  ['None', 'json:"None"'],
  ['null', 'json:"null"'],
  ['-', 'json:"\\u002d"'],
  [' Blank ', 'json:" Blank "'],
  ['=1+1', 'json:"\\u003d1\\u002b1"'],
  ['<b>Bold</b>', 'json:"<b>Bold</b>"'],
  ["'=1", 'json:"\'\\u003d1"'],
  ['json:"x"', 'json:"json:\\"x\\""'],
])('what cleaning would change is said exactly: the name %j', (name, cell) => {
  const quoted = /[",]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
  expect(storeRow({ domain: 'a.example', name })).toBe(`a.example,${quoted}`)
  expect([isExactCell(cell), readExactCell(cell)]).toEqual([true, name])
})

test('so are numbers that could be thousands, and phones that cleaning would spell anew, all of a person', () => {
  expect(storeRow({ domain: 'a.example', lead_fit_score: 1.234 })).toBe('a.example,,,,,,,,json:1.234')
  const columns = ['store_domain', 'phones.0.phone', 'phones.1.phone']
  const row = (phones: string[]) =>
    createRecordCsv(columns, ContactRecord).row({
      store_domain: 'a.example',
      phones: phones.map((phone) => ({ phone })),
    })
  expect(row(['+4930123456', '+4930123457'])).toBe('a.example,+4930123456,+4930123457\r\n')
  expect(row(['+4930123456', '030 123457'])).toBe('a.example,"json:""\\u002b4930123456""","json:""030 123457"""\r\n')
})

test('any text comes out of an exact cell, and none of it is a delimiter or begins a formula', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.array(fc.string({ unit: 'binary' })), (text, list) => {
      expect(readExactCell(exactCell(text))).toBe(text)
      expect(readExactCell(exactCell(list))).toEqual(list)
      expect(exactCell(text)).not.toMatch(/[;,|\t\r\n=+@-]/)
    }),
  )
})

test('text that only begins like one is text', () => {
  for (const text of ['json', 'json:', 'json: an introduction', 'json:api', 'JSON:"x"'])
    expect(isExactCell(text), text).toBe(false)
  expect(() => readExactCell('json:"open')).toThrow(CellFault)
})
