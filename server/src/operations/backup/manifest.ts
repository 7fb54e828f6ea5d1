import { OperatorError } from '../../foundation/kernel/errors.ts'

/*
 * A backup is a tar file with these entries, in this order:
 *   header.json                      what the file is
 *   data-keys                        the keyring, with --with-keys
 *   tables/<table>/<number>.copy.gz  the rows, in the text format of COPY, cut into parts at any byte
 *   manifest.json                    what the file holds, with a checksum of each entry above
 *   manifest.sha256                  the checksum of manifest.json, as sha256sum writes it: it shows damage
 *   manifest.seal                    an HMAC of manifest.json by a data key: it proves the file's origin. Absent
 *                                    where the backup was made without the data keys, and in format 1
 */
export const entryNames = {
  header: 'header.json',
  dataKeys: 'data-keys',
  manifest: 'manifest.json',
  checksum: 'manifest.sha256',
  seal: 'manifest.seal',
  part: (table: string, number: number) => `tables/${table}/${String(number).padStart(6, '0')}.copy.gz`,
}

export const backupFormat = 2

/** Columns of a table that hold data of their own; computed ones are left out. */
export interface TableColumns {
  name: string
  columns: string[]
}

export interface BackupHeader {
  format: number
  program: string
  /** The newest migration of the database that was copied. */
  schema_version: number
  created_at: string
  /** The version of PostgreSQL. */
  postgres: string
  with_keys: boolean
  /** The sealed key of the identity hashes, base64: it shows whether a keyring fits. Null if none was made yet. */
  identity_key: string | null
  tables: TableColumns[]
}

export interface EntryChecksum {
  name: string
  bytes: number
  sha256: string
}

/** Where a table's next id starts. */
export interface SequenceState {
  table: string
  column: string
  /** As text: it may exceed what a JavaScript number holds. */
  value: string
  called: boolean
}

export interface BackupManifest {
  entries: EntryChecksum[]
  tables: { name: string; rows: number }[]
  sequences: SequenceState[]
}

export class BackupFileError extends OperatorError {
  constructor(file: string, problem: string) {
    super(`${file} cannot be restored: ${problem}. Nothing was changed.`)
    this.name = 'BackupFileError'
  }
}

export function parseBackupHeader(file: string, content: Buffer): BackupHeader {
  const header = parseObject<BackupHeader>(content)
  if (typeof header?.format !== 'number') throw new BackupFileError(file, 'it is not a backup of Storedex')
  if (header.format > backupFormat)
    throw new BackupFileError(
      file,
      `a newer Storedex (${header.program}) made it, in format ${header.format}; update this one`,
    )
  return header
}

export function parseBackupManifest(file: string, content: Buffer): BackupManifest {
  const manifest = parseObject<BackupManifest>(content)
  if (!manifest) throw new BackupFileError(file, 'its manifest was altered')
  return manifest
}

function parseObject<T>(content: Buffer): T | undefined {
  try {
    const value: unknown = JSON.parse(content.toString())
    return typeof value === 'object' && value !== null ? (value as T) : undefined
  } catch {
    return undefined
  }
}
