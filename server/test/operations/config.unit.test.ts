import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { newApiKey } from '../../src/foundation/kernel/api-key.ts'
import { findProjectDir, readConfig, readServiceAccess, usesBillingStandin } from '../../src/operations/config.ts'

const projectDir = resolve(import.meta.dirname, '../../..')
const read = (environment: Record<string, string>) => readConfig(environment, projectDir)
const key = (byte: number) => Buffer.alloc(32, byte).toString('base64')

test('the checkout is found from any folder inside it, and only there', () => {
  expect(findProjectDir(import.meta.dirname)).toBe(projectDir)
  expect(() => findProjectDir('/')).toThrow(/not inside a checkout/)
})

test('by default it listens on loopback and stores its data in the checkout', () => {
  expect(read({})).toEqual({
    projectDir,
    host: '127.0.0.1',
    port: 8080,
    isPortGiven: false,
    publicUrl: null,
    metricsPort: null,
    metricsHost: '127.0.0.1',
    trustedProxies: [],
    dataDir: join(projectDir, '.storedex'),
    databaseUrl: null,
    databaseOwnerUrl: null,
    databaseDirectUrl: null,
    databaseReplicaUrl: null,
    ledgerDetailMonths: 13,
    historyDays: 730,
    dataKeys: null,
    plansFile: join(projectDir, 'plans.json'),
    consoleDir: null,
    stripe: { secretKey: null, webhookSecrets: [], apiBase: null, prices: {} },
    billingStandin: null,
    demo: true,
    users: { mail: null, privacyContact: null, signup: 'off', openid: null },
    deliverEmails: 'all',
    searchEngine: 'auto',
    searchMemoryMb: null,
    importMaxUnpackedMb: 20_000,
    documentCacheMb: null,
    logLevel: 'info',
    isLogLevelGiven: false,
  })
})

test('every setting is read and normalised', () => {
  const config = read({
    PORT: '0',
    HOST: '::1',
    PUBLIC_URL: 'https://api.storedex.example/',
    METRICS_PORT: '9100',
    METRICS_HOST: '0.0.0.0',
    TRUST_PROXY: 'loopback, 10.0.0.0/8,2001:db8::/32',
    DATA_DIR: '/srv/data',
    DATABASE_URL: 'postgresql://me:secret@db.example:5433/shops',
    DATABASE_OWNER_URL: 'postgresql://owner:secret@db.example:5433/shops',
    DATABASE_DIRECT_URL: 'postgresql://me:secret@direct.example:5433/shops',
    DATABASE_REPLICA_URL: 'postgresql://me:secret@standby.example:5433/shops',
    DATA_KEYS: `new:${key(1)}, old:${key(2).replace('=', '')}`,
    PLANS_FILE: '/srv/plans.json',
    CONSOLE_DIR: '/srv/console',
    STRIPE_SECRET_KEY: 'sk_test_abc123',
    STRIPE_WEBHOOK_SECRET: 'whsec_abc',
    STRIPE_API_BASE: 'http://127.0.0.1:12111',
    STRIPE_PRICE_PRO_MONTHLY: 'price_1',
    STRIPE_PRICE_ENTERPRISE_ANNUAL: 'price_2',
    BILLING_STANDIN: '1',
    DEMO: '0',
    SMTP_URL: 'smtps://me:secret@mail.example:465',
    MAIL_FROM: 'Storedex <storedex@mail.example>',
    PRIVACY_CONTACT: 'privacy@storedex.example',
    SIGNUP: 'open',
    OIDC_ISSUER: 'https://login.example/realm',
    OIDC_CLIENT_ID: 'storedex',
    OIDC_CLIENT_SECRET: 'very secret',
    OIDC_NAME: 'Example Login',
    DELIVER_EMAILS: 'verified',
    LEDGER_DETAIL_MONTHS: '24',
    HISTORY_DAYS: '90',
    SEARCH_ENGINE: 'memory',
    SEARCH_MEMORY_MB: '512',
    IMPORT_MAX_UNPACKED_MB: '500',
    DOCUMENT_CACHE_MB: '0',
    LOG_LEVEL: 'debug',
  })
  expect(config).toEqual({
    projectDir,
    host: '::1',
    port: 0,
    isPortGiven: true,
    publicUrl: 'https://api.storedex.example',
    metricsPort: 9100,
    metricsHost: '0.0.0.0',
    trustedProxies: ['loopback', '10.0.0.0/8', '2001:db8::/32'],
    dataDir: '/srv/data',
    databaseUrl: 'postgresql://me:secret@db.example:5433/shops',
    databaseOwnerUrl: 'postgresql://owner:secret@db.example:5433/shops',
    databaseDirectUrl: 'postgresql://me:secret@direct.example:5433/shops',
    databaseReplicaUrl: 'postgresql://me:secret@standby.example:5433/shops',
    ledgerDetailMonths: 24,
    historyDays: 90,
    dataKeys: [
      { id: 'new', secret: Buffer.alloc(32, 1) },
      { id: 'old', secret: Buffer.alloc(32, 2) },
    ],
    plansFile: '/srv/plans.json',
    consoleDir: '/srv/console',
    stripe: {
      secretKey: 'sk_test_abc123',
      webhookSecrets: ['whsec_abc'],
      apiBase: 'http://127.0.0.1:12111',
      prices: { pro_monthly: 'price_1', enterprise_annual: 'price_2' },
    },
    billingStandin: true,
    demo: false,
    users: {
      mail: {
        smtpUrl: 'smtps://me:secret@mail.example:465',
        from: 'Storedex <storedex@mail.example>',
        tls: 'required',
      },
      privacyContact: 'privacy@storedex.example',
      signup: 'open',
      openid: {
        issuer: 'https://login.example/realm',
        clientId: 'storedex',
        clientSecret: 'very secret',
        name: 'Example Login',
      },
    },
    deliverEmails: 'verified',
    searchEngine: 'memory',
    searchMemoryMb: 512,
    importMaxUnpackedMb: 500,
    documentCacheMb: 0,
    logLevel: 'debug',
    isLogLevelGiven: true,
  })
})

