import { expect, test } from 'vitest'
import { readNumberCell } from '../../src/read/cell-values.ts'
import { builtInFormat, readNumberFormat } from '../../src/read/number-formats.ts'

test.each([
  ['General', '1234.5', '1234.5'],
  ['#,##0.00', '1234.5', '1234.5'],
  ['0.0%', '0.715', '71.5'],
  ['0%', '0.07', '7'],
  ['00000', '123', '00123'],
  ['00000', '1234567', '1234567'],
  ['"ID-"00000', '123', 'ID-00123'],
  ['000\\-00\\-0000', '12345678', '012-34-5678'],
  ['(000) 000-0000', '2015550123', '(201) 555-0123'],
  ['00000', '12.5', '12.5'],
  ['0" days"', '12', '12'],
  ['[$€-407] #,##0.00', '12', '12'],
  ['yyyy-mm-dd', '45292', '2024-01-01'],
  ['d. mmmm yyyy', '45292', '2024-01-01'],
  ['[$-F800]dddd, mmmm dd, yyyy', '45292', '2024-01-01'],
  ['mmm-yy', '45292', '2024-01'],
  ['yyyy', '45292', '2024'],
  ['dd/mm/yyyy hh:mm', '45292.5', '2024-01-01T12:00:00'],
  ['hh:mm:ss', '0.75', '18:00:00'],
  ['[h]:mm', '0.75', '18:00:00'],
  ['[Red]0.00;[Blue]-0.00', '3.5', '3.5'],
  ['yyyy"年"m"月"d"日"', '45292', '2024-01-01'],
  ['@', '0042', '42'],
])('a number in the format %s is read as it is shown: %s is %s', (code, stored, shown) => {
  expect(readNumberCell(stored, readNumberFormat(code), 1900).text).toBe(shown)
})

test('formats that have a number and no code are known', () => {
  const shown = [9, 14, 17, 20, 22, 0].map((id) => readNumberCell('45292.25', builtInFormat(id), 1900).text)
  expect(shown).toEqual(['4529225', '2024-01-01', '2024-01', '06:00:00', '2024-01-01T06:00:00', '45292.25'])
})

test('the days of both epochs, with the leap day that Excel adds to 1900', () => {
  const day = readNumberFormat('yyyy-mm-dd')
  const shown = (serial: number, epoch: 1900 | 1904) => readNumberCell(String(serial), day, epoch).text
  expect([0, 1, 59, 60, 61, 2_958_465].map((serial) => shown(serial, 1900))).toEqual([
    ...['1900-01-00', '1900-01-01', '1900-02-28', '1900-02-29', '1900-03-01', '9999-12-31'],
  ])
  expect([0, 1, 60, 43_830].map((serial) => shown(serial, 1904))).toEqual([
    ...['1904-01-01', '1904-01-02', '1904-03-01', '2024-01-01'],
  ])
  expect(shown(-1, 1900)).toBe('-1')
  expect([2_958_466, 2_958_465.999999999].map((serial) => shown(serial, 1900))).toEqual(['2958466', '2958466'])
})

test.each([
  ['71.299999999999997', '71.3', 1],
  ['4.4267437499999999E4', '44267.4375', 1],
  ['1E-7', '0.0000001', 1],
  ['123456789012345', '123456789012345', 1],
  ['-0.5', '-0.5', 1],
  ['1234567890123456', '1234567890123456', 4],
  ['1.2345678901234568E+17', '1.2345678901234568E+17', 4],
  ['oak', 'oak', 0],
  ['Infinity', 'Infinity', 0],
])('%s is the number %s, of kind %i', (stored, text, kind) => {
  expect(readNumberCell(stored, undefined, 1900)).toEqual({ text, kind })
})
