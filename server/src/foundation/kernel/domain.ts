/**
 * Normal form of domain names, which identify stores. A URL is parsed by the URL standard; a host without a scheme as
 * if preceded by `http://`, but strictly: no escapes, white space, controls or backslashes.
 */
import { isIPv4 } from 'node:net'
import { domainToASCII, domainToUnicode } from 'node:url'
import { parse } from 'tldts'
import { findForeignCharacter, nameCharacter } from './text/idna.ts'
import { trimMatching } from './text/trim.ts'

const maxLength = 253

/**
 * A host may be longer than its ASCII form, but Unicode normalisation takes quadratic time, so its length is bounded.
 */
const maxWrittenLength = 1024

const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const asciiHost = new RegExp(`^(?:${label}\\.)+${label}$`)

// Each matches the authority, `user@host:port`. The first covers the schemes for which the standard accepts any number
// of slashes, forward or back, and strips leading controls; a `//` without a scheme is treated the same.
const webUrl = /^(?:[\0-\x20]*(?:https?|wss?|ftp):[/\\\t\n\r]*|\/\/)([^/\\?#]+)/i
const otherUrl = /^[a-z][a-z0-9+.-]*:\/\/([^/\\?#]+)(?:[/?#]|$)/i
const bareHost = /^((?:[^/\\?#@:%\0-\x20\x7f]+@)?[^/\\?#@:%\0-\x20\x7f]+(?::\d*)?)(?:[/?#]|$)/

/** Top-level domains reserved for examples and tests; invented stores use them. */
const reservedSuffixes = ['.example', '.test']

const suffixOptions = { allowPrivateDomains: true, extractHostname: false, validateHostname: false, detectIp: false }

/** Invisible characters at the ends of a text, which programs copy with it. */
const invisible = /[\s\p{Default_Ignorable_Code_Point}]/u

/**
 * The domain of `input` (a host or a URL): lower case, IDNA 2008 in ASCII, without one trailing dot and any leading
 * `www.`. A domain is its own domain, so that what is stored is found by its own name. Null when there is no host, it has a character that no domain has (`describeDomainFault` names it), or it is not
 * a name under a public suffix: an IP address, a suffix itself, a single label.
 */
export function normalizeDomain(input: string): string | null {
  const text = input.trim()
  const isPlain = text.length <= maxLength && asciiHost.test(text)
  const host = isPlain ? text : hostOf(input)
  if (host === null) return null
  let domain = host
  while (domain.startsWith('www.')) domain = domain.slice(4)
  return isDomain(domain) ? domain : null
}

/** Names the first character of a host that no domain has: `U+2011 NON-BREAKING HYPHEN`. Null if that is not the fault. */
export function describeDomainFault(input: string): string | null {
  const written = writtenHost(input)
  const foreign = written === null ? null : foreignIn(written)
  return foreign === null ? null : nameCharacter(foreign)
}

/** The host as it is written; null when the text has none, or it is too long. */
function writtenHost(input: string): string | null {
  const text = trimMatching(input, invisible)
  const authority = (webUrl.exec(text) ?? otherUrl.exec(text) ?? bareHost.exec(text))?.[1]
  if (authority === undefined) return null
  const written = trimMatching(authority.slice(authority.lastIndexOf('@') + 1), invisible)
  return written.length > maxWrittenLength ? null : written
}

/** Full stops that the URL standard takes for a dot. */
const dots = /[.\u3002\uff0e\uff61]/u

function foreignIn(written: string): string | null {
  const host = written.includes('%') ? decodeEscapes(written) : written
  // Composed: = and a stroke are another character together.
  for (const label of host.normalize('NFC').split(dots)) {
    const foreign = findForeignCharacter(/^xn--/i.test(label) ? domainToUnicode(label) : label)
    if (foreign !== null) return foreign
  }
  return null
}

function decodeEscapes(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The host in ASCII, of any kind; null when `input` has none or it is malformed. */
function hostOf(input: string): string | null {
  const written = writtenHost(input)
  if (written === null || foreignIn(written) !== null) return null
  try {
    // Older Unicode tables map the capital sharp s to "ss", present ones to the small letter: one answer on every Node.
    // Not URL.canParse: in Node 20 and 22, once optimised, it misreads letters such as ü.
    const { hostname } = new URL(`http://${written.replaceAll('ẞ', 'ß')}/`)
    return hostname.endsWith('.') ? hostname.slice(0, -1) : hostname
  } catch {
    return null
  }
}

/** Whether a host, of a URL too, is this machine. Names other than localhost can resolve to any address. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$/g, '')
  return name === 'localhost' || name === '::1' || (isIPv4(name) && name.startsWith('127.'))
}

function isDomain(host: string): boolean {
  if (host.length > maxLength || !asciiHost.test(host)) return false
  if (host.includes('xn--') && !host.split('.').every(isSoundLabel)) return false
  if (reservedSuffixes.some((suffix) => host.endsWith(suffix))) return true
  const { domain, isIcann, isPrivate } = parse(host, suffixOptions)
  return domain !== null && (isIcann === true || isPrivate === true)
}

/** Whether a label is plain, or the one spelling of a word in Punycode. */
function isSoundLabel(label: string): boolean {
  if (!label.startsWith('xn--')) return true
  // For bad Punycode Node 20 answers with nothing, Node 24 with the label as it was.
  const word = domainToUnicode(label)
  return word !== label && domainToASCII(word) === label && findForeignCharacter(word) === null
}
