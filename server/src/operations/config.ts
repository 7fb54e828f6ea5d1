import { accessSync, constants, existsSync } from 'node:fs'
import { isIP } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { type HostRules, normalizeHosts, readableHosts, writableHosts } from '@storedex/pg-lanes/hosts'
import { defaultMaxUnpackedMb } from '../catalogue/imports/source/text.ts'
import { readUsersSettings, type UsersSettings } from '../customers/users/settings.ts'
import { type DatabaseTls, databaseTlsModes, resolveTls, setsTls } from '../foundation/db/tls.ts'
import type { DeliverEmails } from '../foundation/encryption/contact-facts.ts'
import { parseApiKey } from '../foundation/kernel/api-key.ts'
import { isLoopback } from '../foundation/kernel/domain.ts'
import { OperatorError } from '../foundation/kernel/errors.ts'
import { type DataKey, parseDataKeys } from '../foundation/kernel/seal.ts'
import { trimMatching } from '../foundation/kernel/text/trim.ts'
import type { EngineChoice } from '../search/service/service.ts'

/** All settings, validated. Read once at start; no other code reads the environment. */
export interface Config {
  /** The checkout: it contains migrations, catalogues and the plan file. */
  projectDir: string
  host: string
  /** 0 means any free port. */
  port: number
  /** Whether PORT was given: only a default port may be replaced when it is taken. */
  isPortGiven: boolean
  /** Base of links in replies; null when it follows from the address listened on. */
  publicUrl: string | null
  metricsPort: number | null
  /** Addresses and networks of proxies whose X-Forwarded-For is trusted; empty for none. */
  trustedProxies: string[]
  metricsHost: string
  dataDir: string
  /** With explicit TLS settings, and several hosts in its query; null: the embedded PostgreSQL. */
  databaseUrl: string | null
  /** URL past a pooler, for what needs a session of its own; null: `databaseUrl` leads to PostgreSQL itself. */
  databaseDirectUrl: string | null
  /** URL of a standby that answers reads of the catalogue while it is not behind. */
  databaseReplicaUrl: string | null
  /** URL of the role that owns the tables, when it is not the role of `databaseUrl`. */
  databaseOwnerUrl: string | null
  /** Months for which ledger entries stay single rows. */
  ledgerDetailMonths: number
  /** Days for which changes of stores are kept. */
  historyDays: number
  /** The keyring for contact data, the sealing key first; null: the generated one. */
  dataKeys: DataKey[] | null
  plansFile: string
  /** The folder of the built console, which the launcher names; null: none. */
  consoleDir: string | null
  stripe: StripeConfig
  /**
   * Whether the stand-in may replace Stripe when no key is given; null: only when the service is reachable from this
   * machine alone.
   */
  billingStandin: boolean | null
  /** Whether an empty catalogue is filled with the demonstration data. */
  demo: boolean
  /** How people sign in to the console and are written to. */
  users: UsersSettings
  deliverEmails: DeliverEmails
  searchEngine: EngineChoice
  /** Memory limit of the search index; null: half of the available memory. */
  searchMemoryMb: number | null
  /** How much a compressed file may hold that is imported. */
  importMaxUnpackedMb: number
  /** Memory limit of cached documents and known exports; 0 for none, null: a share of the available memory. */
  documentCacheMb: number | null
  logLevel: LogLevel
  isLogLevelGiven: boolean
}

