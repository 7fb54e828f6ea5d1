import { isIP } from 'node:net'

/**
 * The servers of a list that may be used, by libpq's names. `read-write` and `read-only` depend on whether a session can
 * write, `primary` and `standby` on whether the server is a replica.
 */
export type SessionTarget = 'any' | 'read-write' | 'read-only' | 'primary' | 'standby' | 'prefer-standby'

/** The role of a configured server: everything, or reads. */
export interface HostRules {
  targets: readonly SessionTarget[]
  /** The target of a URL with several hosts that names none. */
  severalMean: SessionTarget
  /** The end of the error message for another target. */
  reason: string
}

export const writableHosts: HostRules = {
  targets: ['any', 'read-write', 'primary'],
  severalMean: 'read-write',
  reason: 'the service has to write',
}

export const readableHosts: HostRules = {
  targets: ['any', 'read-only', 'standby', 'prefer-standby'],
  severalMean: 'prefer-standby',
  reason: 'it is for reads',
}

/** One server. The driver connects with its URL. */
export interface Host {
  /** Host and port, without user and password. */
  address: string
  url: string
}

export interface HostList {
  hosts: Host[]
  target: SessionTarget
}

const lists = ['host', 'port']
const targetName = 'target_session_attrs'
const unsupported = ['hostaddr', 'load_balance_hosts']

// User and password end at the last @.
const shape = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)((?:\/[^?#]*)?)((?:\?[^#]*)?)$/i

/**
 * Moves several hosts of a URL into its query (`?host=a,b&port=1,2`), where a URL parser can read them; libpq accepts
 * both forms. Returns other URLs unchanged. Throws an error whose message continues after the setting's name and
 * contains no secret.
 */
export function normalizeHosts(given: string, rules: HostRules): string {
  const [, start = '', authority = '', path = '', query = ''] = shape.exec(given) ?? []
  if (!start) return given
  const parameters = new URLSearchParams(query)
  for (const name of unsupported)
    if (parameters.has(name)) throw new Error(`has the parameter ${name}, which is not supported; remove it`)
  const target = parameters.get(targetName)
  if (target !== null && !rules.targets.some((each) => each === target))
    throw new Error(`has a ${targetName} that it cannot have: ${rules.reason}, so use ${rules.targets.join(', ')}`)
  if (![authority, ...lists.map((name) => parameters.get(name) ?? '')].some((list) => list.includes(','))) return given
  const named = authority.split(',').map(splitPort)
  const hosts = parameters.get('host')?.split(',') ?? named.map(({ host }) => host)
  const ports = parameters.get('port')?.split(',') ?? named.map(({ port }) => port)
  if (hosts.some((host) => !isHost(host)))
    throw new Error('has a list of hosts with an entry that is no host name, address or socket folder')
  if (ports.length !== 1 && ports.length !== hosts.length)
    throw new Error('has as many ports as hosts, or one for all; correct its list')
  if (ports.some((port) => !isPort(port))) throw new Error('has a list of hosts with a port outside 1 to 65535')
  parameters.set('host', hosts.join(','))
  parameters.set('port', hosts.map((_, index) => ports[ports.length === 1 ? 0 : index] || defaultPort).join(','))
  parameters.set(targetName, target ?? rules.severalMean)
  return `${start}${placeholder}${path}?${parameters}`
}

const defaultPort = '5432'
/** The driver requires a host in the URL, even if the query names others. */
const placeholder = 'localhost'

/** The servers of a normalized URL, in order, each with a URL of its own. */
export function listHosts(normalized: string): HostList {
  const url = new URL(normalized)
  const target = url.searchParams.get(targetName) as SessionTarget | null
  url.searchParams.delete(targetName)
  const names = url.searchParams.get('host')?.split(',') ?? [bare(url.hostname)]
  const ports = url.searchParams.get('port')?.split(',') ?? [url.port]
  const hosts = names.map((name, index) => {
    const port = ports[index] || defaultPort
    const address = `${isIP(name) === 6 ? `[${name}]` : name}:${port}`
    return { address, url: names.length === 1 ? url.href : urlOf(url, name, port) }
  })
  // Without a target, the driver understands the URL as it is.
  const isPlain = names.length === 1 && target === null
  return { hosts: isPlain ? [{ address: hosts[0]!.address, url: normalized }] : hosts, target: target ?? 'any' }
}

function urlOf(list: URL, name: string, port: string): string {
  const url = new URL(list)
  url.searchParams.delete('port')
  if (name.startsWith('/')) url.searchParams.set('host', name)
  else {
    url.searchParams.delete('host')
    url.hostname = isIP(name) === 6 ? `[${name}]` : name
  }
  url.port = port
  return url.href
}

function splitPort(entry: string): { host: string; port: string } {
  const [, host = '', port = ''] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(entry) ?? []
  return { host: bare(decode(host)), port }
}

function bare(host: string): string {
  return host.replace(/^\[|\]$/g, '')
}

/** Returns an empty text for an invalid escape: it is no host name. */
function decode(text: string): string {
  return /%(?![\da-f]{2})/i.test(text) ? '' : decodeURIComponent(text)
}

function isHost(name: string): boolean {
  return name.startsWith('/') || isIP(name) !== 0 || /^[a-z\d_]([a-z\d_.-]{0,251}[a-z\d_])?\.?$/i.test(name)
}

function isPort(text: string): boolean {
  return text === '' || (/^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535)
}
