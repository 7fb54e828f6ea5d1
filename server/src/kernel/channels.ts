/**
 * Normal forms of contact channels: different spellings of one channel have the same normal form, so that an erased
 * person is recognised in any later file. A normal form is its own normal form. Null for text that is no such channel.
 */
import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  isSupportedCountry,
  Metadata,
  parseIncompletePhoneNumber,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/min'
import normalizeUrl from 'normalize-url'
import validator from 'validator'
import { normalizeDomain } from './domain.ts'

// Imports read about 15,000 people per second, and nearly all spellings match these; only the rest goes to the
// libraries.
const cleanEmail = /^([a-z0-9_]+(?:[.+-][a-z0-9_]+)*)@([a-z0-9.-]+)$/i
const cleanPhone = /^\+([1-9]\d{6,14})$/
const cleanProfile = /^(?:https?:\/\/)?((?:[a-z0-9-]+\.)+[a-z]{2,})((?:\/[\w~@-][\w.~@-]*)*)\/?$/i

/** The bare address in lower case; aliases that the provider ignores (`+news`, dots) are dropped. */
export function normalizeEmail(text: string): string | null {
  const address = text.trim()
  const [, cleanLocal, cleanHost] =
    (address.length <= 254 && cleanEmail.exec(address)?.map((part) => part.toLowerCase())) || []
  if (cleanLocal && cleanHost && cleanLocal.length <= 64) {
    const host = normalizeDomain(cleanHost)
    return host && dropAliases(`${cleanLocal}@${host}`)
  }
  return normalizeWrittenEmail(fold(address))
}

/** `Name <a@b>`, `mailto:a@b?subject=…`, `"a"@b`, hosts in Unicode. */
function normalizeWrittenEmail(text: string): string | null {
  const inBrackets = /<([^<>]*)>$/.exec(text)?.[1] ?? text
  const isLink = inBrackets.startsWith('mailto:')
  const address = isLink ? decodeEscapes(inBrackets.slice(7).split('?', 1)[0]!) : inBrackets
  const at = address.lastIndexOf('@')
  if (at < 1) return null
  const local = address.slice(0, at).trim()
  const host = normalizeDomain(address.slice(at + 1))
  const ascii = `${/^"([^\s"\\@.]+(?:\.[^\s"\\@.]+)*)"$/.exec(local)?.[1] ?? local}@${host}`
  return host !== null && validator.isEmail(ascii, { allow_utf8_local_part: true }) ? dropAliases(ascii) : null
}

function dropAliases(address: string): string {
  return normalizeUntilStable(address, (text) => validator.normalizeEmail(text) || text) as string
}

/** The host that emails at `text` have in normal form. Null for text that is no domain. */
export function normalizeMailHost(text: string): string | null {
  const host = normalizeDomain(fold(text))
  return host && hostOfEmail(dropAliases(`a@${host}`))
}

export function hostOfEmail(normalEmail: string): string {
  return normalEmail.slice(normalEmail.lastIndexOf('@') + 1)
}

const roleMailbox =
  /^(?:abuse|accounts?|admin|billing|careers|contact|customer-?(?:care|service)|hello|help|hi|hr|info|jobs|kontakt|mail|marketing|no-?reply|office|orders?|postmaster|press|sales|service|shop|store|support|team|webmaster)@/

/** Whether a normal form is a role mailbox (`info@`, `sales@`) rather than a person's, judged by its name. */
export function isRoleMailbox(normalEmail: string): boolean {
  return roleMailbox.test(normalEmail)
}

/**
 * E.164, with `;ext=` for an extension. A number without a country code is read with the national rules of `country`
 * (ISO 3166-1); if that fails, its digits and letters are kept as they are.
 */
export function normalizePhone(text: string, country: string | null): string | null {
  const bare = text.replace(/[\s().\-/]/g, '').replace(/^\+?00/, '+')
  return isPlainNumber(bare) ? bare : normalizeUntilStable(text, (written) => readNumber(written, country))
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
function isPlainNumber(text: string): boolean {
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

/**
 * Host and path, without the parts that differ between links to one page: scheme, country and mobile hosts, tracking,
 * escapes.
 */
export function normalizeProfile(text: string): string | null {
  const [, host, path] = cleanProfile.exec(text.trim()) ?? []
  return host !== undefined && path !== undefined ? joinProfile(host, path) : normalizeUntilStable(text, readLink)
}

/** Whether a normal form names a page of a site rather than the whole site. */
export function isProfilePage(normalProfile: string): boolean {
  return /[/?]/.test(normalProfile)
}

function readLink(link: string): string | null {
  const folded = decodeEscapes(fold(link)).replace(/\s/g, '')
  // A scheme other than http and https; `host:port` is no scheme.
  if (/^(?!https?:)[a-z][a-z0-9+.-]*:(?!\d)/.test(folded)) return null
  try {
    const page = normalizeUrl(folded, profileOptions)
    const pathStart = page.search(/[/?]|$/)
    return joinProfile(page.slice(0, pathStart), page.slice(pathStart))
  } catch {
    return null
  }
}

const profileOptions = {
  stripProtocol: true,
  stripHash: true,
  defaultProtocol: 'https',
  removeExplicitPort: true,
  removeQueryParameters: [
    /^utm_/,
    /^\w*clid$/,
    /^(?:igshi?d?|mc_[ce]id|mibextid|mkt_tok|refid|rdid|sc_[a-z]+|trk\w*|li(?:pi|cu)|s)$/,
    /^(?:ref|ref_src|ref_url|referrer|source|src|locale|lang|hl|originalsubdomain|trackingid)$/,
  ],
  emptyQueryValue: 'never',
} as const

function joinProfile(host: string, path: string): string | null {
  const domain = normalizeDomain(host)
  return domain && `${siteOf(domain, path !== '')}${path.toLowerCase()}`
}

/**
 * `de.`, `pt-br.` and `m.` are variants of a site with the same pages. Without a path such a host can be a site of its
 * own.
 */
function siteOf(host: string, hasPath: boolean): string {
  const [first, rest] = host.split(/\.(.*)/s, 2) as [string, string]
  const isVariant = first === 'www' || (hasPath && /^(?:m|mobile|[a-z]{2}(?:-[a-z]{2})?)$/.test(first))
  return isVariant && normalizeDomain(rest) === rest ? siteOf(rest, hasPath) : host
}

/** Repeats a normalisation until the result is stable (bounded): one pass can uncover what the next one removes. */
function normalizeUntilStable(text: string, read: (text: string) => string | null, passes = 8): string | null {
  const normal = read(text)
  return normal === null || normal === text || passes === 1 ? normal : normalizeUntilStable(normal, read, passes - 1)
}

/** One spelling for letters: no invisible characters, full-width and composed forms unified, lower case. */
function fold(text: string): string {
  const visible = text.replace(/\p{Default_Ignorable_Code_Point}/gu, '')
  return visible.normalize('NFKC').toLowerCase().normalize('NFKC').replaceAll('ς', 'σ').trim()
}

const reserved = /[/?#&=+\\]/g

/** Decodes percent escapes except those of separators. A percent sign itself is dropped. */
function decodeEscapes(text: string): string {
  const decoded = text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => {
    try {
      return fold(decodeURIComponent(run)).replaceAll('%', '').replace(reserved, encodeURIComponent).toLowerCase()
    } catch {
      return run
    }
  })
  return decoded.replace(/%(?!2f|3f|23|26|3d|2b|5c)/g, '')
}
