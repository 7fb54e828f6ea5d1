import { opensIdentityKey } from '../../foundation/encryption/keyring.ts'
import { keyFilePath, readKeyFile } from '../../foundation/encryption/keyring-file.ts'
import { OperatorError } from '../../foundation/kernel/errors.ts'
import type { DataKey } from '../../foundation/kernel/seal.ts'
import type { VerifiedBackup } from './archive-reader.ts'
import { BackupFileError } from './manifest.ts'
import { checkSeal, chooseSealingKey } from './seal.ts'

export interface KeyringSettings {
  /** DATA_KEYS; null when the file in the data directory is used. */
  dataKeys: readonly DataKey[] | null
  dataDir: string
}

/** The keyring for a backup with keys. Throws when it does not open what is backed up. */
export async function readKeyringToBackUp(
  { dataKeys, dataDir }: KeyringSettings,
  identityKey: Buffer | null,
): Promise<readonly DataKey[]> {
  const keys = dataKeys ?? (await readKeyFile(dataDir))
  if (keys && (!identityKey || opensIdentityKey(keys, identityKey))) return keys
  const place = dataKeys ? 'DATA_KEYS' : keyFilePath(dataDir)
  throw new OperatorError(
    keys
      ? `The keys in ${place} do not open the contacts of this database, so a backup with them would be of no use.`
      : `There are no data keys in ${place}; set DATA_KEYS, or make the backup without --with-keys.`,
  )
}

/** The data key to seal a backup with. Undefined where the keys of this database are not: anybody could have made the file. */
export async function findSealingKey(
  { dataKeys, dataDir }: KeyringSettings,
  identityKey: Buffer | null,
): Promise<DataKey | undefined> {
  const keys = dataKeys ?? (await readKeyFile(dataDir))
  return keys && (!identityKey || opensIdentityKey(keys, identityKey)) ? chooseSealingKey(keys, identityKey) : undefined
}

/**
 * How a restore knows that the file is as a backup wrote it. `verified`: its seal was made with a data key that was here
 * before. `keys_in_file`: with a key that came in the file, which proves nothing. `none`: it has no seal.
 */
export type SealCheck = 'verified' | 'keys_in_file' | 'none'

/** Throws for a file whose seal is wrong or, unless that is allowed, missing. */
export async function requireSeal(
  { dataKeys, dataDir }: KeyringSettings,
  file: string,
  { seal, manifestBytes, dataKeys: inFile }: VerifiedBackup,
  allowUnsealed: boolean,
): Promise<SealCheck> {
  if (!seal) {
    if (allowUnsealed) return 'none'
    throw new BackupFileError(
      file,
      'it has no seal, so nothing shows that it is as the backup wrote it. An older Storedex made it, or one without the data keys, or somebody took the seal away. If you trust the place where it was kept, restore it with --unsealed',
    )
  }
  const here = dataKeys ?? (await readKeyFile(dataDir)) ?? []
  const isRight = checkSeal(here, seal, manifestBytes)
  if (isRight) return 'verified'
  if (isRight === null && inFile && checkSeal(inFile, seal, manifestBytes)) return 'keys_in_file'
  if (isRight === null && !inFile)
    throw new BackupFileError(file, `it was sealed with the data key "${seal.keyId}", which is not in the keyring`)
  throw new BackupFileError(file, 'its seal does not fit: it was altered after the backup')
}

export interface RestoredKeyring {
  keys: readonly DataKey[]
  /** Whether the keys have to be put into the file in the data directory. */
  areFromBackup: boolean
}

/** The keyring that will open the restored contacts. Throws when there is none. */
export async function chooseKeyring(
  { dataKeys, dataDir }: KeyringSettings,
  { identityKey, inFile }: { identityKey: Buffer | null; inFile: readonly DataKey[] | null },
): Promise<RestoredKeyring> {
  const opens = (keys: readonly DataKey[] | null) =>
    keys !== null && (!identityKey || opensIdentityKey(keys, identityKey))
  if (dataKeys) {
    if (opens(dataKeys)) return { keys: dataKeys, areFromBackup: false }
    throw new OperatorError(
      inFile
        ? 'DATA_KEYS does not open the contacts of this backup. Remove DATA_KEYS to use the keys in the backup, or add their entries to it.'
        : 'DATA_KEYS does not open the contacts of this backup, and the backup holds no keys. Set DATA_KEYS to the keyring of the installation that was backed up.',
    )
  }
  const path = keyFilePath(dataDir)
  const stored = await readKeyFile(dataDir)
  if (inFile) {
    refuseDifferentKeys(path, stored ?? [], inFile)
    return { keys: [...inFile, ...(stored ?? [])], areFromBackup: true }
  }
  if (stored && opens(stored)) return { keys: stored, areFromBackup: false }
  throw new OperatorError(
    `The backup holds no data keys, and ${stored ? `those in ${path} do not open its contacts` : `there are none in ${path}`}. Put the file data-keys of the installation that was backed up there, or set DATA_KEYS, and restore again. Nothing was changed.`,
  )
}

/** Ids are random, so this happens only to keys that were named by hand. */
function refuseDifferentKeys(path: string, stored: readonly DataKey[], inFile: readonly DataKey[]): void {
  const other = stored.find(({ id, secret }) => inFile.some((key) => key.id === id && !key.secret.equals(secret)))
  if (other)
    throw new OperatorError(
      `The data key "${other.id}" in ${path} differs from the one of that name in the backup. Move the file away and restore again.`,
    )
}