test('several database hosts are put into the query, where every part of the service finds them', () => {
  const settings = { DATABASE_URL: 'postgres://me:a%2Cb@a:1,[::1]/shops?sslmode=require', DATABASE_TLS: '' }
  const { searchParams, hostname, username, password, pathname } = new URL(read(settings).databaseUrl!)
  expect(Object.fromEntries(searchParams)).toEqual({
    host: 'a,::1',
    port: '1,5432',
    sslmode: 'verify-full',
    target_session_attrs: 'read-write',
  })
  expect([hostname, username, password, pathname]).toEqual(['localhost', 'me', 'a%2Cb', '/shops'])
})

test('an empty value counts as not set', () => {
  expect(read({ PORT: '', DATABASE_URL: ' ', DEMO: '' })).toEqual(read({}))
})

test('one webhook secret is accepted, or two during rotation', () => {
  const secretsOf = (value: string) => read({ STRIPE_WEBHOOK_SECRET: value }).stripe.webhookSecrets
  expect(secretsOf('whsec_old')).toEqual(['whsec_old'])
  expect(secretsOf('whsec_new, whsec_old')).toEqual(['whsec_new', 'whsec_old'])
})

test.each<[Record<string, string>, boolean]>([
  [{}, true],
  [{ HOST: '127.0.0.2' }, true],
  [{ HOST: '::1' }, true],
  [{ HOST: 'LocalHost', PUBLIC_URL: 'http://[::1]:8080' }, true],
  [{ PUBLIC_URL: 'http://localhost:8080/' }, true],
  [{ PUBLIC_URL: 'http://127.1:8080' }, true],
  [{ HOST: '0.0.0.0' }, false],
  [{ HOST: '::' }, false],
  [{ HOST: '192.168.1.5' }, false],
  [{ HOST: '::ffff:10.0.0.1' }, false],
  [{ HOST: 'shop.example' }, false],
  [{ HOST: '127.0.0.1.shop.example' }, false],
  [{ PUBLIC_URL: 'https://shop.example' }, false],
  [{ PUBLIC_URL: 'https://localhost.shop.example' }, false],
  [{ HOST: '0.0.0.0', PUBLIC_URL: 'http://localhost:8080' }, false],
  [{ HOST: '0.0.0.0', BILLING_STANDIN: '1' }, true],
  [{ PUBLIC_URL: 'https://shop.example', BILLING_STANDIN: '1' }, true],
  [{ BILLING_STANDIN: '0' }, false],
  [{ BILLING_STANDIN: '1', STRIPE_SECRET_KEY: 'sk_test_a' }, false],
])('with %j the stand-in replaces Stripe: %s', (environment, expected) => {
  expect(usesBillingStandin(read(environment))).toBe(expected)
})

