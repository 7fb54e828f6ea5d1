import {
  type CountryCode,
  getCountryCallingCode,
  isSupportedCountry,
  type PhoneNumber,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/min'
import { isPlainPhone } from '../../../foundation/kernel/channels/phone.ts'
import { CellFault } from './cell-fault.ts'

const scientific = /^\d(?:[.,]\d+)?e\+?\d+$/i
/** A number that a program read as a decimal one, and wrote so: 491602229999.0. */
const decimalEnd = /^(\+?\d{5,})[.,](\d{1,2}|0+)$/
/** Marks of direction and width that contact programs copy with a number. */
const invisible = /\p{Default_Ignorable_Code_Point}/gu

/** No number is longer, with an extension in words. */
const maxLength = 100

/** Whether the store's country makes no difference: there is a country code, or the number was lost. */
export function isCountryless(text: string): boolean {
  return isInternationalPhone(text) || scientific.test(text)
}

/** Whether a written number has its country code. */
export function isInternationalPhone(text: string): boolean {
  return /^(?:tel:)?[\s(\p{Cf}]*(?:[+＋]|00)/u.test(text)
}

/**
 * E.164 of a phone number as people write it, with ` x12` for an extension. A number without country code is read with
 * the rules of `country` (ISO 3166-1). A possible number is enough, unless it could be read in two ways. Throws
 * `CellFault` for anything else.
 */
export function readPhone(text: string, country: string | null): string {
  if (isPlainPhone(text)) return text
  if (scientific.test(text))
    throw new CellFault('is a number that a spreadsheet rounded', 'format the column as text and fill it again')
  if (text.length > maxLength) throw new CellFault('is not a phone number')
  const written = text
    .normalize('NFKC')
    .replace(invisible, '')
    .replace(/^tel:/i, '')
    .trim()
    .replace(/^(\(?)00/, '$1+')
  const [, whole, fraction = ''] = decimalEnd.exec(written) ?? []
  if (whole === undefined) refuseSeveral(written, country)
  const isNational = !isInternationalPhone(written)
  if (isNational && country === null)
    throw new CellFault('has no country code, and its store has no country', 'write it as +49 30 123456')
  const phone = isNational ? parseNational(whole ?? written, country!) : parse(whole ?? written, null)
  if (whole !== undefined && (/[1-9]/.test(fraction) || !phone?.isValid()))
    throw new CellFault('is a number that a program has changed', 'format the column as text and fill it again')
  if (!phone?.isPossible()) throw new CellFault('is not a phone number')
  return phone.ext ? `${phone.number} x${phone.ext}` : phone.number
}

function parse(text: string, country: string | null): PhoneNumber | undefined {
  const options = country !== null && isSupportedCountry(country) ? { defaultCountry: country as CountryCode } : {}
  return parsePhoneNumberFromString(text, { ...options, extract: false })
}

/**
 * A number without plus. If it begins with the country's own code, that can be the code or the first digits of an area:
 * then the reading that alone is possible counts, or else the one that alone is valid.
 */
function parseNational(text: string, country: string): PhoneNumber | undefined {
  const code = isSupportedCountry(country) ? getCountryCallingCode(country as CountryCode) : null
  const start = text.replace(/[\s().-]/g, '')
  if (code === null || !start.startsWith(code)) return parse(text, country)
  const [withCode, withoutCode] = [parse(`+${text}`, null), parse(`+${code} ${text}`, null)]
  const possible = [withCode, withoutCode].filter((phone) => phone?.isPossible())
  if (possible.length < 2 || withCode!.number === withoutCode!.number) return possible[0]
  const valid = possible.filter((phone) => phone!.isValid())
  if (valid.length === 1) return valid[0]
  throw new CellFault(
    `could begin with the country code ${code} or with an area code`,
    'write it with + and its country code',
  )
}

/** What stands between two numbers, and never inside of one. */
const betweenNumbers = /[;,|&\n]|\s(?:or|oder|ou|und|and|et|y|o|e|lub|of)\s/giu
/** What can also stand behind an area code: 0221/12345, 030 - 123456. */
const perhapsInside = /\/|\s[-–—]\s|[-–](?=\d{1,4}[-–]\d{1,4}$)/gu
const extension = /(?:;\s{0,3}ext=|;?\s{0,3}(?:ext\.?|x|#))\s{0,3}\p{Nd}{1,7}$/iu
/** No area code has so many digits. */
const leastDigits = 7

/** Two numbers in one cell would become a third. */
function refuseSeveral(written: string, country: string | null): void {
  const text = written.replace(extension, '')
  const isSeveral = countPluses(text) > 1 || splits(text, betweenNumbers, 3, 2) || hasNumberBefore(text, country)
  if (isSeveral) throw new CellFault('is more than one number', 'give each a column of its own: Phone, Phone 2')
}

/** Whether a mark has so many digits before and after it. */
function splits(text: string, mark: RegExp, before: number, after: number): boolean {
  return [...text.matchAll(mark)].some(
    ({ 0: { length }, index }) =>
      countDigits(text.slice(0, index)) >= before && countDigits(text.slice(index + length)) >= after,
  )
}

/** Whether what stands before a slash or a dash is a number already. After a dash can follow an extension. */
function hasNumberBefore(text: string, country: string | null): boolean {
  return [...text.matchAll(perhapsInside)].some(({ 0: mark, index }) => {
    const [before, after] = [text.slice(0, index), text.slice(index + mark.length)]
    if (countDigits(before) < leastDigits || countDigits(after) < (/\s/.test(mark) ? 5 : 1)) return false
    const first = parse(before, country)
    return first?.isValid() === true && first.nationalNumber.length >= leastDigits
  })
}

function countPluses(text: string): number {
  return text.split('+').length - 1
}

function countDigits(text: string): number {
  return text.match(/\p{Nd}/gu)?.length ?? 0
}
