import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  isSupportedCountry,
  Metadata,
  parseIncompletePhoneNumber,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/min'
import { fold, normalizeUntilStable } from './fold.ts'

// Imports read about 15,000 people per second, and nearly all spellings match this; only the rest goes to the library.
const cleanPhone = /^\+([1-9]\d{6,14})$/

/**
 * E.164, with `;ext=` for an extension. A number without a country code is read with the national rules of `country`
 * (ISO 3166-1); if that fails, its digits and letters are kept as they are.
 */
export function normalizePhone(text: string, country: string | null): string | null {
  const bare = text.replace(/[\s().\-/]/g, '').replace(/^\+?00/, '+')
  return isPlainPhone(bare) ? bare : normalizeUntilStable(text, (written) => readNumber(written, country))
}

function readNumber(text: string, country: string | null): string | null {
  const written = fold(text)
    .replace(/\p{Nd}/gu, (digit) => parseIncompletePhoneNumber(digit))
    .replace(/^[\p{L}\s.]+:\s*/u, '')
    .replace(/\([\p{L}\s.]+\)$/u, '')
    .replace(/^(\(?)\+?00/, '$1+')
    .trim()
  const options = country && isSupportedCountry(country) ? { defaultCountry: country as CountryCode } : {}
  const parsed = parsePhoneNumberFromString(written, { ...options, extract: false })
  if (parsed?.isPossible()) return parsed.ext ? `${parsed.number};ext=${parsed.ext}` : parsed.number
  const digitsAndLetters = written.replace(/[^\p{L}\p{N}]/gu, '')
  if ((digitsAndLetters.match(/\p{N}/gu)?.length ?? 0) < 3) return null
  return written.startsWith('+') ? `+${digitsAndLetters}` : digitsAndLetters
}

/** Whether `+` and digits are already E.164: of a possible length, without a national prefix. */
export function isPlainPhone(text: string): boolean {
  const digits = cleanPhone.exec(text)?.[1]
  if (!digits) return false
  for (let length = 1; length <= 3; length++) {
    const national = digits.slice(length)
    const isPossible = lengthsByCallingCode.get(digits.slice(0, length))?.has(national.length)
    if (isPossible !== undefined) return isPossible && firstDigits.test(national)
  }
  return false
}

/**
 * A number that starts with one of these has no national prefix, except in Argentina, which writes one inside the
 * number.
 */
const firstDigits = /^[2-7]/
const argentina = '54'

const lengthsByCallingCode = new Map<string, Set<number>>()
for (const country of getCountries()) {
  const code = getCountryCallingCode(country)
  const metadata = new Metadata()
  metadata.selectNumberingPlan(country)
  const lengths = lengthsByCallingCode.get(code) ?? new Set()
  for (const length of metadata.numberingPlan?.possibleLengths() ?? []) lengths.add(length)
  if (code !== argentina) lengthsByCallingCode.set(code, lengths)
}
