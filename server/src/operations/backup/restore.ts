import { setTimeout as delay } from 'node:timers/promises'
import { command } from '../../customers/auth/actor.ts'
import { recordAudit } from '../../customers/auth/audit.ts'
import {
  applyMigrationsAfter,
  createSchema,
  listOwnTables,
  migrate,
  newestSchemaVersion,
  restoreApplicationName,
  takeMigrationLock,
} from '../../foundation/db/migrate.ts'
import { type Client, openSession } from '../../foundation/db/pool.ts'
import { requireDataKeys } from '../../foundation/encryption/keyring.ts'
import { addToKeyFile } from '../../foundation/encryption/keyring-file.ts'
import { OperatorError } from '../../foundation/kernel/errors.ts'
import { type Clock, formatNumber } from '../../foundation/kernel/time.ts'
import { openBackup, type VerifiedBackup } from './archive-reader.ts'
import { KeptErasures } from './kept-erasures.ts'
import { chooseKeyring, type KeyringSettings, type RestoredKeyring, requireSeal, type SealCheck } from './keys.ts'
import { conditionOfCopied, isNeverCopied, partlyCopied } from './left-out.ts'
import { BackupFileError, type BackupHeader, type TableColumns } from './manifest.ts'
import * as queries from './queries.ts'
import { type ComparedInstallations, ReplacedInstallation } from './stricter.ts'

export interface RestoreContext extends KeyringSettings {
  migrationsDir: string
  clock: Clock
  /** Opens the database. Called once the file is known to be good: it may create a new cluster. */
  openDatabase(): Promise<{ ownerUrl: string; serviceRole: string | null }>
}

export interface RestoreInput {
  file: string
  /** Whether what the installation holds may be replaced. */
  replace: boolean
  /** Whether a file without a seal is restored: anybody could have written it. */
  allowUnsealed?: boolean
  onProgress?(progress: RestoreProgress): void
}

export interface RestoreProgress {
  step: 'verifying' | 'restoring' | 'indexing'
  bytesRead: number
  bytesTotal: number
}

export interface RestoreResult extends ComparedInstallations {
  seal: SealCheck
  tables: number
  rows: number
  /** The migrations that were applied to a backup of an older version. */
  migrated: string[]
  /** Contacts in the backup of people who were erased after it was made. */
  erased: number
  seconds: number
}

/**
 * Restores a backup into an empty installation, or with `replace` over another one. The file is verified before anything is
 * changed; then one transaction replaces all tables, so that a crash leaves the old state. A backup of an older version
 * is restored as it was and migrated in the same transaction. People who were erased from this installation since the backup
 * stay erased, and what was taken back stays taken back (`ReplacedInstallation`).
 */
export async function restore(ctx: RestoreContext, input: RestoreInput): Promise<RestoreResult> {
  const startedAtMs = performance.now()
  const { file, onProgress } = input
  const backup = await openBackup(file, (bytesRead, bytesTotal) =>
    onProgress?.({ step: 'verifying', bytesRead, bytesTotal }),
  )
  try {
    const newest = await newestSchemaVersion(ctx.migrationsDir)
    const { program, schema_version: version, identity_key: identityKey } = backup.header
    if (version > newest)
      throw new BackupFileError(
        file,
        `a newer Storedex (${program}, schema version ${version}) made it; update this one`,
      )
    const keyring = await chooseKeyring(ctx, {
      identityKey: identityKey === null ? null : Buffer.from(identityKey, 'base64'),
      inFile: backup.dataKeys,
    })
    const seal = await requireSeal(ctx, file, backup, input.allowUnsealed ?? false)
    const { ownerUrl, serviceRole } = await ctx.openDatabase()
    const replaced = await replaceEverything(ctx, input, { backup, keyring, ownerUrl })
    // Only the rights of the service's role are left to do.
    await migrate(ownerUrl, ctx.migrationsDir, serviceRole)
    const seconds = Math.round(performance.now() - startedAtMs) / 1000
    return { seal, tables: backup.header.tables.length, ...replaced, seconds }
  } finally {
    await backup.close()
  }
}

/** How long PostgreSQL may still list the sessions of a program that has stopped. */
const listedAfterEndMs = 2_000

interface Restoring {
  backup: VerifiedBackup
  keyring: RestoredKeyring
  ownerUrl: string
}

