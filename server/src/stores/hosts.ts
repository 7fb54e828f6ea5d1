import { normalizeDomain } from '../kernel/domain.ts'
import { ApiError } from '../kernel/errors.ts'

/** The hosts that a list of domains and URLs names, without repetitions; refused when any is none, naming every such place. */
export function distinctHosts(domains: string[], path: string): string[] {
  const hosts = domains.map((domain) => normalizeDomain(domain))
  const bad = hosts.flatMap((host, index) => (host === null ? [`${path}[${index}]`] : []))
  if (bad.length > 0) {
    const verb = bad.length === 1 ? 'is not a domain' : 'are not domains'
    throw new ApiError('invalid_domain', `${bad.join(', ')} ${verb} or a URL with one.`, { param: bad[0]! })
  }
  return [...new Set(hosts as string[])]
}
