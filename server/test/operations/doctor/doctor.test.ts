import { chmodSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { createStandin } from '../../../../stripe-standin/src/app.ts'
import { importContacts } from '../../../src/catalogue/imports/contacts/import-contacts.ts'
import { importStores } from '../../../src/catalogue/imports/stores/import-stores.ts'
import { OperatorError } from '../../../src/foundation/kernel/errors.ts'
import { generateDataKey, parseDataKeys } from '../../../src/foundation/kernel/seal.ts'
import { systemClock } from '../../../src/foundation/kernel/time.ts'
import type { Config } from '../../../src/operations/config.ts'
import type { Check } from '../../../src/operations/doctor/checks.ts'
import { examineInstallation } from '../../../src/operations/doctor/doctor.ts'
import { checkKeyFile, checkMemory, checkNode, checkPort } from '../../../src/operations/doctor/machine.ts'
import { checkMail } from '../../../src/operations/doctor/mail.ts'
import { openCommandLine, runCommand } from '../../doors/cli/support/run-command.ts'
import { atEnd, removeFolder } from '../../support/cleanup.ts'
import { createTestDatabase } from '../../support/database.ts'
import { runAsAdmin } from '../../support/postgres.ts'

const line = openCommandLine('2026-11-10T12:00:00.000Z')
const secret = 'sk_test_of_the_doctor'

const dataDir = mkdtempSync(join(tmpdir(), 'storedex-doctor-'))
atEnd(() => removeFolder(dataDir))

beforeAll(async () => {
  const lines = (record: object) => ({
    file: '-',
    stdin: Readable.from([JSON.stringify(record)]),
    extendTaxonomy: false,
  })
  await importStores(line.deps, lines({ domain: 'aurora-candles.example' }))
  await importContacts(
    line.deps,
    lines({ store_domain: 'aurora-candles.example', emails: [{ email: 'mara@aurora-candles.example' }] }),
  )
})

/** Runs the command with changed settings; returns its checks by name. */
async function doctor(changes: Partial<Config> = {}) {
  const config = { ...line.deps.config, dataDir, port: 0, ...changes }
  const { code, stdout, stderr } = await runCommand({ ...line.deps, config }, ['doctor', '--json'])
  const { checks } = JSON.parse(stdout) as { checks: Check[] }
  return { code, stderr, checks, text: stdout, of: (name: string) => checks.find((check) => check.name === name) }
}

async function listenOnLoopback(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(() => void server.close())
  return (server.address() as AddressInfo).port
}

test('an installation that works fails no check, and each says what was found', async () => {
  const { code, stderr, checks, of } = await doctor()
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(checks.map(({ name }) => name)).toEqual([
    ...['settings', 'node', 'memory', 'data_directory', 'data_keys_file', 'disk', 'postgresql_package', 'port'],
    ...['database', 'schema', 'roles', 'ledger_protection', 'keyring', 'catalogue', 'search_index', 'clock'],
    ...['payment_provider', 'mail'],
  ])
  for (const check of checks) {
    expect(Object.keys(check)).toEqual(['name', 'status', 'detail', 'advice'])
    expect(check.detail, check.name).toMatch(/\.$/)
  }
  for (const name of ['database', 'schema', 'keyring', 'catalogue', 'search_index', 'clock'])
    expect(of(name), name).toMatchObject({ status: 'ok' })
  // The test's role owns the tables.
  expect(of('ledger_protection')).toMatchObject({
    status: 'warning',
    advice: expect.stringContaining('DATABASE_OWNER_URL'),
  })
  expect(of('keyring')!.detail).toContain('1 of 1 contacts tried')
})

test('as text, advice follows what was found, and the last line counts', async () => {
  const config = { ...line.deps.config, dataDir, port: 0 }
  const { stdout } = await runCommand({ ...line.deps, config }, ['doctor'])
  expect(stdout).toMatch(/^warning +ledger_protection +The role of requests .*\n +→ Use a role for requests/m)
  expect(stdout).toMatch(/\n\n\d+ ok, \d+ to look at, 0 failed\.\n$/)
})

describe('a database that', () => {
  test('is down fails one check; the others are made all the same, and no password is shown', async () => {
    const server = createServer()
    const port = await listenOnLoopback(server)
    await new Promise((resolve) => server.close(resolve))
    const { code, stderr, text, of } = await doctor({
      databaseUrl: `postgres://mara:hidden-word@127.0.0.1:${port}/storedex`,
    })
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'Failed: database.\n' })
    expect(of('database')).toMatchObject({ status: 'failed', detail: expect.stringContaining('nothing listens there') })
    expect(of('payment_provider')).toMatchObject({ status: 'ok' })
    expect(of('node')).toBeDefined()
    expect(text).not.toContain('hidden-word')
  })

  test('accepts connections and never answers does not hang the command', async () => {
    const port = await listenOnLoopback(createServer(() => {}))
    const { code, of } = await doctor({ databaseUrl: `postgres://mara:x@127.0.0.1:${port}/storedex` })
    expect(code).toBe(1)
    expect(of('database')).toMatchObject({ status: 'failed', detail: expect.stringMatching(/answer/) })
  })

  test('is empty is not filled', async () => {
    const { url } = await createTestDatabase()
    const { rows } = await line.deps.db.query<{ name: string }>('select current_database() as name')
    const empty = new URL(url)
    const name = `${rows[0]!.name}_empty`
    await line.deps.db.query(`create database "${name}"`)
    atEnd(() => runAsAdmin(inject('postgresUrl'), `drop database if exists "${name}" with (force)`))
    empty.pathname = name
    // The second time it is still empty.
    for (const _ of [1, 2])
      expect((await doctor({ databaseUrl: empty.href })).of('schema')).toMatchObject({
        status: 'warning',
        detail: 'The database is empty.',
      })
  })

  test('has another schema is not migrated', async () => {
    const { db } = line.deps
    const { rows } = await db.query(
      'delete from schema_migrations where version = (select max(version) from schema_migrations) returning *',
    )
    expect((await doctor()).of('schema')).toMatchObject({
      status: 'warning',
      advice: expect.stringContaining('migrates it'),
    })
    expect((await doctor()).of('schema')).toMatchObject({ status: 'warning' })
    await db.query('insert into schema_migrations (version, name) values ($1, $2), (9999, $2)', [
      rows[0].version,
      rows[0].name,
    ])
    expect((await doctor()).of('schema')).toMatchObject({ status: 'failed', advice: 'Update Storedex.' })
    await db.query('delete from schema_migrations where version = 9999')
  })

  test('is not there yet is not made', async () => {
    const folder = join(dataDir, 'nothing-here')
    const { code, of } = await doctor({ databaseUrl: null, dataDir: folder, dataKeys: null })
    expect(code).toBe(0)
    for (const name of ['data_directory', 'database', 'data_keys_file'])
      expect(of(name), name).toMatchObject({ status: 'warning', detail: expect.stringContaining(folder) })
    expect(existsSync(folder)).toBe(false)
  })
})

