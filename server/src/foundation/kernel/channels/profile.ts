import normalizeUrl from 'normalize-url'
import { normalizeDomain } from '../domain.ts'
import { decodeEscapes, fold, normalizeUntilStable } from './fold.ts'

// Nearly all spellings match this; only the rest goes to the library.
const cleanProfile = /^(?:https?:\/\/)?((?:[a-z0-9-]+\.)+[a-z]{2,})((?:\/[\w~@-][\w.~@-]*)*)\/?$/i

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
