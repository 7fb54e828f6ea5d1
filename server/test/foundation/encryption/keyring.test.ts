import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createPool, type Pool } from '../../../src/foundation/db/pool.ts'
import { type ContactSeals, openContactSeals } from '../../../src/foundation/encryption/keyring.ts'
import { prependToKeyFile } from '../../../src/foundation/encryption/keyring-file.ts'
import { generateDataKey, parseDataKeys } from '../../../src/foundation/kernel/seal.ts'
import { createTestDatabase } from '../../support/database.ts'

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

/** The installation's hash of one person, for recognising erased people. */
const recognising = (seals: ContactSeals) => seals.identities.hash('email', 'mara@aurora.example').hash

/** A row of contacts; only its sealed part matters. */
async function keepContact(db: Pool, sealed: Buffer): Promise<void> {
  await db.query(
    `insert into contacts (store_id, number, external_key, traits, revealable, verified_revealable, verified_emails,
       preview, preview_version, identities, sealed)
     values (1, 1, 'x', 0, true, true, 0, '{', 1, '{}', $1)`,
    [sealed],
  )
}

describe('the first start without DATA_KEYS', () => {
  test('creates a keyring that only its owner can read, and later starts use it', async () => {
    const db = await openDatabase()
    const first = await openContactSeals(db, null, join(folder, 'new'))
    expect((await stat(join(folder, 'new/data-keys'))).mode & 0o777).toBe(0o600)
    const second = await openContactSeals(db, null, join(folder, 'new'))
    expect(second.keyIds).toEqual(first.keyIds)
    expect(second.sealer.open(first.sealer.seal('text', 'row'), 'row').toString()).toBe('text')
    expect(recognising(second)).toBe(recognising(first))
  })

  test('creates one keyring, also when several servers start at once', async () => {
    const db = await openDatabase()
    const all = await Promise.all(Array.from({ length: 8 }, () => openContactSeals(db, null, folder)))
    expect(new Set(all.flatMap(({ keyIds }) => keyIds)).size).toBe(1)
    expect(new Set(all.map(recognising)).size).toBe(1)
    expect(await readdir(folder)).toEqual(['data-keys'])
  })

  test('fails with a message when it cannot write the file', async () => {
    await writeFile(join(folder, 'taken'), '')
    await expect(openContactSeals(await openDatabase(), null, join(folder, 'taken'))).rejects.toThrow(
      /data keys.*(cannot be kept|cannot be read)/,
    )
  })
})

describe('a keyring', () => {
  test('in DATA_KEYS takes precedence over the file, which is not created', async () => {
    const db = await openDatabase()
    const entry = generateDataKey()
    const seals = await openContactSeals(db, ringOf(entry), folder)
    expect(seals.keyIds).toEqual([entry.split(':')[0]])
    expect(await readdir(folder)).toEqual([])
  })

  test('that is missing for a database with sealed data ends the start, and no new one is created', async () => {
    const db = await openDatabase()
    await openContactSeals(db, null, folder)
    await rm(file())
    await expect(openContactSeals(db, null, folder)).rejects.toThrow(
      `The contact data of this database is sealed, and there is no keyring: set DATA_KEYS, or put the file ${file()} back.`,
    )
    expect(await readdir(folder)).toEqual([])
  })

  test('of another database ends the start with the id of the missing key', async () => {
    const db = await openDatabase()
    const { keyIds } = await openContactSeals(db, null, folder)
    await expect(openContactSeals(db, ringOf(generateDataKey()), folder)).rejects.toThrow(
      `the data key "${keyIds[0]}" is not in the keyring. Set DATA_KEYS`,
    )
  })

  test.each(['', 'nonsense', 'k1:AAAA'])(
    'that is invalid (%j) is named by its file, without its content',
    async (text) => {
      await writeFile(file(), text)
      await expect(openContactSeals(await openDatabase(), null, folder)).rejects.toThrow(
        `${file()} does not hold data keys (id:base64[,id:base64…]).`,
      )
    },
  )

  test('that is invalid ends the start with the name of its file', async () => {
    await mkdir(file())
    await expect(openContactSeals(await openDatabase(), null, folder)).rejects.toThrow(`in ${file()} cannot be read`)
  })
})

describe('a key removed from the keyring', () => {
  const [old, fresh] = [generateDataKey(), generateDataKey()]
  const oldId = old.split(':')[0]!

  test('is required as long as a contact is sealed with it', async () => {
    const db = await openDatabase()
    const { sealer } = await openContactSeals(db, ringOf(old), folder)
    await keepContact(db, sealer.seal('{}', 'row'))
    await db.query("update installation set value = $1 where name = 'contact_identity_key'", [
      await resealedIdentityKey(db),
    ])
    await expect(openContactSeals(db, ringOf(fresh), folder)).rejects.toThrow(
      `The data key "${oldId}" is not in the keyring, but is still needed (contacts sealed with it: 1, kept replies: 0). Put it back; "storedex data-keys reseal" seals them with the newest key.`,
    )
    await db.query('delete from contacts')
    await openContactSeals(db, ringOf(fresh), folder)
  })

  /** The state after a complete reseal. */
  async function resealedIdentityKey(db: Pool): Promise<Buffer> {
    const { sealer } = await openContactSeals(db, ringOf(fresh, old), folder)
    const { rows } = await db.query<{ value: Buffer }>(
      "select value from installation where name = 'contact_identity_key'",
    )
    return sealer.seal(sealer.open(rows[0]!.value, 'contact_identity_key'), 'contact_identity_key')
  }
})

describe('adding a key to the file', () => {
  test('puts it first, and keeps the other keys and the file mode', async () => {
    const db = await openDatabase()
    const before = await openContactSeals(db, null, folder)
    const id = await prependToKeyFile(folder)
    const after = await openContactSeals(db, null, folder)
    expect(after.keyIds).toEqual([id, ...before.keyIds])
    expect((await stat(file())).mode & 0o777).toBe(0o600)
    expect(after.sealer.open(before.sealer.seal('text', 'row'), 'row').toString()).toBe('text')
    expect(await readdir(folder)).toEqual(['data-keys'])
  })

  test('is rejected without a file', async () => {
    await expect(prependToKeyFile(folder)).rejects.toThrow(`There is no keyring in ${file()}.`)
    await writeFile(file(), 'nonsense')
    await expect(prependToKeyFile(folder)).rejects.toThrow('does not hold data keys')
    expect(await readFile(file(), 'utf8')).toBe('nonsense')
  })
})