describe('an invalid value ends the start with one sentence', () => {
  const secret = 'hunter2'
  test.each([
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '80a'],
    ['PORT', '8080.0'],
    ['HOST', 'a b'],
    ['HOST', '1.2.3'],
    ['HOST', 'http://localhost'],
    ['PUBLIC_URL', 'storedex.example'],
    ['PUBLIC_URL', `https://me:${secret}@storedex.example`],
    ['PUBLIC_URL', 'https://storedex.example/?a=1'],
    ['PUBLIC_URL', 'https://storedex.example/stores'],
    ['PUBLIC_URL', 'http://127.0.0.1:8080/a/b/'],
    ['METRICS_PORT', 'on'],
    ['METRICS_HOST', 'a b'],
    ['TRUST_PROXY', 'true'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['TRUST_PROXY', 'proxy.example'],
    ['DATABASE_TLS', 'on'],
    ['DATABASE_URL', `mysql://me:${secret}@db.example/shops`],
    ['DATABASE_URL', `host=db password=${secret}`],
    ['DATABASE_OWNER_URL', `mysql://me:${secret}@db.example/shops`],
    ['DATABASE_DIRECT_URL', `mysql://me:${secret}@db.example/shops`],
    ['DATABASE_REPLICA_URL', `mysql://me:${secret}@db.example/shops`],
    ['DATABASE_URL', `postgres://me:${secret}@a,,b/shops`],
    ['DATABASE_URL', `postgres://me:${secret}@a:1,b:70000/shops`],
    ['DATABASE_URL', `postgres://me:${secret}@a,b/shops?target_session_attrs=standby`],
    ['LEDGER_DETAIL_MONTHS', '0'],
    ['LEDGER_DETAIL_MONTHS', '1201'],
    ['LEDGER_DETAIL_MONTHS', '1.5'],
    ['LEDGER_DETAIL_MONTHS', '-1'],
    ['HISTORY_DAYS', '0'],
    ['HISTORY_DAYS', '36501'],
    ['HISTORY_DAYS', '1.5'],
    ['DATA_KEYS', `k:${secret}`],
    ['DATA_KEYS', `${key(1)}`],
    ['DATA_KEYS', `k:${key(1)},k:${key(2)}`],
    ['DATA_KEYS', `k:${key(1)},`],
    ['STRIPE_SECRET_KEY', `pk_test_${secret}`],
    ['STRIPE_WEBHOOK_SECRET', secret],
    ['STRIPE_WEBHOOK_SECRET', `whsec_${secret},`],
    ['STRIPE_WEBHOOK_SECRET', `whsec_${secret},${secret}`],
    ['STRIPE_WEBHOOK_SECRET', `whsec_${secret},whsec_${secret}`],
    ['STRIPE_WEBHOOK_SECRET', `whsec_${secret},whsec_b,whsec_c`],
    ['BILLING_STANDIN', 'yes'],
    ['STRIPE_API_BASE', `ftp://${secret}`],
    ['STRIPE_PRICE_PRO_MONTHLY', 'two words'],
    ['STRIPE_PRICE_PRO_WEEKLY', 'price_1'],
    ['DEMO', 'yes'],
    ['SMTP_URL', `https://me:${secret}@mail.example`],
    ['SMTP_URL', `me:${secret}@mail.example`],
    ['MAIL_FROM', 'Storedex'],
    ['MAIL_FROM', 'a@mail.example, b@mail.example'],
    ['PRIVACY_CONTACT', 'http://storedex.example'],
    ['SIGNUP', 'yes'],
    ['OIDC_ISSUER', 'http://login.example'],
    ['OIDC_ISSUER', `https://me:${secret}@login.example`],
    ['DELIVER_EMAILS', 'none'],
    ['SEARCH_ENGINE', 'sql'],
    ['SEARCH_MEMORY_MB', '0'],
    ['SEARCH_MEMORY_MB', '1GB'],
    ['IMPORT_MAX_UNPACKED_MB', '0'],
    ['DOCUMENT_CACHE_MB', '-1'],
    ['DOCUMENT_CACHE_MB', '64MB'],
    ['LOG_LEVEL', 'loud'],
  ])('%s=%s', (name, value) => {
    const message = (() => {
      try {
        read({ [name]: value })
      } catch (error) {
        return (error as Error).message
      }
    })()
    expect(message).toMatch(new RegExp(`^${name} `))
    expect(message).toMatch(/^[^\n]+\.$/)
    expect(message).not.toContain(secret)
    expect(message).not.toContain(key(1))
  })

  test('two contradictory settings', () => {
    expect(() => read({ PORT: '9100', METRICS_PORT: '9100' })).toThrow(/METRICS_PORT must differ from PORT/)
    const prices = { STRIPE_PRICE_PRO_MONTHLY: 'price_1', STRIPE_PRICE_PRO_ANNUAL: 'price_1' }
    expect(() => read(prices)).toThrow(/STRIPE_PRICE_PRO_ANNUAL repeats price_1/)
    const owner = { DATABASE_OWNER_URL: 'postgres://me@db.example/shops' }
    expect(() => read(owner)).toThrow(/DATABASE_OWNER_URL needs DATABASE_URL/)
    const direct = { DATABASE_DIRECT_URL: 'postgres://me@db.example/shops' }
    expect(() => read(direct)).toThrow(/DATABASE_DIRECT_URL needs DATABASE_URL/)
    const replica = { DATABASE_REPLICA_URL: 'postgres://me@db.example/shops' }
    expect(() => read(replica)).toThrow(/DATABASE_REPLICA_URL needs DATABASE_URL/)
    expect(() => read({ STRIPE_API_BASE: 'http://127.0.0.1:1' })).toThrow(/STRIPE_API_BASE needs STRIPE_SECRET_KEY/)
    expect(() => read({ DATABASE_TLS: 'verify' })).toThrow(/DATABASE_TLS needs DATABASE_URL/)
    const tlsOf = (SMTP_URL: string, more = {}) => read({ SMTP_URL, MAIL_FROM: 'a@b.example', ...more }).users.mail?.tls
    expect(['smtp://mail.example', 'smtp://127.0.0.1:25', 'smtp://localhost'].map((url) => tlsOf(url))).toEqual([
      'required',
      'optional',
      'optional',
    ])
    expect(tlsOf('smtp://mail.example', { SMTP_TLS: 'optional' })).toBe('optional')
    expect(tlsOf('smtp://127.0.0.1', { SMTP_TLS: 'required' })).toBe('required')
    expect(() => read({ SMTP_URL: 'smtp://mail.example' })).toThrow(/SMTP_URL and MAIL_FROM must be set together/)
    expect(() => read({ SMTP_TLS: 'required' })).toThrow(/SMTP_TLS needs SMTP_URL/)
    expect(() => read({ SIGNUP: 'open' })).toThrow(/SIGNUP=open needs SMTP_URL and MAIL_FROM/)
    expect(() => read({ OIDC_ISSUER: 'https://login.example' })).toThrow(/OIDC_CLIENT_SECRET must be set together/)
    expect(() => read({ OIDC_NAME: 'Login' })).toThrow(/OIDC_NAME needs OIDC_ISSUER/)
    for (const query of ['sslmode=require', 'ssl=true', 'sslnegotiation=direct']) {
      const twice = { DATABASE_URL: `postgres://me:${secret}@db.example/shops?${query}`, DATABASE_TLS: 'verify' }
      expect(() => read(twice)).toThrow(/^DATABASE_TLS and DATABASE_URL both say how to use TLS; [^\n]+\.$/)
    }
  })

  test('TLS settings in the database URL', () => {
    const url = `postgres://me:${secret}@db.example/shops`
    expect(() => read({ DATABASE_URL: `${url}?sslmode=on` })).toThrow(/^sslmode in DATABASE_URL is unknown; [^\n]+\.$/)
    const missing = `${url}?sslrootcert=/nowhere/ca.pem`
    expect(() => read({ DATABASE_URL: missing })).toThrow(/sslrootcert in DATABASE_URL .*: \/nowhere\/ca\.pem\.$/)
  })
})

