import { listHosts } from '@storedex/pg-lanes/hosts'
import pg from 'pg'
import { isLoopback } from '../kernel/domain.ts'

/**
 * `disable`: clear text on purpose; `require`: encrypted, certificate unchecked; `verify`: encrypted, certificate
 * checked.
 */
export const databaseTlsModes = ['disable', 'require', 'verify'] as const
export type DatabaseTls = (typeof databaseTlsModes)[number]

const sslmodeOf: Record<DatabaseTls, string> = { disable: 'disable', require: 'no-verify', verify: 'verify-full' }

// `pg` 8 verifies the certificate with each of these, but warns that a later version will not. So the URL names the
// mode explicitly.
const verifyingModes = new Set(['allow', 'prefer', 'require', 'verify-ca', 'verify-full'])
const otherModes = new Set(['disable', 'no-verify'])

/**
 * Returns the URL with explicit TLS settings, so that every connection made from it uses the same ones. Undefined when
 * its `sslmode` is unknown. A URL that asks for libpq's semantics (`uselibpqcompat`) keeps its `sslmode`.
 */
export function resolveTls(databaseUrl: string, tls: DatabaseTls | null): string | undefined {
  const url = new URL(databaseUrl)
  const given = url.searchParams.get('sslmode')
  if (given !== null && !verifyingModes.has(given) && !otherModes.has(given)) return undefined
  const keepsMeaning = url.searchParams.get('uselibpqcompat') === 'true'
  const mode = tls ? sslmodeOf[tls] : given && verifyingModes.has(given) && !keepsMeaning ? 'verify-full' : null
  if (mode === null) return databaseUrl
  // The values below are the driver's own.
  url.searchParams.delete('uselibpqcompat')
  url.searchParams.set('sslmode', mode)
  return url.href
}

/** Whether the URL contains TLS settings. */
export function setsTls(databaseUrl: string): boolean {
  const { searchParams } = new URL(databaseUrl)
  return searchParams.has('sslmode') || searchParams.has('ssl') || searchParams.get('sslnegotiation') === 'direct'
}

/**
 * Returns a warning when connections to the database leave this machine unencrypted without an explicit setting.
 * Contains neither host nor user.
 */
export function clearTextWarning(databaseUrl: string | null): string | null {
  if (databaseUrl === null) return null
  // Ask the driver: it also reads PGSSLMODE and PGHOST.
  const servers = listHosts(databaseUrl).hosts.map(({ url }) => new pg.Client({ connectionString: url }))
  const { searchParams } = new URL(databaseUrl)
  const isDisabledExplicitly = searchParams.get('sslmode') === 'disable' || searchParams.get('ssl') === '0'
  if (isDisabledExplicitly || servers.every(({ ssl, host }) => ssl || isLocal(host))) return null
  return 'DATABASE_URL leads to another host without TLS. Set DATABASE_TLS to verify or require, or to disable if that network is private.'
}

/** A socket directory, or this machine by its address or a name. */
function isLocal(host: string): boolean {
  return host.startsWith('/') || /\.localhost$/i.test(host) || isLoopback(host)
}
