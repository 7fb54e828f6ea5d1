import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { type DataKey, formatDataKeys, generateDataKey, parseDataKeys } from '../../../src/foundation/kernel/seal.ts'
import { openBackup } from '../../../src/operations/backup/archive-reader.ts'
import { ArchiveWriter } from '../../../src/operations/backup/archive-writer.ts'
import { type BackupHeader, entryNames } from '../../../src/operations/backup/manifest.ts'
import { createTestDatabase } from '../../support/database.ts'
import {
  backUpTo,
  createTarget,
  migrationsDir,
  query,
  restoreFrom,
  type Target,
  temporaryFolder,
} from './support/backups.ts'
import { fillInstallation } from './support/restored.ts'

let source: Target

beforeAll(async () => {
  const { url } = await createTestDatabase()
  source = { url, dataDir: '/nowhere', migrationsDir, ...(await fillInstallation(url)) }
  await query(
    url,
    "insert into people (email, name, operator, created_at) values ('intern@people.example', 'Intern', false, '2026-11-01Z') returning id",
  )
})

async function backUp(withKeys = false, from = source): Promise<string> {
  const file = join(temporaryFolder(), 'one.backup')
  await backUpTo(file, from, withKeys)
  return file
}

interface Forgery {
  /** Changes the rows of a table. */
  rows?(table: string, text: string): string
  header?(header: BackupHeader): void
  /** Further tables, with their rows. */
  tables?: { name: string; columns: string[]; text: string }[]
  /** What the forger seals it with; nothing by default. */
  sealingKey?: DataKey
  /** The keys to put into the file, in place of its own. */
  dataKeys?: string
}

/** Writes a backup anew with all checksums right, as somebody could who has the file and this program. */
async function forge(
  file: string,
  { rows, header: change, tables = [], sealingKey, dataKeys }: Forgery,
): Promise<string> {
  const { header, manifest, dataKeys: ownKeys, readTable, close } = await openBackup(file)
  const forged = join(temporaryFolder(), 'forged.backup')
  const writer = await ArchiveWriter.open(forged, new Date('2026-11-22T12:00:00Z'))
  header.tables.push(...tables.map(({ name, columns }) => ({ name, columns })))
  change?.(header)
  await writer.writeHeader(header)
  const keys = dataKeys ?? (ownKeys && formatDataKeys(ownKeys))
  if (keys) await writer.add(entryNames.dataKeys, Buffer.from(`${keys}\n`))
  for (const { name } of manifest.tables) {
    const pieces: Buffer[] = []
    for await (const piece of readTable(name)) pieces.push(piece)
    const text = Buffer.concat(pieces).toString()
    if (text !== '') await writer.addCompressed(entryNames.part(name, 1), Buffer.from(rows?.(name, text) ?? text))
  }
  for (const { name, text } of tables) await writer.addCompressed(entryNames.part(name, 1), Buffer.from(text))
  const added = tables.map(({ name, text }) => ({ name, rows: text.split('\n').length - 1 }))
  await writer.finish({ tables: [...manifest.tables, ...added], sequences: manifest.sequences }, sealingKey)
  await close()
  return forged
}

/** The row of the intern, as an operator. */
const promote = (table: string, text: string) =>
  table === 'people' ? text.replace(/^(.*intern@people.*\t)f(\t.*)$/m, '$1t$2') : text
const operators = ({ url }: Target) => query(url, 'select email from people where operator')

