import { listOwnTables, newestSchemaVersion } from '../../foundation/db/migrate.ts'
import { type Client, openSession } from '../../foundation/db/pool.ts'
import { readSealedIdentityKey } from '../../foundation/encryption/keyring.ts'
import { OperatorError } from '../../foundation/kernel/errors.ts'
import { formatDataKeys } from '../../foundation/kernel/seal.ts'
import type { Clock } from '../../foundation/kernel/time.ts'
import { ArchiveWriter } from './archive-writer.ts'
import { findSealingKey, type KeyringSettings, readKeyringToBackUp } from './keys.ts'
import { isNeverCopied } from './left-out.ts'
import { type BackupHeader, backupFormat, entryNames, type TableColumns } from './manifest.ts'
import * as queries from './queries.ts'

export interface BackupContext extends KeyringSettings {
  /** URL of the role that owns the tables. */
  databaseUrl: string
  migrationsDir: string
  /** Name and version of this program. */
  program: string
  clock: Clock
}

export interface BackupInput {
  file: string
  withKeys: boolean
  onProgress?(progress: BackupProgress): void
}

export interface BackupProgress {
  table: string
  /** Rows of the tables that are done. */
  rows: number
  bytesWritten: number
}

export interface BackupResult {
  file: string
  bytes: number
  tables: number
  rows: number
  with_keys: boolean
  /** Whether the file is sealed with a data key, so that a restore notices a change. */
  sealed: boolean
  seconds: number
}

/** Rows are cut into parts of this size, which are compressed at the same time. */
const partBytes = 4 * 2 ** 20

/**
 * Copies an installation into one file, while servers and imports run: everything that was committed at one moment, but
 * for credentials, and nothing that was deleted before. It needs memory for a few parts, whatever the size of the database.
 */
export async function backUp(ctx: BackupContext, input: BackupInput): Promise<BackupResult> {
  const startedAtMs = performance.now()
  const { client, end } = await openSession(ctx.databaseUrl, 'storedex backup')
  try {
    const version = await requireKnownSchema(client, ctx.migrationsDir)
    const archive = await ArchiveWriter.open(input.file, ctx.clock.now())
    try {
      const { bytes, tables, rows, sealed } = await copyInto(archive, client, ctx, { ...input, version })
      const seconds = Math.round(performance.now() - startedAtMs) / 1000
      return { file: input.file, bytes, tables, rows, with_keys: input.withKeys, sealed, seconds }
    } catch (error) {
      await archive.abandon()
      throw error
    }
  } finally {
    await end()
  }
}

async function requireKnownSchema(client: Client, migrationsDir: string): Promise<number> {
  const version = await queries.readAppliedVersion(client)
  if (version === null) throw new OperatorError('There is nothing to back up: the database holds no installation yet.')
  if (version <= (await newestSchemaVersion(migrationsDir))) return version
  throw new OperatorError(`The database is at schema version ${version}, newer than this program; update Storedex.`)
}

async function copyInto(
  archive: ArchiveWriter,
  client: Client,
  ctx: BackupContext,
  { withKeys, version, onProgress }: BackupInput & { version: number },
): Promise<Pick<BackupResult, 'bytes' | 'tables' | 'rows' | 'sealed'>> {
  const own = await listOwnTables(ctx.migrationsDir)
  const wanted = own.filter((name) => !isNeverCopied(name))
  await queries.beginSnapshot(client)
  // Before the first read: a migration could otherwise change a table between the two.
  const existing = (await queries.readTableColumns(client, wanted)).map(({ name }) => name)
  await queries.lockAgainstMigrations(client, existing)
  const tables = await queries.readTableColumns(client, existing)
  const identityKey = await readSealedIdentityKey(client)
  const header: BackupHeader = {
    format: backupFormat,
    program: ctx.program,
    schema_version: version,
    created_at: ctx.clock.now().toISOString(),
    postgres: await queries.readServerVersion(client),
    with_keys: withKeys,
    identity_key: identityKey?.toString('base64') ?? null,
    tables,
  }
  await archive.writeHeader(header)
  // Read after the snapshot began, so that the keyring holds every key that sealed something in it.
  const sealingKey = await findSealingKey(ctx, identityKey)
  if (withKeys) {
    const keys = await readKeyringToBackUp(ctx, identityKey)
    await archive.add(entryNames.dataKeys, Buffer.from(`${formatDataKeys(keys)}\n`))
  }
  const counts: { name: string; rows: number }[] = []
  let rows = 0
  for (const table of tables) {
    const report = () => onProgress?.({ table: table.name, rows, bytesWritten: archive.bytes })
    report()
    const copied = await copyTable(archive, client, table, report)
    counts.push({ name: table.name, rows: copied })
    rows += copied
  }
  const sequences = await queries.readSequences(client, own)
  const bytes = await archive.finish({ tables: counts, sequences }, sealingKey)
  return { bytes, tables: tables.length, rows, sealed: sealingKey !== undefined }
}

async function copyTable(
  archive: ArchiveWriter,
  client: Client,
  table: TableColumns,
  report: () => void,
): Promise<number> {
  const stream = queries.copyTableOut(client, table)
  let pieces: Buffer[] = []
  let size = 0
  let parts = 0
  const writePart = async () => {
    await archive.addCompressed(entryNames.part(table.name, ++parts), Buffer.concat(pieces))
    pieces = []
    size = 0
    report()
  }
  for await (const piece of stream as AsyncIterable<Buffer>) {
    pieces.push(piece)
    size += piece.length
    if (size >= partBytes) await writePart()
  }
  if (size > 0) await writePart()
  return stream.rowCount
}
