import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createPool, type Pool } from '../../src/db/pool.ts'
import { type ContactSeals, openContactSeals } from '../../src/encryption/keyring.ts'
import { prependToKeyFile } from '../../src/encryption/keyring-file.ts'
import { generateDataKey, parseDataKeys } from '../../src/kernel/seal.ts'
import { createTestDatabase } from '../support/database.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'storedex-keyring-'))
  return () => rm(folder, { recursive: true })
})

const file = () => join(folder, 'data-keys')
const ringOf = (...entries: string[]) => parseDataKeys(entries.join(','))!

async function openDatabase(): Promise<Pool> {
  const { url } = await createTestDatabase()
  const db = createPool({ url, applicationName: 'storedex keyring test', maxConnections: 8 })
  onTestFinished(() => db.end())
  return db
}

/** The installation's way of recognising people, by one hash. */
const recognising = (seals: ContactSeals) => seals.identities.hash('email', 'mara@aurora.example').hash

/** A row of contacts, of which only the sealed part matters. */
async function keepContact(db: Pool, sealed: Buffer): Promise<void> {
  await db.query(
    `insert into contacts (store_id, number, external_key, traits, revealable, verified_revealable, verified_emails,
       preview, preview_version, identities, sealed)
     values (1, 1, 'x', 0, true, true, 0, '{', 1, '{}', $1)`,
    [sealed],
  )
}

describe('the first start without DATA_KEYS', () => {
  test('makes a keyring that only its owner reads, and later ones find it', async () => {
    const db = await openDatabase()
    const first = await openContactSeals(db, null, join(folder, 'new'))
    expect((await stat(join(folder, 'new/data-keys'))).mode & 0o777).toBe(0o600)
    const second = await openContactSeals(db, null, join(folder, 'new'))
    expect(second.keyIds).toEqual(first.keyIds)
    expect(second.sealer.open(first.sealer.seal('text', 'row'), 'row').toString()).toBe('text')
    expect(recognising(second)).toBe(recognising(first))
  })

  test('makes one keyring, also when several start at once', async () => {
    const db = await openDatabase()
    const all = await Promise.all(Array.from({ length: 8 }, () => openContactSeals(db, null, folder)))
    expect(new Set(all.flatMap(({ keyIds }) => keyIds)).size).toBe(1)
    expect(new Set(all.map(recognising)).size).toBe(1)
    expect(await readdir(folder)).toEqual(['data-keys'])
  })

  test('says so where it cannot keep the file', async () => {
    await writeFile(join(folder, 'taken'), '')
    await expect(openContactSeals(await openDatabase(), null, join(folder, 'taken'))).rejects.toThrow(
      /data keys.*(cannot be kept|cannot be read)/,
    )
  })
})

describe('a keyring', () => {
  test('that is given wins over the file, which is not even made', async () => {
    const db = await openDatabase()
    const entry = generateDataKey()
    const seals = await openContactSeals(db, ringOf(entry), folder)
    expect(seals.keyIds).toEqual([entry.split(':')[0]])
    expect(await readdir(folder)).toEqual([])
  })

  test('that is missing for a sealed database ends the start, and none is made in its place', async () => {
    const db = await openDatabase()
    await openContactSeals(db, null, folder)
    await rm(file())
    await expect(openContactSeals(db, null, folder)).rejects.toThrow(
      `The contact data of this database is sealed, and there is no keyring: set DATA_KEYS, or put the file ${file()} back.`,
    )
    expect(await readdir(folder)).toEqual([])
  })

  test('of another database ends the start with the name of the key that it lacks', async () => {
    const db = await openDatabase()
    const { keyIds } = await openContactSeals(db, null, folder)
    await expect(openContactSeals(db, ringOf(generateDataKey()), folder)).rejects.toThrow(
      `the data key "${keyIds[0]}" is not in the keyring. Set DATA_KEYS`,
    )
  })

  test.each(['', 'nonsense', 'k1:AAAA'])(
    'that is no keyring (%j) is told by its file, not by its content',
    async (text) => {
      await writeFile(file(), text)
      await expect(openContactSeals(await openDatabase(), null, folder)).rejects.toThrow(
        `${file()} does not hold data keys (id:base64[,id:base64…]).`,
      )
    },
  )

  test('that cannot be read is told by its file', async () => {
    await mkdir(file())
    await expect(openContactSeals(await openDatabase(), null, folder)).rejects.toThrow(`in ${file()} cannot be read`)
  })
})

describe('a key that leaves the keyring', () => {
  const [old, fresh] = [generateDataKey(), generateDataKey()]
  const oldId = old.split(':')[0]!

  test('is asked for as long as a contact is sealed with it', async () => {
    const db = await openDatabase()
    const { sealer } = await openContactSeals(db, ringOf(old), folder)
    await keepContact(db, sealer.seal('{}', 'row'))
    await db.query("update installation set value = $1 where name = 'contact_identity_key'", [
      await resealedIdentityKey(db),
    ])
    await expect(openContactSeals(db, ringOf(fresh), folder)).rejects.toThrow(
      `The data key "${oldId}" is not in the keyring, but still needed (contacts sealed with it: 1, kept replies: 0).`,
    )
    await db.query('delete from contacts')
    await openContactSeals(db, ringOf(fresh), folder)
  })

  /** As a finished re-sealing leaves it. */
  async function resealedIdentityKey(db: Pool): Promise<Buffer> {
    const { sealer } = await openContactSeals(db, ringOf(fresh, old), folder)
    const { rows } = await db.query<{ value: Buffer }>(
      "select value from installation where name = 'contact_identity_key'",
    )
    return sealer.seal(sealer.open(rows[0]!.value, 'contact_identity_key'), 'contact_identity_key')
  }
})

describe('adding a key to the file', () => {
  test('puts it in front, and keeps the others and the mode', async () => {
    const db = await openDatabase()
    const before = await openContactSeals(db, null, folder)
    const id = await prependToKeyFile(folder)
    const after = await openContactSeals(db, null, folder)
    expect(after.keyIds).toEqual([id, ...before.keyIds])
    expect((await stat(file())).mode & 0o777).toBe(0o600)
    expect(after.sealer.open(before.sealer.seal('text', 'row'), 'row').toString()).toBe('text')
    expect(await readdir(folder)).toEqual(['data-keys'])
  })

  test('is refused where there is none', async () => {
    await expect(prependToKeyFile(folder)).rejects.toThrow(`There is no keyring in ${file()}.`)
    await writeFile(file(), 'nonsense')
    await expect(prependToKeyFile(folder)).rejects.toThrow('does not hold data keys')
    expect(await readFile(file(), 'utf8')).toBe('nonsense')
  })
})
