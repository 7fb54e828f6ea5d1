import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { Random } from '../../../../catalogue/build/random.ts'
import { migrate, newestSchemaVersion } from '../../../src/foundation/db/migrate.ts'
import { generateDataKey, parseDataKeys } from '../../../src/foundation/kernel/seal.ts'
import { connectClient, createTestDatabase } from '../../support/database.ts'
import { queryBlocking } from '../../support/gate.ts'
import {
  backUpTo,
  createTarget,
  digestCopied,
  digestEverything,
  migrationsDir,
  otherMigrations,
  query,
  restoreFrom,
  type Target,
  temporaryFolder,
} from './support/backups.ts'
import { fillInstallation, resealIdentityKeyOnly } from './support/restored.ts'

let source: Target
const restoreSessions =
  "select pid from pg_stat_activity where datname = current_database() and application_name = 'storedex restore'"

beforeAll(async () => {
  const { url } = await createTestDatabase()
  source = { url, dataDir: '/nowhere', migrationsDir, ...(await fillInstallation(url)) }
})

describe('a file that is not whole is refused before anything is opened', () => {
  const neverOpened = async () => {
    throw new Error('the database was opened')
  }
  const restoreBytes = (bytes: Buffer) => {
    const file = join(temporaryFolder(), 'bad.backup')
    writeFileSync(file, bytes)
    return restoreFrom(file, { ...source, url: '' }, { openDatabase: neverOpened })
  }
  const readBackup = async () => {
    const file = join(temporaryFolder(), 'one.backup')
    await backUpTo(file, source, true)
    return readFileSync(file)
  }

  test('wherever it is cut short', async () => {
    const whole = await readBackup()
    const random = new Random(1)
    const lengths = [0, 1, 511, 512, 513, 1024, whole.length - 1, whole.length - 512, whole.length - 1024]
    for (const length of [...lengths, ...Array.from({ length: 60 }, () => random.below(whole.length))])
      await expect(restoreBytes(whole.subarray(0, length)), `${length} bytes`).rejects.toThrow(
        /cannot be restored: .* Nothing was changed/,
      )
  })

  test('wherever one bit of it is another', async () => {
    const whole = await readBackup()
    const random = new Random(2)
    for (let run = 0; run < 300; run++) {
      const altered = Buffer.from(whole)
      const at = random.below(whole.length)
      altered[at]! ^= 1 << random.below(8)
      await expect(restoreBytes(altered), `byte ${at}`).rejects.toThrow(/cannot be restored: /)
    }
  })

  test('with something added, with a part left out, with two parts exchanged', async () => {
    const whole = await readBackup()
    await expect(restoreBytes(Buffer.concat([whole, Buffer.from('x')]))).rejects.toThrow(/added at its end/)
    const starts: number[] = []
    for (let at = 0; whole[at] !== 0; ) {
      starts.push(at)
      const bytes = parseInt(whole.toString('latin1', at + 124, at + 135), 8)
      at += 512 + Math.ceil(bytes / 512) * 512
    }
    const [first, second, third] = starts.slice(3)
    const without = Buffer.concat([whole.subarray(0, first), whole.subarray(second)])
    await expect(restoreBytes(without)).rejects.toThrow(/was altered|is missing/)
    const [a, b] = [whole.subarray(first, second), whole.subarray(second, third)]
    const exchanged = Buffer.concat([whole.subarray(0, first), b, a, whole.subarray(third)])
    await expect(restoreBytes(exchanged)).rejects.toThrow(/was altered/)
  })

  test.each([
    ['an empty file', Buffer.alloc(0)],
    ['a text', Buffer.from('select 1;\n'.repeat(200))],
    ['an archive of something else', readFileSync(join(migrationsDir, '0001_foundation.sql')).subarray(0, 2_048)],
    ['zeros', Buffer.alloc(4_096)],
  ])('such as %s', async (_, bytes) => {
    await expect(restoreBytes(bytes)).rejects.toThrow(/cannot be restored: /)
  })
})

test('a file that is not there is named', async () => {
  await expect(restoreFrom('/nowhere/one.backup', source)).rejects.toThrow('There is no file /nowhere/one.backup.')
})

