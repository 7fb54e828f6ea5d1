import { domainToASCII } from 'node:url'
import validator from 'validator'
import { normalizeDomain } from '../domain.ts'
import { trimMatching } from '../text/trim.ts'
import { decodeEscapes, fold, normalizeUntilStable } from './fold.ts'

// Imports read about 15,000 people per second, and nearly all spellings match this; only the rest goes to the libraries.
const cleanEmail = /^([a-z0-9_]+(?:[.+-][a-z0-9_]+)*)@([a-z0-9.-]+)$/i
const maxLength = 254
const maxLocalLength = 64

/** Blanks, controls, marks of direction and width, and what stands for a lost character. */
const unseen = /[\s\p{C}\p{Default_Ignorable_Code_Point}\ufffd]/u
const outerUnseen = /[\s\p{Cf}\p{Default_Ignorable_Code_Point}]/u
/** What makes more of a host: a scheme, a port, a path, a query, escapes. */
const notInHost = /[/?#:@%\\[\]<>"'(),;＠／？＃：％]/

/**
 * An address in the one form in which contacts have it: local part as written, host in lower case and ASCII. Null for what
 * is no address, or more than one: a path behind it, a port, an invisible character.
 */
export function readEmail(text: string): string | null {
  const clean = cleanEmail.exec(text)
  if (clean && text.length <= maxLength && clean[1]!.length <= maxLocalLength) {
    const host = clean[2]!.toLowerCase()
    return normalizeDomain(host) === null ? null : `${clean[1]}@${host.endsWith('.') ? host.slice(0, -1) : host}`
  }
  const at = text.lastIndexOf('@')
  if (at < 1 || text.length > maxLength || unseen.test(text) || notInHost.test(text.slice(at + 1))) return null
  const host = domainToASCII(text.slice(at + 1).replace(/\.$/, ''))
  const address = `${withoutQuotes(text.slice(0, at))}@${host}`
  return normalizeDomain(host) !== null && validator.isEmail(address, { allow_utf8_local_part: true }) ? address : null
}

/** The first invisible or impossible character of an address; null for none. */
export function findUnseen(text: string): string | null {
  return unseen.exec(text)?.[0] ?? null
}

/**
 * The address in a text as programs and people write it: `mailto:a@b?subject=…`, `Name <a@b>`, a full-width at sign, a full
 * stop behind it. Other text is returned as it is.
 */
export function unwrapEmail(text: string): string {
  if (cleanEmail.test(text)) return text
  const visible = trimMatching(text, outerUnseen)
  const inBrackets = /^[^<>]*<([^<>\s]+)>$/.exec(visible)?.[1]
  const bare = inBrackets && /.[@＠]./.test(inBrackets) ? inBrackets : visible
  const address = /^mailto:/i.test(bare) ? decodeLink(bare.slice(7)) : bare
  const plain = address.replace(/[＠．]/g, (sign) => sign.normalize('NFKC'))
  return /[.,;]$/.test(plain) ? plain.slice(0, -1) : plain
}

function decodeLink(link: string): string {
  try {
    return decodeURIComponent(link.split('?', 1)[0]!)
  } catch {
    return link
  }
}

/**
 * The bare address in lower case, for identities: aliases that the provider ignores (`+news`, dots) are dropped. More
 * spellings have one than `readEmail` takes, so that a request is recognised.
 */
export function normalizeEmail(text: string): string | null {
  const address = text.trim()
  const [, cleanLocal, cleanHost] =
    (address.length <= maxLength && cleanEmail.exec(address)?.map((part) => part.toLowerCase())) || []
  if (cleanLocal && cleanHost && cleanLocal.length <= maxLocalLength) {
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
  const ascii = `${withoutQuotes(local)}@${host}`
  return host !== null && validator.isEmail(ascii, { allow_utf8_local_part: true }) ? dropAliases(ascii) : null
}

/** A local part whose quotes change nothing. */
function withoutQuotes(local: string): string {
  return /^"([^\s"\\@.]+(?:\.[^\s"\\@.]+)*)"$/.exec(local)?.[1] ?? local
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

const placeholderName =
  /^(?:(?:e?mail|address)[._-]?not[._-]?(?:unlocked|available|found|provided)|no[._-]?e?-?mail|no[._-]?address|not[._-]?(?:available|provided|applicable)|none|null|undefined|unknown|placeholder|dummy)@/
/** Local parts that are placeholders at the host of the same name, such as test@test.com. */
const placeholderTwins = new Set('test email none no na example abc asdf xxx aaa 123'.split(' '))
/** Local parts that are placeholders at hosts that do not exist. */
const placeholderLocals = new Set(
  'test email mail name user you yourname your.name someone john.doe johndoe jane.doe janedoe first.last'.split(' '),
)
const placeholderHosts = new Set(
  'example.com example.org example.net domain.com email.com company.com yourdomain.com yourcompany.com'.split(' '),
)

/** Whether a normal form stands for no address: what programs and people write where they have none. */
export function isPlaceholder(normalEmail: string): boolean {
  const [local, host] = normalEmail.split('@') as [string, string]
  if (placeholderTwins.has(local) && host.startsWith(`${local}.`)) return true
  return (placeholderLocals.has(local) && placeholderHosts.has(host)) || placeholderName.test(normalEmail)
}
