import { isIP, isIPv6 } from 'node:net'

/** An IPv4 address, or the /64 network of an IPv6 address, which one customer of a provider has. */
export function networkOf(address: string): string {
  // Keep all of an IPv4 address in IPv6 form.
  return isIPv6(address) && !address.includes('.') ? groupsOf(address).slice(0, 4).join(':') : address
}

/**
 * The network that stays of an address when it is no longer needed: an IPv4 /24 or an IPv6 /48, which many people share.
 * Null for a text that is no address.
 */
export function wideNetworkOf(address: string): string | null {
  const plain = /^::ffff:([\d.]+)$/i.exec(address)?.[1] ?? address
  const version = isIP(plain)
  if (version === 4) return `${plain.slice(0, plain.lastIndexOf('.'))}.0/24`
  return version === 6 ? `${groupsOf(plain).slice(0, 3).join(':')}::/48` : null
}

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): string[] {
  const [head = '', tail] = address.split('::')
  const groups = head.split(':').filter(Boolean)
  if (tail === undefined) return groups
  const last = tail.split(':').filter(Boolean)
  return [...groups, ...Array<string>(Math.max(0, 8 - groups.length - last.length)).fill('0'), ...last]
}