describe('versions', () => {
  test('a backup of an older schema is restored and migrated', async () => {
    const newest = await newestSchemaVersion(migrationsDir)
    const added = 'alter table accounts add column invented text; create table invented (id bigint primary key);'
    const newer = otherMigrations(newest, added)
    const file = join(temporaryFolder(), 'older.backup')
    await backUpTo(file, source)
    const target = await createTarget({ migrationsDir: newer, dataKeys: source.dataKeys })
    const { migrated } = await restoreFrom(file, target)
    expect(migrated).toEqual(['9999_invented.sql'])
    const rows = await query<{ version: number }>(target.url, 'select max(version) as version from schema_migrations')
    expect(rows).toEqual([{ version: 9999 }])
    expect(await query(target.url, 'select name, invented from accounts')).toEqual([
      { name: 'Restored', invented: null },
    ])
    expect(await query(target.url, 'select from invented')).toEqual([])
  })

  test('a backup is made of an older schema without migrating it', async () => {
    const newest = await newestSchemaVersion(migrationsDir)
    const newer = otherMigrations(newest, 'create table invented (id bigint primary key);')
    const file = join(temporaryFolder(), 'older.backup')
    await backUpTo(file, { ...source, migrationsDir: newer })
    expect(await query(source.url, "select to_regclass('invented') as found")).toEqual([{ found: null }])
    const target = await createTarget({ dataKeys: source.dataKeys })
    expect((await restoreFrom(file, target)).migrated).toEqual([])
  })

  test('a backup of a newer schema is refused, and so is a newer database', async () => {
    const newest = await newestSchemaVersion(migrationsDir)
    const newer = otherMigrations(newest, 'create table invented (id bigint primary key);')
    const folder = temporaryFolder()
    await backUpTo(join(folder, 'one.backup'), source)
    const target = await createTarget({ migrationsDir: newer, dataKeys: source.dataKeys })
    await restoreFrom(join(folder, 'one.backup'), target)
    await backUpTo(join(folder, 'newer.backup'), target)
    const here = await createTarget({ dataKeys: source.dataKeys })
    await expect(restoreFrom(join(folder, 'newer.backup'), here)).rejects.toThrow(
      /schema version 9999\) made it; update/,
    )
    const program = { ...target, migrationsDir }
    await expect(backUpTo(join(folder, 'x.backup'), program)).rejects.toThrow(/newer than this program/)
    await expect(restoreFrom(join(folder, 'one.backup'), program, { replace: true })).rejects.toThrow(/newer than this/)
    expect(existsSync(join(folder, 'x.backup'))).toBe(false)
  })

  test('a database without an installation is nothing to back up', async () => {
    const target = await createTarget()
    await query(target.url, 'drop table schema_migrations')
    await expect(backUpTo(join(temporaryFolder(), 'x.backup'), target)).rejects.toThrow(/nothing to back up/)
  })
})

describe('what is there already', () => {
  test('is replaced only with --replace', async () => {
    const file = join(temporaryFolder(), 'one.backup')
    await backUpTo(file, source)
    const target = await createTarget({ dataKeys: source.dataKeys })
    await restoreFrom(file, target)
    await query(target.url, "update accounts set name = 'Another'")
    const before = await digestEverything(target.url)
    await expect(restoreFrom(file, target)).rejects.toThrow(/not empty: it holds 1 accounts, .* --replace/)
    expect(await digestEverything(target.url)).toEqual(before)
    await restoreFrom(file, target, { replace: true })
    expect(await query(target.url, 'select name from accounts')).toEqual([{ name: 'Restored' }])
  })

  test('does not hinder a restore if a start with DEMO=0 made it', async () => {
    const file = join(temporaryFolder(), 'one.backup')
    await backUpTo(file, source)
    const target = await createTarget({ dataKeys: source.dataKeys })
    await fillInstallation(target.url, { onlySandbox: true })
    expect((await query(target.url, 'select from stores')).length).toBeGreaterThan(100)
    await restoreFrom(file, target)
    expect(await digestCopied(target.url)).toEqual(await digestCopied(source.url))
  })

  test('stays as it was when the restore breaks off', async () => {
    const file = join(temporaryFolder(), 'one.backup')
    await backUpTo(file, source)
    const target = await createTarget({ dataKeys: source.dataKeys })
    await restoreFrom(file, target)
    await query(target.url, "update accounts set name = 'Another'")
    const before = await digestEverything(target.url)
    for (const breakAt of [1, 3]) {
      let steps = 0
      // Its session ends before the restore can go on, however little is left of it.
      const onProgress = ({ step }: { step: string }) => {
        if (step === 'restoring' && ++steps === breakAt)
          queryBlocking(target.url, `select pg_terminate_backend(pid, 10000) from (${restoreSessions}) as sessions`)
      }
      await expect(restoreFrom(file, target, { replace: true, onProgress })).rejects.toThrow()
      expect(steps).toBeGreaterThanOrEqual(breakAt)
      await expect.poll(() => query(target.url, restoreSessions)).toEqual([])
      expect(await digestEverything(target.url)).toEqual(before)
    }
  })

  test('is not touched while a program runs on it', async () => {
    const file = join(temporaryFolder(), 'one.backup')
    await backUpTo(file, source)
    const target = await createTarget({ dataKeys: source.dataKeys })
    const url = new URL(target.url)
    url.searchParams.set('application_name', 'storedex')
    const service = await connectClient(url.href)
    await expect(restoreFrom(file, target)).rejects.toThrow(
      /The service runs on this database. Stop it on every server/,
    )
    await service.end()
    // PostgreSQL may still list its session.
    await restoreFrom(file, target)
  })

  test('is not opened by anybody else during a restore', async () => {
    const file = join(temporaryFolder(), 'one.backup')
    await backUpTo(file, source)
    const target = await createTarget({ dataKeys: source.dataKeys })
    // Holds the restore up where it has to wait for a reader.
    const reader = await connectClient(target.url)
    await reader.query('begin; select from stores')
    const restoring = restoreFrom(file, target)
    await expect.poll(() => query(target.url, `${restoreSessions} and wait_event_type = 'Lock'`)).toHaveLength(1)
    const sentence = 'A backup is being restored into this database.'
    await expect(migrate(target.url, migrationsDir)).rejects.toThrow(sentence)
    await expect(restoreFrom(file, target)).rejects.toThrow(sentence)
    await reader.end()
    await restoring
    expect(await digestCopied(target.url)).toEqual(await digestCopied(source.url))
  })
})

