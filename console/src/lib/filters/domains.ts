/** The host that a text names, if it looks like a domain or a URL with one. The service decides what is valid. */
export function toHost(text: string): string | null {
  const trimmed = text.trim()
  if (trimmed === '' || /\s/.test(trimmed)) return null
  try {
    const { hostname } = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `https://${trimmed}`)
    const host = hostname.replace(/\.$/, '')
    const isHost = /^[^.]+(\.[^.]+)+$/.test(host) && !/^[\d.]+$/.test(host)
    return isHost ? asWritten(trimmed, host) : null
  } catch {
    return null
  }
}

/**
 * Browsers drop what is invisible in a host, and take a look-alike of a hyphen for a letter: another domain than the one
 * that is read. So the service gets such a host as it is written, and names the character.
 */
function asWritten(text: string, host: string): string {
  if (!/[^\0-\x7f]/.test(text)) return host
  const written = /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^/?#@]*@)?([^/?#:@]+)/i.exec(text)?.[1]
  return written !== undefined && /[^\0-\x7f]/.test(written) ? written.toLowerCase() : host
}

export interface PastedDomains {
  hosts: string[]
  /** Entries that are no domain. */
  rejected: string[]
}

/** Domains from a pasted list, one a line or separated by commas, semicolons or spaces; each once. */
export function parsePastedDomains(text: string): PastedDomains {
  const words = text.split(/[\s,;]+/).filter((word) => word !== '')
  const hosts = new Set<string>()
  const rejected: string[] = []
  for (const word of words) {
    const host = toHost(word)
    if (host) hosts.add(host)
    else rejected.push(word)
  }
  return { hosts: [...hosts], rejected }
}