interface StripeConfig {
  secretKey: string | null
  /** One, or two during rotation; empty before an endpoint was created. */
  webhookSecrets: string[]
  /** Another server with Stripe's API. */
  apiBase: string | null
  /** The given price ids, by `plan_billing` such as `pro_monthly`. */
  prices: Record<string, string>
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
type LogLevel = (typeof logLevels)[number]

type Environment = Readonly<Record<string, string | undefined>>

/** The checkout folder that contains `startDir`, for the source and the bundle alike. */
export function findProjectDir(startDir: string): string {
  for (let dir = startDir; ; dir = dirname(dir)) {
    if (existsSync(join(dir, 'plans.json'))) return dir
    if (dir === dirname(dir)) throw new OperatorError(`${startDir} is not inside a checkout of Storedex.`)
  }
}

/** Reads the environment. An invalid value throws an `OperatorError` with one sentence that never contains a secret. */
export function readConfig(environment: Environment, projectDir: string): Config {
  refuseUnknownNames(environment)
  // An empty value, as compose files set it, counts as not set.
  const read = <T>(name: string, parse: (value: string) => T | undefined, expected: string): T | null => {
    const value = environment[name]?.trim()
    if (!value) return null
    const parsed = parse(value)
    if (parsed === undefined) throw new OperatorError(`${name} must be ${expected}${quotedUnlessSecret(name, value)}.`)
    return parsed
  }
  const port = read('PORT', parsePort, 'a port number from 0 to 65535')
  const metricsPort = read('METRICS_PORT', parsePort, 'a port number from 0 to 65535')
  const listenPort = port ?? 8080
  if (metricsPort === listenPort && metricsPort !== 0)
    throw new OperatorError(`METRICS_PORT must differ from PORT; both are ${metricsPort}.`)
  const stripe = {
    secretKey: read('STRIPE_SECRET_KEY', matching(/^[sr]k_(test|live)_\w+$/), 'a secret key like sk_test_…'),
    webhookSecrets:
      read('STRIPE_WEBHOOK_SECRET', parseWebhookSecrets, 'a signing secret like whsec_…, or two with a comma') ?? [],
    apiBase: read('STRIPE_API_BASE', parseHttpBase, 'an http or https URL without user, query or fragment'),
    prices: readPrices(read),
  }
  const databaseTls = read('DATABASE_TLS', oneOf(databaseTlsModes), 'disable, require or verify')
  const readUrl = (name: string, rules: HostRules = writableHosts) => {
    const url = read(name, (value) => parseDatabaseUrl(name, value, rules), databaseUrlDescription)
    return url && withDatabaseTls(url, databaseTls, name)
  }
  const databaseUrl = readUrl('DATABASE_URL')
  const furtherUrls = {
    databaseOwnerUrl: readUrl('DATABASE_OWNER_URL'),
    databaseDirectUrl: readUrl('DATABASE_DIRECT_URL'),
    databaseReplicaUrl: readUrl('DATABASE_REPLICA_URL', readableHosts),
  }
  const logLevel = read('LOG_LEVEL', oneOf(logLevels), `one of ${logLevels.join(', ')}`)
  if (databaseUrl === null) {
    const [name] = ['TLS', 'OWNER_URL', 'DIRECT_URL', 'REPLICA_URL'].filter((each) =>
      environment[`DATABASE_${each}`]?.trim(),
    )
    if (name) throw new OperatorError(`DATABASE_${name} needs DATABASE_URL as well.`)
  }
  if (stripe.apiBase !== null && stripe.secretKey === null)
    throw new OperatorError('STRIPE_API_BASE needs STRIPE_SECRET_KEY as well.')
  return {
    projectDir,
    host: read('HOST', parseHost, hostDescription) ?? '127.0.0.1',
    port: listenPort,
    isPortGiven: port !== null,
    publicUrl: requireNoPath(read('PUBLIC_URL', parseHttpBase, 'an http or https URL without user, query or fragment')),
    metricsPort,
    trustedProxies: read('TRUST_PROXY', parseProxies, 'addresses or networks like 10.0.0.0/8, or loopback') ?? [],
    metricsHost: read('METRICS_HOST', parseHost, hostDescription) ?? '127.0.0.1',
    dataDir: read('DATA_DIR', (value) => resolve(value), 'a folder') ?? join(projectDir, '.storedex'),
    databaseUrl,
    ...furtherUrls,
    ledgerDetailMonths:
      read('LEDGER_DETAIL_MONTHS', parseMonths, 'a whole number of months from 1 to 1200') ?? defaultDetailMonths,
    historyDays: read('HISTORY_DAYS', parseDays, 'a whole number of days from 1 to 36500') ?? defaultHistoryDays,
    dataKeys: read('DATA_KEYS', parseDataKeys, 'id:base64[,id:base64…] with distinct ids and keys of 32 bytes'),
    plansFile: read('PLANS_FILE', (value) => resolve(value), 'a file') ?? join(projectDir, 'plans.json'),
    consoleDir: read('CONSOLE_DIR', (value) => resolve(value), 'a folder'),
    stripe,
    billingStandin: read('BILLING_STANDIN', parseSwitch, '0 or 1'),
    demo: read('DEMO', parseSwitch, '0 or 1') ?? true,
    users: readUsersSettings(read, (message) => {
      throw new OperatorError(message)
    }),
    deliverEmails: read('DELIVER_EMAILS', oneOf(['all', 'verified']), 'all or verified') ?? 'all',
    searchEngine: read('SEARCH_ENGINE', oneOf(['auto', 'memory', 'postgres']), 'auto, memory or postgres') ?? 'auto',
    searchMemoryMb: read('SEARCH_MEMORY_MB', parseMegabytes, 'a number of megabytes from 1 to 1000000'),
    importMaxUnpackedMb:
      read('IMPORT_MAX_UNPACKED_MB', parseMegabytes, 'a number of megabytes from 1 to 1000000') ?? defaultMaxUnpackedMb,
    documentCacheMb: read('DOCUMENT_CACHE_MB', parseCacheMegabytes, 'a number of megabytes from 0 to 1000000'),
    logLevel: logLevel ?? 'info',
    isLogLevelGiven: logLevel !== null,
  }
}

/** How a command reaches a running service as a caller of its API. */
export interface ServiceAccess {
  /** The service's address, without `/api/v1` and without a slash at the end. */
  url: string
  apiKey: string
}

/** Reads what a caller needs; no other setting has to be valid. Throws an `OperatorError` as `readConfig` does. */
export function readServiceAccess(environment: Environment): ServiceAccess {
  const given = environment.STOREDEX_URL?.trim()
  if (!given)
    throw new OperatorError("STOREDEX_URL is missing: set it to the service's address, like https://storedex.example.")
  const url = parseHttpBase(given)
  if (url === undefined)
    throw new OperatorError('STOREDEX_URL must be an http or https URL without user, query or fragment.')
  const [path] = /\/(api(\/v1)?|mcp)$/.exec(url) ?? []
  if (path !== undefined)
    throw new OperatorError(`STOREDEX_URL must be the service's address alone: remove ${path} from its end.`)
  const apiKey = environment.STOREDEX_API_KEY?.trim()
  if (!apiKey) throw new OperatorError('STOREDEX_API_KEY is missing: set it to an API key like sdx_live_….')
  if (!parseApiKey(apiKey))
    throw new OperatorError('STOREDEX_API_KEY is not an API key of Storedex, or was not copied as a whole.')
  return { url, apiKey }
}

const hostDescription = 'an IP address or a host name'
/** Pages, documents and cookies lie at the root of a host. */
function requireNoPath(publicUrl: string | null): string | null {
  if (publicUrl === null || new URL(publicUrl).pathname === '/') return publicUrl
  const { origin, pathname } = new URL(publicUrl)
  throw new OperatorError(
    `PUBLIC_URL must be ${origin} without ${pathname}: the console and the documents are not served below a path. Give the service a host name of its own.`,
  )
}

const databaseUrlDescription =
  'a URL like postgres://user:password@host:5432/database, where commas separate several hosts'
const defaultDetailMonths = 13
const defaultHistoryDays = 730

// URLs are included, because one can contain a password.
const secretNames = new Set([
  'DATABASE_URL',
  'DATABASE_OWNER_URL',
  'DATABASE_DIRECT_URL',
  'DATABASE_REPLICA_URL',
  'DATA_KEYS',
  'OIDC_CLIENT_SECRET',
  'OIDC_ISSUER',
  'PUBLIC_URL',
  'SMTP_URL',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'STRIPE_API_BASE',
])

function quotedUnlessSecret(name: string, value: string): string {
  return secretNames.has(name) ? '' : `, not ${JSON.stringify(value)}`
}

const pricePrefix = 'STRIPE_PRICE_'
const priceNames = ['PRO', 'BUSINESS', 'ENTERPRISE'].flatMap((plan) =>
  ['MONTHLY', 'ANNUAL'].map((billing) => `${plan}_${billing}`),
)

/** Rejects unknown price settings. Other misspelt names cannot be distinguished from those of other programs. */
function refuseUnknownNames(environment: Environment): void {
  const unknown = Object.keys(environment).find(
    (name) => name.startsWith(pricePrefix) && !priceNames.includes(name.slice(pricePrefix.length)),
  )
  if (unknown)
    throw new OperatorError(`${unknown} is not a setting; the prices are ${pricePrefix}{${priceNames.join(',')}}.`)
}

function readPrices(
  read: (name: string, parse: (value: string) => string | undefined, expected: string) => string | null,
): Record<string, string> {
  const prices: Record<string, string> = {}
  for (const name of priceNames) {
    const price = read(pricePrefix + name, matching(/^\w{1,255}$/), 'a price id like price_…')
    if (price === null) continue
    if (Object.values(prices).includes(price))
      throw new OperatorError(`${pricePrefix}${name} repeats ${price}: each plan and billing needs a price of its own.`)
    prices[name.toLowerCase()] = price
  }
  return prices
}

/**
 * Whether billing uses the stand-in. It accepts every card, so it is disabled when others could buy: at an address or
 * name that is reachable from elsewhere.
 */
export function usesBillingStandin({ stripe, billingStandin, host, publicUrl }: BillingConfig): boolean {
  if (stripe.secretKey !== null) return false
  const hosts = publicUrl === null ? [host] : [host, new URL(publicUrl).hostname]
  return billingStandin ?? hosts.every(isLoopback)
}

type BillingConfig = Pick<Config, 'stripe' | 'billingStandin' | 'host' | 'publicUrl'>

const matching = (shape: RegExp) => (value: string) => (shape.test(value) ? value : undefined)

const oneOf =
  <T extends string>(values: readonly T[]) =>
  (value: string) =>
    values.find((each) => each === value)

function parseWebhookSecrets(value: string): string[] | undefined {
  const secrets = value.split(',').map((secret) => secret.trim())
  const areValid = secrets.every((secret) => /^whsec_[^\s,]+$/.test(secret))
  return areValid && secrets.length <= 2 && new Set(secrets).size === secrets.length ? secrets : undefined
}

function parseSwitch(value: string): boolean | undefined {
  return value === '1' ? true : value === '0' ? false : undefined
}

function parsePort(value: string): number | undefined {
  const port = /^\d{1,5}$/.test(value) ? Number(value) : Number.NaN
  return port <= 65_535 ? port : undefined
}

function parseMegabytes(value: string): number | undefined {
  return parseCacheMegabytes(value) || undefined
}

/** 0 stands for none. */
function parseCacheMegabytes(value: string): number | undefined {
  const megabytes = /^\d{1,7}$/.test(value) ? Number(value) : Number.NaN
  return megabytes <= 1_000_000 ? megabytes : undefined
}

function parseMonths(value: string): number | undefined {
  const months = /^\d{1,4}$/.test(value) ? Number(value) : Number.NaN
  return months >= 1 && months <= 1_200 ? months : undefined
}

function parseDays(value: string): number | undefined {
  const days = /^\d{1,5}$/.test(value) ? Number(value) : Number.NaN
  return days >= 1 && days <= 36_500 ? days : undefined
}

function parseHost(value: string): string | undefined {
  const isName = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i.test(value)
  const looksNumeric = /^[\d.]+$/.test(value)
  return isIP(value) || (isName && !looksNumeric) ? value : undefined
}

// Names that `proxy-addr` resolves.
const proxyNames = new Set(['loopback', 'linklocal', 'uniquelocal'])

function parseProxies(value: string): string[] | undefined {
  const proxies = value.split(',').map((each) => each.trim())
  return proxies.every((each) => proxyNames.has(each) || isNetwork(each)) ? proxies : undefined
}

function isNetwork(value: string): boolean {
  const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(value) ?? []
  const version = isIP(address)
  return version !== 0 && Number(bits ?? 0) <= (version === 4 ? 32 : 128)
}

function parseUrl(value: string): URL | undefined {
  return URL.canParse(value) ? new URL(value) : undefined
}

function parseHttpBase(value: string): string | undefined {
  const url = parseUrl(value)
  if (!url || !/^https?:$/.test(url.protocol)) return undefined
  if (url.username || url.password || url.search || url.hash) return undefined
  return trimMatching(url.href, /\//)
}

/** Returns the URL with the TLS settings of all connections, from DATABASE_TLS or from the URL itself, not both. */
function withDatabaseTls(url: string, tls: DatabaseTls | null, name: string): string {
  if (tls && setsTls(url))
    throw new OperatorError(`DATABASE_TLS and ${name} both say how to use TLS; remove sslmode and ssl from the URL.`)
  const certificate = new URL(url).searchParams.get('sslrootcert')
  if (certificate !== null && !isReadable(certificate))
    throw new OperatorError(`The file that sslrootcert in ${name} names cannot be read: ${certificate}.`)
  const resolved = resolveTls(url, tls)
  if (resolved === undefined) throw new OperatorError(`sslmode in ${name} is unknown; use DATABASE_TLS in its place.`)
  return resolved
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK)
    return true
  } catch {
    return false
  }
}

function parseDatabaseUrl(name: string, value: string, rules: HostRules): string | undefined {
  let normalized: string
  try {
    normalized = normalizeHosts(value, rules)
  } catch (error) {
    throw new OperatorError(`${name} ${(error as Error).message}.`)
  }
  const url = parseUrl(normalized)
  return url && /^postgres(ql)?:$/.test(url.protocol) ? normalized : undefined
}