describe('a backup that somebody altered is refused, though all checksums are right', () => {
  test('without a seal, unless that is allowed', async () => {
    const forged = await forge(await backUp(), { rows: promote })
    const target = await createTarget()
    await expect(restoreFrom(forged, target)).rejects.toThrow(
      /cannot be restored: it has no seal, so nothing shows .* restore it with --unsealed. Nothing was changed/,
    )
    expect(await operators(target)).toEqual([])
    const { seal, revived } = await restoreFrom(forged, target, { allowUnsealed: true })
    expect(seal).toBe('none')
    expect(revived.operators.map(({ email }) => email)).toEqual(['intern@people.example'])
  })

  test.each(['with a key of the same name', 'with a key that is not in the keyring'])('sealed %s', async (how) => {
    const [own] = source.dataKeys!
    const [other] = parseDataKeys(generateDataKey())!
    const sealingKey = how.includes('same name') ? { ...other!, id: own!.id } : other!
    const forged = await forge(await backUp(), { rows: promote, sealingKey })
    const target = await createTarget()
    const options = [{}, { allowUnsealed: true }]
    for (const option of options)
      await expect(restoreFrom(forged, target, option)).rejects.toThrow(
        /its seal does not fit: it was altered|was sealed with the data key ".*", which is not in the keyring/,
      )
    expect(await operators(target)).toEqual([])
  })

  test('with the seal of another backup', async () => {
    const file = await backUp()
    const forged = readFileSync(await forge(file, { rows: promote, sealingKey: source.dataKeys![0]! }))
    const whole = readFileSync(file)
    const sealAt = (bytes: Buffer) => bytes.indexOf(entryNames.seal) + 512
    whole.copy(forged, sealAt(forged), sealAt(whole), sealAt(whole) + 512)
    const mixed = join(temporaryFolder(), 'mixed.backup')
    writeFileSync(mixed, forged)
    await expect(restoreFrom(mixed, await createTarget())).rejects.toThrow(/its seal does not fit|was altered/)
  })

  test('with its own keys in it, where the right ones are here', async () => {
    const [own] = source.dataKeys!
    const [other] = parseDataKeys(generateDataKey())!
    const forged = await forge(await backUp(true), { rows: promote, sealingKey: { ...other!, id: own!.id } })
    const here = await createTarget({ dataKeys: null })
    writeFileSync(join(here.dataDir, 'data-keys'), formatDataKeys(source.dataKeys!))
    await expect(restoreFrom(forged, here)).rejects.toThrow(/its seal does not fit/)
    expect(await operators(here)).toEqual([])
  })
})

describe('a whole backup says how it is known to be one', () => {
  test('its seal was made with a data key that is here', async () => {
    expect((await restoreFrom(await backUp(), await createTarget())).seal).toBe('verified')
    expect((await restoreFrom(await backUp(true), await createTarget())).seal).toBe('verified')
  })

  test('or the keys came in the file, which proves nothing', async () => {
    expect((await restoreFrom(await backUp(true), await createTarget({ dataKeys: null }))).seal).toBe('keys_in_file')
  })

  test('after another key was put in front, it opens with the key that was there before', async () => {
    const added = parseDataKeys(generateDataKey())!
    const file = await backUp(false, { ...source, dataKeys: [...added, ...source.dataKeys!] })
    expect((await restoreFrom(file, await createTarget())).seal).toBe('verified')
  })

  test('and one that was made without the data keys has none', async () => {
    const file = join(temporaryFolder(), 'one.backup')
    const without = { ...source, dataKeys: null, dataDir: temporaryFolder() }
    expect((await backUpTo(file, without)).sealed).toBe(false)
    const wrong = { ...source, dataKeys: parseDataKeys(generateDataKey())! }
    expect((await backUpTo(file, wrong)).sealed).toBe(false)
    await expect(restoreFrom(file, await createTarget())).rejects.toThrow(/it has no seal/)
    expect((await restoreFrom(file, await createTarget(), { allowUnsealed: true })).seal).toBe('none')
  })
})

test('of a backup of an older version, sessions and links are left out at the restore', async () => {
  const [{ id }] = (await query<{ id: number }>(source.url, 'select id from people')) as [{ id: number }]
  const at = '2026-11-22 12:00:00+00'
  const older = await forge(await backUp(), {
    header: (header) => {
      header.format = 1
    },
    tables: [
      {
        name: 'sign_in_links',
        columns: ['token_hash', 'person_id', 'purpose', 'created_at', 'expires_at', 'used_at'],
        text: `\\\\x01\t${id}\tsign_in\t${at}\t2099-01-01 00:00:00+00\t\\N\n`,
      },
    ],
  })
  const target = await createTarget()
  await restoreFrom(older, target, { allowUnsealed: true })
  expect(await query(target.url, 'select * from sign_in_links')).toEqual([])
  expect(await query(target.url, 'select id from people')).toEqual([{ id }])
})

test('no token and no hash of one is in a backup', async () => {
  const hash = 'c0ffee'.repeat(10)
  await query(
    source.url,
    `insert into sessions (token_hash, person_id, created_at, last_seen_at, expires_at, signed_in_at, address, user_agent)
     select '\\x${hash}', id, '2026-11-22Z', '2026-11-22Z', '2099-01-01Z', '2026-11-22Z', '192.0.2.7', 'Browser of Intern'
     from people returning id`,
  )
  const { header, parts } = await readParts(await backUp())
  expect(header.tables.map(({ name }) => name)).not.toContain('sessions')
  expect(parts.length).toBeGreaterThan(5)
  for (const text of parts)
    for (const secret of [hash, '192.0.2.7', 'Browser of Intern']) expect(text).not.toContain(secret)
})

async function readParts(file: string) {
  const { header, manifest, readTable, close } = await openBackup(file)
  const parts: string[] = []
  for (const { name } of manifest.tables) for await (const piece of readTable(name)) parts.push(piece.toString())
  await close()
  return { header, parts }
}
