import { execFileSync, spawnSync } from 'node:child_process'
import { chownSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { homeOf, keptDirectory, run, until } from '../../../../packages/embedded-postgres/test/support.ts'
import { openDatabaseServer } from '../../../src/foundation/db/embedded.ts'
import { clearTextWarning } from '../../../src/foundation/db/tls.ts'
import { readConfig } from '../../../src/operations/config.ts'
import { type Settings, startService, temporaryFolder } from '../../deep/start/support/service.ts'
import { atEnd } from '../../support/cleanup.ts'
import { createTestDatabase } from '../../support/database.ts'
import { testDataKeys } from '../../support/fixtures.ts'

const project = join(import.meta.dirname, '../../../..')
const resolved = (url: string, tls?: string) =>
  readConfig({ DATABASE_URL: url, ...(tls ? { DATABASE_TLS: tls } : {}) }, project).databaseUrl

describe('a database on another host', () => {
  const url = 'postgres://me:hunter2@db.example/shops'
  test.each([
    ['without a word on TLS', url, true],
    ['by its address', 'postgres://me:hunter2@10.1.2.3/shops', true],
    ['by a host in the query', 'postgres:///shops?host=db.example', true],
    ['with TLS that the URL asks for', `${url}?sslmode=require`, false],
    ['in clear text, as the URL says', `${url}?sslmode=disable`, false],
    ['that is this machine', 'postgres://me:hunter2@localhost/shops', false],
    ['that is this machine by IPv4', 'postgres://me:hunter2@127.0.0.1/shops', false],
    ['that is this machine by IPv6', 'postgres://me:hunter2@[::1]/shops', false],
    ['that is a socket', 'postgres://me@%2Fvar%2Frun%2Fpostgresql/shops', false],
  ])('%s: is a warning due?', (_name, given, isDue) => {
    const warning = clearTextWarning(resolved(given))
    expect(warning !== null).toBe(isDue)
    expect(warning ?? '').not.toMatch(/hunter2|example|10\.1|shops/)
  })

  test.each(['disable', 'require', 'verify'])('causes no warning with DATABASE_TLS=%s', (tls) => {
    expect(clearTextWarning(resolved(url, tls))).toBeNull()
  })

  test('is verified with every sslmode that verifies it today', () => {
    for (const mode of ['prefer', 'require', 'verify-ca', 'verify-full'])
      expect(resolved(`${url}?sslmode=${mode}`)).toBe(`${url}?sslmode=verify-full`)
    expect(resolved(`${url}?sslmode=no-verify`)).toBe(`${url}?sslmode=no-verify`)
  })

  test('causes a warning in the log and in the greeting', async () => {
    const { url: own } = await createTestDatabase()
    const elsewhere = new URL(own)
    elsewhere.searchParams.delete('host')
    elsewhere.hostname = '0.0.0.0' // leads to this machine, and is none of its loopback addresses
    const settings = {
      DATA_DIR: temporaryFolder(),
      DATABASE_URL: elsewhere.href,
      DEMO: '0',
      STRIPE_SECRET_KEY: 'sk_test_x',
    }
    const service = startService(settings)
    expect((await service.greeting()).notice).toMatch(/without TLS.*DATABASE_TLS/)
    expect(service.log()).toMatch(/"level":"?(warn|40)"?.*without TLS/)
    expect(service.log()).not.toContain('0.0.0.0')
    service.interrupt()
    expect(await service.exitCode()).toBe(0)

    const meant = startService({ ...settings, DATABASE_TLS: 'disable' })
    expect((await meant.greeting()).notice).toBeNull()
    expect(meant.log()).not.toContain('without TLS')
    meant.interrupt()
    expect(await meant.exitCode()).toBe(0)
  })
})

const hasOpenssl = spawnSync('openssl', ['version']).status === 0

describe.skipIf(!hasOpenssl)('a PostgreSQL that takes connections with TLS only', () => {
  const password = 'hunter2'
  let authority: string
  /** A URL for a role that may not connect in clear text. */
  let url: (query?: Record<string, string>) => string
  let admin: string
  beforeAll(async () => {
    const folder = keptDirectory()
    const server = await openDatabaseServer({ dataDir: join(folder, 'data') })
    atEnd(() => server.release())
    authority = makeCertificates(folder)
    const root = new URL(server.url)
    root.username = 'postgres'
    admin = root.href
    await run(admin, `create role shopkeeper login password '${password}'`)
    await run(admin, 'create database shops owner shopkeeper')
    offerTls(join(homeOf(join(folder, 'data')), 'cluster/data'), folder)
    await run(admin, 'alter system set ssl = on')
    await run(admin, 'select pg_reload_conf()')
    await until(async () => (await run(admin, 'show ssl'))[0]!.ssl === 'on')
    const { port } = root
    url = (query = {}) => {
      const result = new URL(`postgres://shopkeeper:${password}@localhost:${port}/shops`)
      for (const [name, value] of Object.entries(query)) result.searchParams.set(name, value)
      return result.href
    }
  })

  const start = (settings: Settings) =>
    startService({
      DATA_DIR: temporaryFolder(),
      DEMO: '0',
      STRIPE_SECRET_KEY: 'sk_test_x',
      SEARCH_ENGINE: 'memory',
      DATA_KEYS: testDataKeys,
      ...settings,
    })

  test.each([
    ['verify', true],
    ['require', false],
  ])('DATABASE_TLS=%s: every connection of a running service is encrypted', async (tls, namesAuthority) => {
    const service = start({ DATABASE_URL: url(namesAuthority ? { sslrootcert: authority } : {}), DATABASE_TLS: tls })
    const { api, notice } = await service.greeting()
    expect(notice).toBeNull()
    await until(async () => (await fetch(api.replace('/api/v1', '/readyz'))).status === 200)
    const connections = await run(
      admin,
      "select ssl, application_name as name from pg_stat_ssl join pg_stat_activity using (pid) where usename = 'shopkeeper'",
    )
    expect(new Set(connections.map(({ name }) => name))).toContain('storedex search')
    expect(connections.filter(({ ssl }) => !ssl)).toEqual([])
    expect(service.log()).not.toContain('SECURITY WARNING')
    service.interrupt()
    expect(await service.exitCode()).toBe(0)
  })

  test.each([
    ['clear text is refused by the server', {}, {}, /cannot be used/],
    ['verify without the authority', {}, { DATABASE_TLS: 'verify' }, /certificate is not trusted; .*sslrootcert/],
    [
      'verify by a name that the certificate lacks',
      { host: '127.0.0.1' },
      { DATABASE_TLS: 'verify' },
      /another host name/,
    ],
  ])('%s: the start fails with one sentence', async (_name, query, settings, sentence) => {
    const certificate = 'host' in query ? { sslrootcert: authority } : {}
    const service = start({ DATABASE_URL: url({ ...query, ...certificate }), ...settings })
    expect(await service.exitCode()).toBe(1)
    expect(service.log()).toMatch(sentence)
    expect(service.log()).toMatch(/^[^\n]+\n$/)
    expect(service.log()).not.toContain(password)
  })
})

/** An authority of the test's own and a certificate for `localhost` that it signed; answers the authority's file. */
function makeCertificates(folder: string): string {
  const at = (name: string) => join(folder, name)
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout']
  openssl('req', '-x509', ...newKey, 'ca.key', '-out', 'ca.crt', '-days', '2', '-subj', '/CN=test authority')
  openssl('req', ...newKey, 'server.key', '-out', 'server.csr', '-subj', '/CN=localhost')
  writeFileSync(at('names'), 'subjectAltName=DNS:localhost')
  openssl(
    'x509',
    '-req',
    '-in',
    'server.csr',
    '-CA',
    'ca.crt',
    '-CAkey',
    'ca.key',
    '-CAcreateserial',
    '-days',
    '2',
    '-extfile',
    'names',
    '-out',
    'server.crt',
  )
  return at('ca.crt')
}

/** Puts the certificate where PostgreSQL looks for it, and lets the role in with TLS only. */
function offerTls(data: string, folder: string): void {
  const { uid, gid } = statSync(data)
  for (const name of ['server.crt', 'server.key']) {
    writeFileSync(join(data, name), readFileSync(join(folder, name)), { mode: 0o600 })
    chownSync(join(data, name), uid, gid)
  }
  const rules = join(data, 'pg_hba.conf')
  const forTheRole = 'hostssl all shopkeeper all scram-sha-256\nhost all shopkeeper all reject\n'
  writeFileSync(rules, forTheRole + readFileSync(rules, 'utf8'))
}