async function replaceEverything(
  ctx: RestoreContext,
  input: RestoreInput,
  { backup, keyring, ownerUrl }: Restoring,
): Promise<Omit<RestoreResult, 'seal' | 'tables' | 'seconds'>> {
  const { client, end } = await openSession(ownerUrl, restoreApplicationName)
  const { migrationsDir } = ctx
  try {
    await queries.noticeLostClient(client)
    await takeMigrationLock(client)
    await refuseRunningPrograms(client, { waitMs: listedAfterEndMs })
    await requireReplaceable(client, ctx, input)
    await client.query('begin')
    const erasures = await KeptErasures.take(client, keyring.keys, backup.header)
    const own = await listOwnTables(migrationsDir)
    const replaced = await ReplacedInstallation.keep(client)
    const sequences = await queries.readSequences(client, own)
    await queries.dropTables(client, own)
    const rows = await fill(client, ctx, input, backup)
    const migrated = await applyMigrationsAfter(client, migrationsDir, backup.header.schema_version)
    // Otherwise the first start, or the first reveal, would notice.
    await requireDataKeys(
      client,
      keyring.keys.map(({ id }) => id),
    )
    const now = ctx.clock.now()
    const erased = await erasures.eraseAgain(client, now)
    const compared = await replaced.compare(client, { now, sequences })
    await recordAudit(
      client,
      { actor: command, now },
      {
        accountId: null,
        action: 'installation.restored',
        details: { backup_of: backup.header.created_at, same_installation: compared.kept !== null },
      },
    )
    // A program that opened its connections just before the lock was taken.
    await refuseRunningPrograms(client)
    // Before the commit: the file then opens the old contacts and the new ones, whichever of them a crash leaves.
    if (keyring.areFromBackup) await addToKeyFile(ctx.dataDir, backup.dataKeys!)
    await client.query('commit')
    return { rows, migrated, erased, ...compared }
  } finally {
    // Ending the session rolls back what was not committed, and releases the lock.
    await end()
  }
}

/** Throws if programs run that do not end within `waitMs`. In a transaction there is nothing to wait for: its list of sessions stays. */
async function refuseRunningPrograms(client: Client, { waitMs = 0 } = {}): Promise<void> {
  const end = performance.now() + waitMs
  let names = await queries.readOtherSessions(client)
  while (names.length > 0 && performance.now() < end) {
    await delay(50)
    names = await queries.readOtherSessions(client)
  }
  if (names.length === 0) return
  const programs = names.includes('storedex') ? 'The service runs' : `Something else runs (${names.join(', ')})`
  throw new OperatorError(
    `${programs} on this database. Stop it on every server, and restore again. Nothing was changed.`,
  )
}

async function requireReplaceable(client: Client, { migrationsDir }: RestoreContext, { replace }: RestoreInput) {
  const version = await queries.readAppliedVersion(client)
  if (version === null) return
  if (version > (await newestSchemaVersion(migrationsDir)))
    throw new OperatorError(`The database is at schema version ${version}, newer than this program; update Storedex.`)
  if (replace) return
  const { accounts, people, stores, suppressions } = await queries.countContents(client)
  if (accounts + people + stores + suppressions === 0) return
  const counts = [
    `${formatNumber(accounts)} accounts`,
    `${formatNumber(stores)} stores`,
    `${formatNumber(people)} people of the console`,
    `${formatNumber(suppressions)} suppressions`,
  ].join(', ')
  throw new OperatorError(
    `The installation is not empty: it holds ${counts}. Back it up first, then restore with --replace, which deletes them. Nothing was changed.`,
  )
}

/** Creates the schema of the backup's version, and fills it. Returns the number of rows. */
async function fill(
  client: Client,
  { migrationsDir }: RestoreContext,
  { file, onProgress }: RestoreInput,
  backup: VerifiedBackup,
): Promise<number> {
  const { header, manifest } = backup
  await createSchema(client, migrationsDir, header.schema_version)
  const schema = await queries.readTableColumns(client, await listOwnTables(migrationsDir))
  const tables = matchTables(file, header, schema)
  // Also those that stay empty: their foreign keys are in the way.
  const names = schema.map(({ name }) => name)
  // Migrations insert a few rows.
  await queries.emptyTables(client, names)
  const later = await queries.dropIndexesAndForeignKeys(client, names)
  let bytesRead = 0
  let rows = 0
  const report = (step: RestoreProgress['step']) => onProgress?.({ step, bytesRead, bytesTotal: backup.bytes })
  for (const table of tables) {
    const pieces = backup.readTable(table.name, (bytes) => {
      bytesRead += bytes
      report('restoring')
    })
    const copied = await queries.copyTableIn(client, table, pieces)
    const expected = manifest.tables.find(({ name }) => name === table.name)?.rows
    if (copied !== expected)
      throw new BackupFileError(file, `its table ${table.name} has ${copied} rows, not ${expected}`)
    rows += copied
  }
  for (const table of partlyCopied)
    if (names.includes(table)) await queries.deleteRowsNotCopied(client, table, conditionOfCopied(table)!)
  report('indexing')
  await queries.createAgain(client, later)
  await queries.setSequences(client, manifest.sequences)
  await queries.analyzeTables(client, names)
  return rows
}

/** The tables as the file holds them. Throws unless they are the ones of the schema, with all columns. */
function matchTables(file: string, header: BackupHeader, schema: readonly TableColumns[]): TableColumns[] {
  const sorted = (columns: readonly string[] = []) => [...columns].sort().join()
  return schema
    .filter(({ name }) => !isNeverCopied(name))
    .map(({ name, columns }) => {
      const saved = header.tables.find((table) => table.name === name)
      if (saved && sorted(saved.columns) === sorted(columns)) return saved
      throw new BackupFileError(file, `its table ${name} does not fit schema version ${header.schema_version}`)
    })
}
