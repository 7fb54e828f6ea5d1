import { getCountries, getCountryCallingCode, getExampleNumber } from 'libphonenumber-js/max'
import examples from 'libphonenumber-js/mobile/examples'
import { describe, expect, test } from 'vitest'
import { readPhone } from '../../../../src/catalogue/imports/cells/phones.ts'
import { outcome as outcomeOf } from '../support/cell-outcome.ts'

const outcome = (text: string, country: string | null) => outcomeOf(() => readPhone(text, country))

const several = 'fault: is more than one number'
const unclear = (code: string) => `fault: could begin with the country code ${code} or with an area code`
const changed = 'fault: is a number that a program has changed'

test.each([
  ['01602229999.0', 'DE', '+491602229999'],
  ['1602229999.0', 'DE', '+491602229999'],
  ['2025550143.0', 'US', '+12025550143'],
  ['1602229999,0', 'DE', '+491602229999'],
  ['+491602229999.0', null, '+491602229999'],
  ['1713920012.5', 'DE', changed],
  // The zero of Rome is lost, and Italy keeps it.
  ['612345678.0', 'IT', changed],
  ['4.91602229999E+11', 'DE', 'fault: is a number that a spreadsheet rounded'],
])('%s in %s, as a data frame writes it, is %s', (text, country, expected) => {
  expect(outcome(text, country)).toBe(expected)
})

test.each([
  ['030 23125-0 / 23125-11', 'DE'],
  ['030 23125/-11', 'DE'],
  ['030 23125 - 23126', 'DE'],
  ['030 1234567, 030 7654321', 'DE'],
  ['030 1234567; 7654321', 'DE'],
  ['030 1234567\n030 7654321', 'DE'],
  ['030 1234567 oder 030 7654321', 'DE'],
  ['202-555-0143/0144', 'US'],
  ['030 23125123-12-13', 'DE'],
  ['+49 30 1234567 +49 30 7654321', null],
])('%s is two numbers, and becomes none', (text, country) => {
  expect(outcome(text, country)).toBe(several)
})

test.each([
  ['030/23125-123', 'DE', '+493023125123'],
  ['06221/123456', 'DE', '+496221123456'],
  ['033200/12345', 'DE', '+493320012345'],
  ['+49 (0) 33200/12345', null, '+493320012345'],
  ['030 - 23125 123', 'DE', '+493023125123'],
  ['030 231251 - 12', 'DE', '+493023125112'],
  ['030 1234567;ext=12', 'DE', '+49301234567 x12'],
  ['01/51320', 'AT', '+43151320'],
  ['1-202-555-0143', 'US', '+12025550143'],
  ['01-23-45-67-08', 'FR', '+33123456708'],
  ['8 (495) 123-45-67', 'RU', '+74951234567'],
  ['011 234 5678', 'ZA', '+27112345678'],
  ['0113 496 0123', 'GB', '+441134960123'],
  ['\u202a+49 30 1234567\u202c', null, '+49301234567'],
  ['＋４９ 30 1234567', null, '+49301234567'],
])('%s is one number', (text, country, expected) => {
  expect(outcome(text, country)).toBe(expected)
})

test.each([
  ['491602229999', 'DE', unclear('49')],
  ['4930123456', 'DE', '+4930123456'],
  ['447911123456', 'GB', '+447911123456'],
  ['12025550143', 'US', '+12025550143'],
  ['6281234567', 'ID', unclear('62')],
])('%s in %s, without plus, is %s', (text, country, expected) => {
  expect(outcome(text, country)).toBe(expected)
})

describe('in every country', () => {
  const numbers = getCountries().flatMap((country) => {
    const number = getExampleNumber(country, examples)
    return number ? [{ country, number }] : []
  })

  test('a number is itself or at fault, however a program has changed it', () => {
    expect(numbers.length).toBeGreaterThan(200)
    for (const { country, number } of numbers) {
      const code = getCountryCallingCode(country)
      const { nationalNumber, number: e164 } = number
      const national = number.formatNational()
      expect([e164, expect.stringMatching(/^fault/)], `${country} ${national}`).toContainEqual(
        outcome(national, country),
      )
      for (const text of [`${code}${nationalNumber}`, `${code}${nationalNumber}.0`, `+${e164.slice(1)}.0`])
        expect(outcome(text, country), `${country} ${text}`).toMatch(new RegExp(`^(?:\\+${e164.slice(1)}|fault: .*)$`))
    }
  })

  test('two numbers in a cell are never a third', () => {
    for (const { country, number } of numbers)
      for (const mark of [number.nationalNumber.length > 6 ? ' / ' : '; ', ';', ', ', '\n', ' & ', ' or '])
        for (const text of [number.formatNational(), number.formatInternational()])
          expect(outcome(`${text}${mark}${text}`, country), `${country} ${text}${mark}`).toMatch(/^fault/)
  })
})
