import { randomBytes } from 'node:crypto'
import { ensureInstallationValue, readInstallationValue } from '../db/installation.ts'
import { type Pool, type Queryable, transact } from '../db/pool.ts'
import { OperatorError } from '../kernel/errors.ts'
import { contactKey } from '../kernel/ids.ts'
import { createSealer, type DataKey, dataKeyIdOf, SealError, type Sealer } from '../kernel/seal.ts'
import type { ContactFacts } from './contact-facts.ts'
import { createIdentityHasher, type IdentityHasher } from './identities.ts'
import { createKeyFile, keyFilePath, readKeyFile, rereadKeyFile } from './keyring-file.ts'
import * as queries from './queries.ts'

/** The keys that seal, open and recognise contacts. */
export interface ContactSeals {
  sealer: Sealer
  identities: IdentityHasher
  /** The ids of the keyring; the first key seals. */
  keyIds: readonly string[]
}

const identityKeyName = 'contact_identity_key'

/**
 * Opens the keyring: the operator's, or the one in the data directory, which the first start creates. The key of the identity
 * hashes is made once per installation and stored in the database, sealed: a copy of the database alone cannot be searched
 * for a known address, and the key survives the replacement of every data key.
 */
export async function openContactSeals(
  db: Pool,
  given: readonly DataKey[] | null,
  dataDir: string,
): Promise<ContactSeals> {
  const stored = await readInstallationValue(db, identityKeyName)
  const keys = given ?? (await readKeyFile(dataDir)) ?? (await createFirstKeyFile(dataDir, stored !== null))
  const sealer = given ? createSealer(keys) : createSealer(keys, () => rereadKeyFile(dataDir))
  const sealed =
    stored ?? (await ensureInstallationValue(db, identityKeyName, sealer.seal(randomBytes(32), identityKeyName)))
  const identityKey = openIdentityKey(sealer, sealed)
  const keyIds = keys.map(({ id }) => id)
  await refuseMissingKeys(db, keyIds)
  await queries.recordDataKey(db, keyIds[0]!)
  return { sealer, identities: createIdentityHasher(identityKey), keyIds }
}

/** Seals the identity key with the newest data key; false if it already was. */
export async function resealIdentityKey(db: Queryable, sealer: Sealer): Promise<boolean> {
  const sealed = (await readInstallationValue(db, identityKeyName))!
  if (sealer.isNewest(sealed)) return false
  const resealed = sealer.seal(openIdentityKey(sealer, sealed), identityKeyName)
  await queries.replaceInstallationValue(db, identityKeyName, sealed, resealed)
  return true
}

/** The id of the data key that the identity key is sealed with. */
export async function readDataKeyOfIdentityKey(db: Queryable): Promise<string> {
  return dataKeyIdOf((await readInstallationValue(db, identityKeyName))!)
}

async function createFirstKeyFile(dataDir: string, isSealedAlready: boolean): Promise<DataKey[]> {
  if (isSealedAlready)
    throw new OperatorError(
      `The contact data of this database is sealed, and there is no keyring: set DATA_KEYS, or put the file ${keyFilePath(dataDir)} back.`,
    )
  return createKeyFile(dataDir)
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

/** The sealed key of the identity hashes; null before the first start. */
export function readSealedIdentityKey(db: Queryable): Promise<Buffer | null> {
  return readInstallationValue(db, identityKeyName)
}

/** Recognises people as the installation with this sealed identity key does; null if the keyring does not open it. */
export function tryOpenSeals(keys: readonly DataKey[], sealedIdentityKey: Buffer): ContactSeals | null {
  if (!opensIdentityKey(keys, sealedIdentityKey)) return null
  const sealer = createSealer(keys)
  const identities = createIdentityHasher(openIdentityKey(sealer, sealedIdentityKey))
  return { sealer, identities, keyIds: keys.map(({ id }) => id) }
}

/** Whether a keyring opens the contact data of the installation with this sealed identity key. */
export function opensIdentityKey(keys: readonly DataKey[], sealed: Buffer): boolean {
  try {
    createSealer(keys).open(sealed, identityKeyName)
    return true
  } catch (error) {
    if (error instanceof SealError) return false
    throw error
  }
}

/** Checks the keyring against everything sealed, and deletes the records of keys that nothing needs any more. */
async function refuseMissingKeys(db: Pool, keyIds: readonly string[]): Promise<void> {
  const recorded = await queries.readRecordedDataKeys(db)
  if (recorded.every((id) => keyIds.includes(id))) return
  const unneeded = await transact(db, async (client) => {
    await queries.allowLongStatements(client)
    return requireDataKeys(client, keyIds)
  })
  await queries.forgetDataKeys(db, unneeded)
}

/**
 * The database records every key that has sealed. A recorded key that is missing from the keyring is an error while
 * anything is sealed with it, because reveals would fail later. Returns the recorded keys that nothing needs.
 */
export async function requireDataKeys(db: Queryable, keyIds: readonly string[]): Promise<string[]> {
  const missing = (await queries.readRecordedDataKeys(db)).filter((id) => !keyIds.includes(id))
  if (missing.length === 0) return []
  const needed = (await queries.countByDataKey(db)).find(({ id }) => missing.includes(id))
  if (needed) {
    const { id, contacts, replies } = needed
    throw new OperatorError(
      `The data key "${id}" is not in the keyring, but is still needed (contacts sealed with it: ${contacts}, kept replies: ${replies}). Put it back; "storedex data-keys reseal" seals them with the newest key.`,
    )
  }
  return missing
}

/** The result opens only as the contact with this store and number. */
export function sealContact(sealer: Sealer, storeId: number, number: number, facts: ContactFacts): Buffer {
  return sealer.seal(JSON.stringify(facts), contactRowIdentity(storeId, number))
}

export function openContact(sealer: Sealer, storeId: number, number: number, sealed: Buffer): ContactFacts {
  return JSON.parse(sealer.open(sealed, contactRowIdentity(storeId, number)).toString()) as ContactFacts
}

/** The associated data of a sealed contact. */
export function contactRowIdentity(storeId: number, number: number): string {
  return `contact ${contactKey(storeId, number)}`
}

/** Opens a stored contact. Throws an OperatorError if the keyring lacks its key or the bytes were altered. */
export function openStoredContact(sealer: Sealer, storeId: number, number: number, sealed: Buffer): ContactFacts {
  try {
    return openContact(sealer, storeId, number, sealed)
  } catch (cause) {
    if (!(cause instanceof SealError)) throw cause
    throw new OperatorError(`Contact ${number} of store ${storeId} cannot be opened: ${cause.message}.`, { cause })
  }
}

/** The associated data of a sealed piece of an export's file. */
export function exportPieceIdentity({ accountId, id }: { accountId: number; id: number }, number: number): string {
  return `export ${accountId} ${id} ${number}`
}
