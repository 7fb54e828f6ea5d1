import { isIPv4 } from 'node:net'
import pg from 'pg'

/** `disable`: clear text is meant; `require`: encrypted, certificate unchecked; `verify`: encrypted, certificate checked. */
export const databaseTlsModes = ['disable', 'require', 'verify'] as const
export type DatabaseTls = (typeof databaseTlsModes)[number]

const sslmodeOf: Record<DatabaseTls, string> = { disable: 'disable', require: 'no-verify', verify: 'verify-full' }

// `pg` 8 checks the certificate with each of these. It prints a warning that a later version will not, so the URL says it.
const verifyingModes = new Set(['allow', 'prefer', 'require', 'verify-ca', 'verify-full'])
const otherModes = new Set(['disable', 'no-verify'])

/**
 * The same URL with its TLS settings spelt out, so that every connection made from it gets the same ones. Undefined
 * when its `sslmode` is unknown. A URL that asks for libpq's own meaning (`uselibpqcompat`) keeps its `sslmode`.
 */
export function resolveTls(databaseUrl: string, tls: DatabaseTls | null): string | undefined {
  const url = new URL(databaseUrl)
  const given = url.searchParams.get('sslmode')
  if (given !== null && !verifyingModes.has(given) && !otherModes.has(given)) return undefined
  const keepsMeaning = url.searchParams.get('uselibpqcompat') === 'true'
  const mode = tls ? sslmodeOf[tls] : given && verifyingModes.has(given) && !keepsMeaning ? 'verify-full' : null
  if (mode === null) return databaseUrl
  // The words below are the driver's own.
  url.searchParams.delete('uselibpqcompat')
  url.searchParams.set('sslmode', mode)
  return url.href
}

/** Whether the URL sets TLS up itself. */
export function setsTls(databaseUrl: string): boolean {
  const { searchParams } = new URL(databaseUrl)
  return searchParams.has('sslmode') || searchParams.has('ssl') || searchParams.get('sslnegotiation') === 'direct'
}

/**
 * A sentence when connections to the database are not encrypted, leave this machine, and nobody said that this is meant.
 * Names neither host nor user.
 */
export function clearTextWarning(databaseUrl: string | null): string | null {
  if (databaseUrl === null) return null
  // The driver decides: it also reads PGSSLMODE and PGHOST.
  const { ssl, host } = new pg.Client({ connectionString: databaseUrl })
  const { searchParams } = new URL(databaseUrl)
  const isMeant = searchParams.get('sslmode') === 'disable' || searchParams.get('ssl') === '0'
  if (ssl || isMeant || isThisMachine(host)) return null
  return 'DATABASE_URL leads to another host without TLS. Set DATABASE_TLS to verify or require, or to disable if that network is private.'
}

/** A socket's folder, a loopback address or its name. */
function isThisMachine(host: string): boolean {
  if (host.startsWith('/') || host === '::1') return true
  return isIPv4(host) ? host.startsWith('127.') : /^(.+\.)?localhost$/i.test(host)
}
