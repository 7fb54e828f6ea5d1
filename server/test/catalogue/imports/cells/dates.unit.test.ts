import { expect, test } from 'vitest'
import { readDate } from '../../../../src/catalogue/imports/cells/dates.ts'
import { outcome } from '../support/cell-outcome.ts'

test('dates are read as far as they are certain', () => {
  const cases: [cell: string, text: string, resolution?: string][] = [
    ['2019-03-01', '2019-03-01T00:00:00Z'],
    ['2019/3/1', '2019-03-01T00:00:00Z'],
    ['2019', '2019-01-01T00:00:00Z', 'year'],
    ['2019-03', '2019-03-01T00:00:00Z', 'month'],
    ['2019-03-01 08:05', '2019-03-01T08:05:00Z'],
    ['2019-03-01T08:05:00+02:00', '2019-03-01T08:05:00+02:00'],
    ['12 Mar 2021', '2021-03-12T00:00:00Z'],
    ['March 12, 2021', '2021-03-12T00:00:00Z'],
    ['March 2021', '2021-03-01T00:00:00Z', 'month'],
  ]
  for (const [cell, text, resolution = null] of cases)
    expect(readDate(cell, undefined), cell).toEqual({ text, resolution })
  for (const cell of ['03/04/2021', '3.4.2021', '31/12/2021'])
    expect(outcome(() => readDate(cell, undefined))).toBe('fault: does not tell day and month apart')
  expect(readDate('03/04/2021', 'dmy').text).toBe('2021-04-03T00:00:00Z')
  expect(readDate('03/04/2021', 'mdy').text).toBe('2021-03-04T00:00:00Z')
  expect(readDate('3.4.2021 10:30', 'dmy').text).toBe('2021-04-03T10:30:00Z')
  expect(outcome(() => readDate('31/12/2021', 'mdy'))).toBe('fault: is a date that does not exist')
  expect(outcome(() => readDate('2021-02-30', undefined))).toBe('fault: is a date that does not exist')
  expect(outcome(() => readDate('43525', undefined))).toBe('fault: is the number that a spreadsheet stores for a date')
  for (const cell of ['soon', '12', '1 Foo 2021', '2019-3-1-1', '31/12/21'])
    expect(
      outcome(() => readDate(cell, 'dmy')),
      cell,
    ).toBe('fault: is not a date')
})

test.each([
  ['3/1/2021 5:03:00 PM', 'mdy', '2021-03-01T17:03:00Z'],
  ['3/1/2021, 5:03\u202fp.m.', 'dmy', '2021-01-03T17:03:00Z'],
  ['12/31/2021 12:00:00 AM', 'mdy', '2021-12-31T00:00:00Z'],
  ['12 Mar 2021 12:30 pm', undefined, '2021-03-12T12:30:00Z'],
  ['3/1/2021 5:03:00 PM', undefined, 'fault: does not tell day and month apart'],
  ['3/1/2021 13:03 PM', 'mdy', 'fault: is not a date'],
  ['3/1/2021 0:03 AM', 'mdy', 'fault: is not a date'],
] as const)('%s, read as %s, is %s', (cell, order, expected) => {
  expect(outcome(() => readDate(cell, order).text)).toBe(expected)
})

test('the months of each language are read, in full, short, and beside a day', () => {
  const languages = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pt', 'pl', 'ja', 'zh']
  for (const language of languages)
    for (let month = 0; month < 12; month++)
      for (const style of ['long', 'short'] as const) {
        const at = new Date(Date.UTC(2021, month, 12))
        const write = (day: 'numeric' | undefined) =>
          new Intl.DateTimeFormat(language, { year: 'numeric', month: style, day, timeZone: 'UTC' }).format(at)
        const named = `${language}: ${write('numeric')}`
        expect(`${language}: ${write('numeric')} ${readDate(write('numeric'), undefined).text}`).toBe(
          `${named} ${at.toISOString().replace('.000', '')}`,
        )
        expect(readDate(write(undefined), undefined)).toEqual({
          text: new Date(Date.UTC(2021, month, 1)).toISOString().replace('.000', ''),
          resolution: 'month',
        })
      }
})

test('dates far from today are placeholders, however they are written', () => {
  for (const cell of ['1899-12-30', '12/31/1899', '2999-01-01', '2999-01-01T00:00:00Z', '9999-12-31', '1 Jan 0001'])
    expect(
      outcome(() => readDate(cell, 'mdy')),
      cell,
    ).toBe('fault: is not between 1900 and 2100')
  expect(readDate('1901-01-01', undefined).text).toBe('1901-01-01T00:00:00Z')
})