describe('data keys', () => {
  const withoutKeys = { dataKeys: null }

  test('in the backup come to the front of the file, and the file stays private', async () => {
    const file = join(temporaryFolder(), 'one.backup')
    expect((await backUpTo(file, source, true)).with_keys).toBe(true)
    const target = await createTarget(withoutKeys)
    const own = generateDataKey()
    writeFileSync(join(target.dataDir, 'data-keys'), `${own}\n`)
    await restoreFrom(file, target)
    const path = join(target.dataDir, 'data-keys')
    expect(parseDataKeys(readFileSync(path, 'utf8').trim())).toEqual([...source.dataKeys!, ...parseDataKeys(own)!])
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  test('are needed: without them nothing is restored, and the sentence says where they belong', async () => {
    const file = join(temporaryFolder(), 'one.backup')
    await backUpTo(file, source)
    const target = await createTarget(withoutKeys)
    const before = await digestEverything(target.url)
    const path = join(target.dataDir, 'data-keys')
    await expect(restoreFrom(file, target)).rejects.toThrow(`there are none in ${path}. Put the file data-keys`)
    writeFileSync(path, `${generateDataKey()}\n`)
    await expect(restoreFrom(file, target)).rejects.toThrow(`those in ${path} do not open its contacts`)
    const wrong = { ...target, dataKeys: parseDataKeys(generateDataKey())! }
    await expect(restoreFrom(file, wrong)).rejects.toThrow(/DATA_KEYS does not open the contacts of this backup/)
    expect(await digestEverything(target.url)).toEqual(before)
    await restoreFrom(file, { ...target, dataKeys: source.dataKeys })
  })

  test('in the backup are not used against DATA_KEYS', async () => {
    const file = join(temporaryFolder(), 'one.backup')
    await backUpTo(file, source, true)
    const target = await createTarget({ dataKeys: parseDataKeys(generateDataKey())! })
    await expect(restoreFrom(file, target)).rejects.toThrow(/Remove DATA_KEYS to use the keys in the backup/)
  })

  test('that open the newest contacts alone are too few', async () => {
    const [old] = source.dataKeys!
    const folder = temporaryFolder()
    const target = await createTarget({ dataKeys: source.dataKeys })
    await backUpTo(join(folder, 'one.backup'), source)
    await restoreFrom(join(folder, 'one.backup'), target)
    const added = parseDataKeys(generateDataKey())!
    const both = [...added, old!]
    await fillInstallation(target.url, { dataKeys: both })
    await resealIdentityKeyOnly(target.url, both)
    await backUpTo(join(folder, 'two.backup'), { ...target, dataKeys: both })
    const elsewhere = await createTarget({ dataKeys: added })
    const before = await digestEverything(elsewhere.url)
    await expect(restoreFrom(join(folder, 'two.backup'), elsewhere)).rejects.toThrow(
      `The data key "${old!.id}" is not in the keyring, but is still needed`,
    )
    expect(await digestEverything(elsewhere.url)).toEqual(before)
  })

  test('that do not open the database are not put into its backup', async () => {
    const wrong = { ...source, dataKeys: parseDataKeys(generateDataKey())! }
    const file = join(temporaryFolder(), 'one.backup')
    await expect(backUpTo(file, wrong, true)).rejects.toThrow(/do not open the contacts of this database/)
    expect(existsSync(file)).toBe(false)
  })
})

test('a folder for the data keys that is missing is created', async () => {
  const file = join(temporaryFolder(), 'one.backup')
  await backUpTo(file, source, true)
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'data'))
  const target = await createTarget({ dataKeys: null, dataDir: join(folder, 'data', 'deeper') })
  await restoreFrom(file, target)
  expect(existsSync(join(folder, 'data', 'deeper', 'data-keys'))).toBe(true)
})