describe('what a command needs to call a running service', () => {
  const apiKey = newApiKey('live')
  const readAccess = (url?: string, key?: string) =>
    readServiceAccess({ ...(url !== undefined && { STOREDEX_URL: url }), ...(key && { STOREDEX_API_KEY: key }) })

  test('is an address and a key, and no other setting', () => {
    expect(readAccess(' https://api.storedex.example/base/ ', ` ${apiKey}\n`)).toEqual({
      url: 'https://api.storedex.example/base',
      apiKey,
    })
    expect(readServiceAccess({ PORT: 'x', STOREDEX_URL: 'http://[::1]:8080', STOREDEX_API_KEY: apiKey }).url).toBe(
      'http://[::1]:8080',
    )
  })

  test.each([
    [undefined, apiKey, 'STOREDEX_URL is missing'],
    ['', apiKey, 'STOREDEX_URL is missing'],
    ['storedex.example', apiKey, 'STOREDEX_URL must be an http or https URL'],
    ['ftp://storedex.example', apiKey, 'STOREDEX_URL must be an http or https URL'],
    ['https://user:word@storedex.example', apiKey, 'STOREDEX_URL must be an http or https URL'],
    ['https://storedex.example/api/v1/', apiKey, 'remove /api/v1 from its end'],
    ['https://storedex.example/mcp', apiKey, 'remove /mcp from its end'],
    ['https://storedex.example', undefined, 'STOREDEX_API_KEY is missing'],
    ['https://storedex.example', apiKey.slice(0, -1), 'STOREDEX_API_KEY is not an API key'],
  ])('%s and its key are refused in one sentence without secrets: %#', (url, key, said) => {
    const read = () => readAccess(url, key)
    expect(read).toThrow(said)
    expect(read).not.toThrow(/word|\n/)
    expect(read).not.toThrow(apiKey.slice(9, 20))
  })
})
