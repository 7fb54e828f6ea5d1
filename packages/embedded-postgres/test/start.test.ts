import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findInstalledPackage } from '../src/binaries.ts'
import { pickFreePort, serverSettings } from '../src/settings.ts'
import { EmbeddedPostgresError, registerUse, unregisterUse } from '../src/supervisor.ts'
import { openEmbeddedPostgres } from './setup.ts'
import { homeOf, isRoot, run, seededDataDirs, serverPid, temporaryDirectory } from './support.ts'

const seeded = seededDataDirs()

test('the first start makes a UTF-8 database of PostgreSQL 18 that only its password opens, on this machine alone', async () => {
  const dataDir = join(temporaryDirectory(), 'not', 'there', 'yet')
  const lines: string[] = []
  const postgres = await openEmbeddedPostgres({ dataDir, log: (line) => lines.push(line) })
  expect(postgres.adopted).toBe(false)
  expect(postgres.urls.at(-1)).toMatch(/^postgres:\/\/gardener:[\w-]{43}@127\.0\.0\.1:\d+\/garden$/)
  const [facts] = await run(
    postgres.url,
    `select current_setting('server_version_num')::int / 10000 as version, current_setting('listen_addresses') as listen,
       current_setting('fsync') as fsync,
       current_setting('timezone') as timezone, current_setting('data_checksums') as checksums,
       pg_encoding_to_char(encoding) as encoding, datlocprovider as provider, datlocale as locale,
       lower('ÅÉ') as lowered, (select rolsuper from pg_roles where rolname = current_user) as superuser
     from pg_database where datname = current_database()`,
  )
  expect(facts).toEqual({
    ...{ version: 18, listen: '127.0.0.1', fsync: 'on', timezone: 'UTC', checksums: 'on' },
    ...{ encoding: 'UTF8', provider: 'b', locale: 'C.UTF-8', lowered: 'åé', superuser: false },
  })
  await expect(run(postgres.url.replace(/:[\w-]{43}@/, ':guessed@'), 'select 1')).rejects.toThrow('password')
  const secret = statSync(join(homeOf(dataDir), 'cluster', 'secret'))
  expect(secret.mode & 0o777).toBe(0o600)
  expect(lines.join('\n')).not.toContain(new URL(postgres.url).password)
  await postgres.release()
  expect(serverPid(dataDir)).toBeUndefined()
})

test('a later start finds the data, and its own settings win', async () => {
  const dataDir = seeded.shared()
  const postgres = await openEmbeddedPostgres({ dataDir, settings: { work_mem: '7MB' } })
  expect(await run(postgres.url, "select word, current_setting('work_mem') as memory from kept")).toEqual([
    { word: 'aurora', memory: '7MB' },
  ])
  await postgres.release()
})

test('there is a role that owns nothing, and a cluster of an older version gets it', async () => {
  const dataDir = seeded.copy()
  const asRole = (url: string, role: string) => url.replace('//gardener:', `//${role}:`)
  const older = await openEmbeddedPostgres({ dataDir })
  await run(asRole(older.url, 'postgres'), 'drop role visitor')
  await older.release()
  const postgres = await openEmbeddedPostgres({ dataDir })
  const [facts] = await run(
    asRole(postgres.url, 'visitor'),
    `select current_user as role, has_table_privilege('kept', 'select') as reads,
            has_schema_privilege('public', 'create') as creates,
            pg_has_role('gardener', current_user, 'usage') as owner_may_end_it`,
  )
  expect(facts).toEqual({ role: 'visitor', reads: false, creates: false, owner_may_end_it: true })
  await postgres.release()
})

test('users share one server: who joins does not stop it, the last to release does, and releasing twice is once', async () => {
  const dataDir = seeded.shared()
  const first = await openEmbeddedPostgres({ dataDir })
  const second = await openEmbeddedPostgres({ dataDir })
  expect([first.adopted, second.adopted]).toEqual([false, true])
  expect(second.url).toBe(first.url)
  await first.release()
  await first.release()
  expect(await run(second.url, 'select word from kept')).toEqual([{ word: 'aurora' }])
  await second.release()
  expect(serverPid(dataDir)).toBeUndefined()
})

test('a port that is taken between choosing and starting is replaced by another', async () => {
  const rival = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void rival.close())
  await new Promise((resolve) => rival.once('listening', resolve))
  const taken = (rival.address() as { port: number }).port
  const ports = [taken, taken]
  const postgres = await openEmbeddedPostgres({
    dataDir: seeded.shared(),
    pickPort: async () => ports.shift() ?? pickFreePort(),
  })
  expect(ports).toEqual([])
  expect(await run(postgres.url, 'select word from kept')).toEqual([{ word: 'aurora' }])
  await postgres.release()
})

