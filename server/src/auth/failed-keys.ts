import { isIPv6 } from 'node:net'

/** Mistakes that an address may make within a window before its connections are slowed down. */
const free = 100
const windowMs = 60_000
const maxAddresses = 10_000
const restMs = 500

/**
 * Counts refused keys by address, to slow down whoever tries keys. Nobody is refused for it: a real key works from the
 * same address, which may be that of a whole office or of a proxy. IPv6 addresses count by their network of 64 bits.
 */
export class FailedKeys {
  #counts = new Map<string, number>()
  #windowStart = 0

  /** How many addresses and networks are counted. */
  get size(): number {
    return this.#counts.size
  }

  /** Counts a refused key. How long the connection is to rest before its next request is read; 0 for not at all. */
  count(address: string, nowMs = performance.now()): number {
    if (nowMs - this.#windowStart >= windowMs || this.#counts.size >= maxAddresses) {
      this.#counts = new Map()
      this.#windowStart = nowMs
    }
    const network = networkOf(address)
    const failures = (this.#counts.get(network) ?? 0) + 1
    this.#counts.set(network, failures)
    return failures > free ? restMs : 0
  }
}

function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.split('::')
  const groups = head.split(':').filter(Boolean)
  if (tail !== undefined) {
    const last = tail.split(':').filter(Boolean)
    while (groups.length + last.length < 8) groups.push('0')
    groups.push(...last)
  }
  // An IPv4 address in IPv6 form keeps all of it.
  return address.includes('.') ? address : groups.slice(0, 4).join(':')
}
