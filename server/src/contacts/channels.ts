import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/min'
import normalizeUrl from 'normalize-url'
import validator from 'validator'
import { normalizeDomain } from '../kernel/domain.ts'

/** Normal forms of channels: two spellings of the same channel have the same one. Null for what is no such channel. */

export function normalizeEmail(text: string): string | null {
  const address = text
    .trim()
    .replace(/^mailto:/i, '')
    .normalize('NFKC')
  const at = address.lastIndexOf('@')
  const host = normalizeDomain(address.slice(at + 1))
  const ascii = `${address.slice(0, at)}@${host}`
  if (at < 1 || host === null || !validator.isEmail(ascii, { allow_utf8_local_part: true })) return null
  return validator.normalizeEmail(ascii) || null
}

// What most numbers look like once their punctuation is gone; reading it needs no knowledge of countries.
const international = /^\+[1-9]\d{6,14}$/

export function normalizePhone(text: string, country: string | null): string | null {
  const bare = text
    .trim()
    .replace(/[\s().\-/]/g, '')
    .replace(/^00/, '+')
  if (international.test(bare) && !text.includes('(0)')) return bare
  const options = country && isSupportedCountry(country) ? { defaultCountry: country as CountryCode } : {}
  const parsed = parsePhoneNumberFromString(text.replace(/^\s*00/, '+'), options)
  if (parsed?.isPossible()) return parsed.number
  const digits = bare.replace(/\D/g, '')
  return digits.length >= 3 ? digits : null
}

export function normalizeProfile(text: string): string | null {
  try {
    return normalizeUrl(text.trim(), {
      stripProtocol: true,
      stripHash: true,
      stripWWW: true,
      removeTrailingSlash: true,
      defaultProtocol: 'https',
    }).toLowerCase()
  } catch {
    return null
  }
}