test('a start that fails says so in a sentence, with the log as its cause, and leaves nothing in the way', async () => {
  const dataDir = seeded.shared()
  const failure = await openEmbeddedPostgres({ dataDir, settings: { shared_buffers: 'plenty' } }).catch(
    (error) => error,
  )
  expect(failure).toBeInstanceOf(EmbeddedPostgresError)
  expect(failure.message).toMatch(/^PostgreSQL in \S+ did not start; the end of its log tells why\.$/)
  expect(failure.cause.message).toContain('shared_buffers')
  const postgres = await openEmbeddedPostgres({ dataDir })
  await postgres.release()
})

test('a cluster of another major version is refused with both versions named', async () => {
  const dataDir = seeded.copy()
  writeFileSync(join(homeOf(dataDir), 'cluster', 'data', 'PG_VERSION'), '17\n')
  await expect(openEmbeddedPostgres({ dataDir })).rejects.toThrow(/made by PostgreSQL 17 .* brings PostgreSQL 18:/)
})

test('a password that does not fit the cluster is refused, and the server is not left running', async () => {
  const dataDir = seeded.copy()
  writeFileSync(join(homeOf(dataDir), 'cluster', 'secret'), 'of-another-backup')
  await expect(openEmbeddedPostgres({ dataDir })).rejects.toThrow('restore the database and its secret from one backup')
  expect(serverPid(dataDir)).toBeUndefined()
})

test('a data directory that cannot be used is named', async () => {
  const file = join(temporaryDirectory(), 'file')
  writeFileSync(file, '')
  await expect(openEmbeddedPostgres({ dataDir: file })).rejects.toThrow(EmbeddedPostgresError)
  await expect(openEmbeddedPostgres({ dataDir: file })).rejects.toThrow(file)
})

test('what a statement holds does not reach the log when it fails', async () => {
  const dataDir = seeded.shared()
  const postgres = await openEmbeddedPostgres({ dataDir })
  const secretive = 'mara@aurora-candles.example'
  await expect(run(postgres.url, 'insert into kept values ($1), ($1)', [secretive])).rejects.toThrow('duplicate key')
  await expect(run(postgres.url, 'select $1::text::int', [secretive])).rejects.toThrow('invalid input')
  await expect(run(postgres.url, `select '${secretive}' from nowhere`)).rejects.toThrow('nowhere')
  await postgres.release()
  const logs = join(homeOf(dataDir), 'cluster', 'data', 'log')
  const text = readdirSync(logs).map((name) => readFileSync(join(logs, name), 'utf8'))
  expect(text.join('')).toContain('database system is shut down')
  expect(text.join('')).not.toContain(secretive)
})

test('a platform without a package is named', () => {
  const find = () => findInstalledPackage('sunos', 'sparc')
  expect(find).toThrow('No embedded PostgreSQL is installed for sunos-sparc.')
  expect(find).toThrow(expect.objectContaining({ remedy: 'own-server' }))
})

test('memory settings grow with the machine within bounds', () => {
  const gigabyte = 1024 ** 3
  const shared = [0.25, 0.5, 0.9, 2, 64].map((size) => serverSettings(size * gigabyte).shared_buffers)
  expect(shared).toEqual(['48MB', '64MB', '115MB', '512MB', '1024MB'])
})

test('PostgreSQL never runs as root', async () => {
  const dataDir = seeded.shared()
  const postgres = await openEmbeddedPostgres({ dataDir })
  const { uid } = statSync(join(homeOf(dataDir), 'cluster', 'data', 'postmaster.pid'))
  if (isRoot) expect(uid).not.toBe(0)
  else expect(uid).toBe(process.getuid?.())
  await postgres.release()
})

test('users are counted while they live', async () => {
  const home = temporaryDirectory()
  const location = { home, runAs: undefined }
  const [first, second] = [registerUse(location), registerUse(location)]
  const dead = join(home, 'users', '1-dead')
  symlinkSync('1 some time ago', dead)
  expect(unregisterUse(location, first)).toBe(true)
  expect(existsSync(dead)).toBe(false)
  expect(unregisterUse(location, second)).toBe(false)
  mkdirSync(join(home, 'elsewhere'))
  expect(unregisterUse({ ...location, home: join(home, 'elsewhere') }, second)).toBe(false)
})
