import { randomBytes } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readInstallationValue, writeInstallationValue } from '../db/installation.ts'
import type { Queryable } from '../db/pool.ts'
import { OperatorError } from '../kernel/errors.ts'
import { createSealer, type DataKey, generateDataKey, parseDataKeys, SealError, type Sealer } from '../kernel/seal.ts'
import { createIdentityHasher, type IdentityHasher } from './identities.ts'

/** What reads and writes the sealed part of contacts. */
export interface ContactSeals {
  sealer: Sealer
  identities: IdentityHasher
}

const identityKeyName = 'contact_identity_key'

/**
 * Opens the keyring: the operator's, or the one in the data directory, made there at the first start. The key behind the
 * hashes of identities is made once for the installation and lies in the database, sealed, so that a copy of the database
 * alone cannot be searched for a known address, and so that it outlives every data key.
 */
export async function openContactSeals(
  db: Queryable,
  given: readonly DataKey[] | null,
  dataDir: string,
): Promise<ContactSeals> {
  const kept = await readInstallationValue(db, identityKeyName)
  const sealer = createSealer(given ?? (await readKeyFile(dataDir)) ?? (await makeKeyFile(dataDir, kept !== null)))
  const sealed =
    kept ?? (await writeInstallationValue(db, identityKeyName, sealer.seal(randomBytes(32), identityKeyName)))
  return { sealer, identities: createIdentityHasher(openIdentityKey(sealer, sealed)) }
}

function openIdentityKey(sealer: Sealer, sealed: Buffer): Buffer {
  try {
    return sealer.open(sealed, identityKeyName)
  } catch (cause) {
    if (!(cause instanceof SealError)) throw cause
    throw new OperatorError(
      `The contact data of this database cannot be opened: ${cause.message}. Set DATA_KEYS to the keyring it was sealed with.`,
      { cause },
    )
  }
}

const fileName = 'data-keys'

async function readKeyFile(dataDir: string): Promise<DataKey[] | null> {
  const path = join(dataDir, fileName)
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw new OperatorError(`The data keys in ${path} cannot be read.`, { cause })
  }
  const keys = parseDataKeys(text)
  if (!keys) throw new OperatorError(`${path} does not hold data keys (id:base64[,id:base64…]).`)
  return keys
}

/** Written aside and linked, so that of two starters at once one makes the keys and both read the same. */
async function makeKeyFile(dataDir: string, isSealedAlready: boolean): Promise<DataKey[]> {
  const path = join(dataDir, fileName)
  if (isSealedAlready)
    throw new OperatorError(
      `The contact data of this database is sealed, and there is no keyring: set DATA_KEYS, or put the file ${path} back.`,
    )
  const aside = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 })
    await writeFile(aside, `${generateDataKey()}\n`, { mode: 0o600, flag: 'wx', flush: true })
    await link(aside, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  } catch (cause) {
    throw new OperatorError(`The data keys cannot be kept in ${path}: make the folder writable or set DATA_KEYS.`, {
      cause,
    })
  } finally {
    await rm(aside, { force: true })
  }
  return (await readKeyFile(dataDir))!
}
