import { existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { clusterPaths } from '@storedex/embedded-postgres/cluster'
import type { Command } from 'commander'
import { type BackupProgress, type BackupResult, backUp } from '../backup/back-up.ts'
import { type RestoreProgress, type RestoreResult, restore } from '../backup/restore.ts'
import type { Config } from '../config.ts'
import { keyFilePath } from '../encryption/keyring-file.ts'
import { OperatorError } from '../kernel/errors.ts'
import { formatNumber, systemClock } from '../kernel/time.ts'
import type { OpenedDatabase } from '../resources/database.ts'
import { type Cli, detectFullDisk, printResult } from './context.ts'
import { startBar } from './output.ts'

const aboutBackup = `
The file holds everything in the database as it was at one moment: stores, contacts (encrypted), accounts, people, keys,
ledger. Only its owner can read it. It is complete or not there: it gets its name last.

The data keys open the contacts. Without --with-keys they are not in the file: keep a copy of them elsewhere. With it,
whoever has the file can read every contact: keep the file as you would keep the keys.

With your own PostgreSQL it works in the same way, and the file can be restored into either.`

const aboutRestore = `
The whole file is verified before anything is changed. Then all data is replaced in one step: an interrupted restore leaves
what was there before. Stop the service first, on every server.

If the file holds the data keys, they are put in front of those in DATA_DIR/data-keys. If it does not, restore that file
first, or set DATA_KEYS.`

export function addBackupAction(backup: Command, cli: Cli): void {
  backup
    .argument('<file>', 'the file to write, such as storedex.backup')
    .option('--with-keys', 'include the data keys, which open the contacts')
    .addHelpText('after', aboutBackup)
    .action(async (file: string, flags: { withKeys?: true }, command: Command) => {
      const config = await cli.readConfig()
      requireInstallation(config)
      const result = await withOpenDatabase(cli, config, async (open) => {
        const { ownerUrl: databaseUrl } = await open()
        const withKeys = flags.withKeys ?? false
        const context = { ...settingsOf(config), databaseUrl, program: `storedex ${cli.version}` }
        return withProgress(cli, showBackup, (onProgress) => backUp(context, { file, withKeys, ...onProgress }))
      })
      printResult(cli, command, result, formatBackup(result, config))
    })
}

export function addRestoreAction(restoring: Command, cli: Cli): void {
  restoring
    .argument('<file>', 'a file that "storedex backup" wrote')
    .option('--replace', 'delete what the installation holds now')
    .addHelpText('after', aboutRestore)
    .action(async (file: string, flags: { replace?: true }, command: Command) => {
      const config = await cli.readConfig()
      const result = await withOpenDatabase(cli, config, (openDatabase) =>
        withProgress(cli, showRestore, (onProgress) =>
          restore({ ...settingsOf(config), openDatabase }, { file, replace: flags.replace ?? false, ...onProgress }),
        ),
      )
      printResult(cli, command, result, formatRestore(result))
    })
}

/** A command that finds no installation would otherwise create an empty one, and back that up. */
function requireInstallation({ databaseUrl, dataDir }: Config): void {
  const entry = join(dataDir, 'postgres')
  if (databaseUrl !== null || (existsSync(entry) && existsSync(clusterPaths(realpathSync(entry)).cluster))) return
  throw new OperatorError(
    `There is nothing to back up in ${dataDir}: set DATA_DIR to the folder that the service uses.`,
  )
}

/** Opens the database when the work asks for it, and releases it however the work ends. */
async function withOpenDatabase<T>(
  cli: Cli,
  config: Config,
  work: (open: () => Promise<OpenedDatabase>) => Promise<T>,
): Promise<T> {
  let opened: OpenedDatabase | undefined
  try {
    return await work(async () => {
      opened = await cli.openDatabase(config)
      return opened
    })
  } catch (error) {
    throw opened ? detectFullDisk(config, error) : error
  } finally {
    await opened?.release()
  }
}

function settingsOf({ projectDir, dataKeys, dataDir }: Config) {
  return { migrationsDir: join(projectDir, 'server/migrations'), dataKeys, dataDir, clock: systemClock }
}

interface ProgressDisplay<Progress> {
  onProgress(progress: Progress): void
  end(): void
}

/** Shows the progress of work on a terminal, and nothing elsewhere. */
async function withProgress<Progress, T>(
  { stderr }: Cli,
  show: (terminal: Writable) => ProgressDisplay<Progress>,
  work: (listener: { onProgress?(progress: Progress): void }) => Promise<T>,
): Promise<T> {
  if (!stderr.isTTY) return work({})
  const { onProgress, end } = show(stderr)
  try {
    return await work({ onProgress })
  } finally {
    end()
  }
}

function showBackup(terminal: Writable): ProgressDisplay<BackupProgress> {
  const describe = ({ table, rows, bytesWritten }: BackupProgress) => ({
    table,
    rows: formatNumber(rows),
    size: formatMegabytes(bytesWritten),
  })
  const bar = startBar(terminal, '{size} written, {rows} rows; copying {table}', 0, {
    table: '…',
    rows: 0,
    size: formatMegabytes(0),
  })
  return { onProgress: (progress) => bar.update(0, describe(progress)), end: () => bar.stop() }
}

function showRestore(terminal: Writable): ProgressDisplay<RestoreProgress> {
  const bar = startBar(terminal, '{bar} {percentage} %  {step}', 1, { step: 'verifying' })
  const names = { verifying: 'verifying the file', restoring: 'restoring', indexing: 'building indexes' }
  return {
    onProgress({ step, bytesRead, bytesTotal }) {
      bar.setTotal(bytesTotal)
      bar.update(bytesRead, { step: names[step] })
    },
    end: () => bar.stop(),
  }
}

function formatBackup({ file, bytes, tables, rows, with_keys, seconds }: BackupResult, config: Config): string {
  const counts = `${formatNumber(rows)} rows of ${tables} tables are in ${file} (${formatMegabytes(bytes)}), written in ${seconds} s.`
  const place = config.dataKeys ? 'the setting DATA_KEYS' : keyFilePath(config.dataDir)
  return with_keys
    ? `${counts}\nThe data keys are in it: whoever has the file can read every contact.`
    : `${counts}\nThe data keys are not in it, and without them nobody can open the contacts. Keep a copy of ${place} elsewhere.`
}

function formatRestore({ tables, rows, migrated, erased, seconds }: RestoreResult): string {
  return [
    `Restored ${formatNumber(rows)} rows of ${tables} tables in ${seconds} s.`,
    ...(migrated.length > 0 ? [`Applied ${migrated.join(', ')}.`] : []),
    ...(erased > 0
      ? [`Erased ${formatNumber(erased)} contacts again, of people who were erased after the backup.`]
      : []),
  ].join('\n')
}

function formatMegabytes(bytes: number): string {
  return `${formatNumber(Math.ceil(bytes / 1_000_000))} MB`
}