test('a keyring without a key that contacts are sealed with fails, and says what is lost', async () => {
  const { code, of } = await doctor({ dataKeys: parseDataKeys(generateDataKey())! })
  expect(code).toBe(1)
  expect(of('keyring')).toMatchObject({
    status: 'failed',
    detail: expect.stringMatching(/lacks the data key test \(contacts sealed with it: 1/),
  })
  // The right name with other bytes.
  const wrong = parseDataKeys(`test:${Buffer.alloc(32, 8).toString('base64')}`)!
  expect((await doctor({ dataKeys: wrong })).of('keyring')).toMatchObject({
    status: 'failed',
    detail: '1 of 1 contacts tried cannot be opened with this keyring.',
  })
  expect((await doctor({ dataKeys: null })).of('keyring')).toMatchObject({ status: 'failed' })
})

test('a catalogue that does not fit into the memory of the index is a warning', async () => {
  await line.deps.db.query('analyze stores')
  const tight = { searchEngine: 'auto', searchMemoryMb: 0 } as const
  expect((await doctor(tight)).of('search_index')).toMatchObject({ status: 'warning' })
  expect((await doctor({ searchEngine: 'postgres' })).of('search_index')).toMatchObject({ status: 'ok' })
})

test('a wrong setting is named, and the machine is looked at all the same', async () => {
  const checks = await examineInstallation({
    readConfig: async () => {
      throw new OperatorError('PORT must be a port number from 0 to 65535, not "abc".')
    },
    openDatabase: async () => {
      throw new Error('there are no settings to open it with')
    },
    clock: systemClock,
  })
  expect(checks.map(({ name, status }) => [name, status])).toContainEqual(['settings', 'failed'])
  expect(checks.map(({ name }) => name)).toContain('memory')
})

describe('the machine', () => {
  test('needs a Node that is maintained, and enough memory', () => {
    expect(checkNode('20.19.0')).toMatchObject({ status: 'warning' })
    expect(checkNode('24.1.0')).toMatchObject({ status: 'ok' })
    const megabytes = 2 ** 20
    expect(checkMemory({ databaseUrl: null }, 300 * megabytes)).toMatchObject({ status: 'failed' })
    expect(checkMemory({ databaseUrl: 'postgres://x' }, 300 * megabytes)).toMatchObject({ status: 'warning' })
    expect(checkMemory({ databaseUrl: null }, 600 * megabytes)).toMatchObject({ status: 'ok' })
  })

  test('should let nobody else read the data keys', () => {
    const folder = join(dataDir, 'keys')
    mkdirSync(folder)
    writeFileSync(join(folder, 'data-keys'), generateDataKey(), { mode: 0o600 })
    expect(checkKeyFile({ dataDir: folder, dataKeys: null })).toMatchObject({ status: 'ok' })
    chmodSync(join(folder, 'data-keys'), 0o640)
    expect(checkKeyFile({ dataDir: folder, dataKeys: null })).toMatchObject({
      status: 'failed',
      advice: `chmod 600 ${join(folder, 'data-keys')}`,
    })
  })

  test('has a port that is free, taken by the service, or taken by another program', async () => {
    const port = await listenOnLoopback(createServer())
    const at = { host: '127.0.0.1', port, publicUrl: null, isPortGiven: true }
    expect(await checkPort(at, null)).toMatchObject({ status: 'failed' })
    expect(await checkPort({ ...at, isPortGiven: false }, null)).toMatchObject({ status: 'warning' })
    const service = { url: `http://127.0.0.1:${port}` }
    expect(await checkPort(at, service)).toMatchObject({ status: 'ok', detail: `A service runs at ${service.url}.` })
    expect(await checkPort({ ...at, port: 0 }, null)).toMatchObject({ status: 'ok' })
  })
})

describe('Stripe', () => {
  let apiBase: string
  beforeAll(async () => {
    const { app } = await createStandin({ plans: [], secretKey: secret })
    apiBase = await app.listen({ host: '127.0.0.1', port: 0 })
    atEnd(() => app.close())
  })
  const publicUrl = 'https://storedex.example'
  const stripe = (changes: object = {}) => ({
    secretKey: secret,
    webhookSecrets: ['whsec_x'],
    apiBase,
    prices: {},
    ...changes,
  })

  test('is complete after "billing setup", and what is missing before is named', async () => {
    const before = await doctor({ publicUrl, stripe: stripe() })
    expect(before.code).toBe(1)
    expect(before.of('payment_provider')).toMatchObject({
      status: 'ok',
      detail: 'Stripe with a test key: no money moves.',
    })
    expect(before.of('payment_provider_answers')).toMatchObject({ status: 'ok' })
    expect(before.of('webhook_endpoint')).toMatchObject({ status: 'failed', advice: 'Run "storedex billing setup".' })
    expect(before.of('prices')).toMatchObject({
      status: 'warning',
      detail: expect.stringContaining('enterprise_annual'),
    })

    const config = { ...line.deps.config, publicUrl, stripe: stripe() }
    const { prices } = JSON.parse((await runCommand({ ...line.deps, config }, ['billing', 'setup', '--json'])).stdout)
    const after = await doctor({ publicUrl, stripe: stripe({ prices }) })
    expect(after).toMatchObject({ code: 0, stderr: '' })
    for (const name of ['webhook_endpoint', 'webhook_secret', 'prices'])
      expect(after.of(name)).toMatchObject({ status: 'ok' })
    expect(after.text).not.toContain(secret)

    const wrong = await doctor({ publicUrl, stripe: stripe({ prices: { ...prices, pro_monthly: 'price_nowhere' } }) })
    expect(wrong.of('prices')).toMatchObject({
      status: 'failed',
      detail: expect.stringContaining('STRIPE_PRICE_PRO_MONTHLY'),
    })
    const unsigned = await doctor({ publicUrl, stripe: stripe({ prices, webhookSecrets: [] }) })
    expect(unsigned.of('webhook_secret')).toMatchObject({ status: 'failed' })
  })

  test('that refuses the key or does not answer fails', async () => {
    const refused = await doctor({ publicUrl, stripe: stripe({ secretKey: 'sk_test_another_key' }) })
    expect(refused.of('payment_provider_answers')).toMatchObject({
      status: 'failed',
      detail: expect.stringContaining('it refuses the key'),
    })
    expect(refused.text).not.toContain('another_key')
    const server = createServer()
    const port = await listenOnLoopback(server)
    await new Promise((resolve) => server.close(resolve))
    const away = await doctor({ publicUrl, stripe: stripe({ apiBase: `http://127.0.0.1:${port}` }) })
    expect(away.of('payment_provider_answers')).toMatchObject({
      status: 'failed',
      detail: expect.stringContaining('it does not answer'),
    })
  })

  test('with a live key needs an https address', async () => {
    const live = stripe({ secretKey: 'sk_live_of_the_doctor' })
    expect((await doctor({ publicUrl: 'http://storedex.example', stripe: live })).of('payment_provider')).toMatchObject(
      { status: 'failed' },
    )
    expect((await doctor({ publicUrl, stripe: live })).of('payment_provider')).toMatchObject({ status: 'ok' })
  })

  test('without a key, and open to others, means that billing is closed', async () => {
    const none = stripe({ secretKey: null, apiBase: null })
    expect((await doctor({ host: '0.0.0.0', stripe: none })).of('payment_provider')).toMatchObject({
      status: 'warning',
      detail: expect.stringContaining('Billing is closed'),
    })
  })
})

test('mail that may go out in clear is a warning, and its password is not shown', () => {
  const users = (smtpUrl: string, tls: 'required' | 'optional' = 'required') => ({
    users: { mail: { smtpUrl, from: 'a@b.example', tls }, privacyContact: null, signup: 'off', openid: null } as const,
  })
  expect(checkMail(users('smtps://mara:hidden-word@mail.example:465'))).toEqual({
    name: 'mail',
    status: 'ok',
    detail: 'Mail goes through mail.example:465.',
    advice: null,
  })
  expect(checkMail(users('smtp://mail.example'))).toMatchObject({
    status: 'ok',
    detail: 'Mail goes through mail.example. It is sent encrypted, or not at all.',
  })
  const clear = checkMail(users('smtp://mara:hidden-word@mail.example', 'optional'))
  expect(clear).toMatchObject({ status: 'warning', advice: expect.stringContaining('SMTP_TLS=optional') })
  expect(JSON.stringify(clear)).not.toContain('hidden-word')
})
