import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/min'
import { CellFault } from './cell-fault.ts'

const scientific = /^\d(?:[.,]\d+)?e\+?\d+$/i

/** Whether the store's country makes no difference: there is a country code, or the number was lost. */
export function isCountryless(text: string): boolean {
  return isInternationalPhone(text) || scientific.test(text)
}

/** Whether a written number has its country code. */
export function isInternationalPhone(text: string): boolean {
  return /^(?:tel:)?[\s(]*(?:\+|00)/.test(text)
}

/**
 * E.164 of a phone number as people write it, with ` x12` for an extension. A number without country code is read with
 * the rules of `country` (ISO 3166-1). A possible number is enough. Throws `CellFault` for anything else.
 */
export function readPhone(text: string, country: string | null): string {
  if (scientific.test(text))
    throw new CellFault('is a number that a spreadsheet rounded', 'format the column as text and fill it again')
  const written = text
    .replace(/^tel:/i, '')
    .replace(/^(\(?)00/, '$1+')
    .trim()
  const isNational = !isInternationalPhone(written)
  if (isNational && country === null)
    throw new CellFault('has no country code, and its store has no country', 'write it as +49 30 123456')
  const options = country !== null && isSupportedCountry(country) ? { defaultCountry: country as CountryCode } : {}
  const phone = parsePhoneNumberFromString(written, { ...options, extract: false })
  if (!phone?.isPossible()) throw new CellFault('is not a phone number', null)
  return phone.ext ? `${phone.number} x${phone.ext}` : phone.number
}
