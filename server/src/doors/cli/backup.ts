import { existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { clusterPaths } from '@storedex/embedded-postgres/cluster'
import { escapeLine } from '@storedex/process-lock/terminal'
import type { Command } from 'commander'
import { keyFilePath } from '../../foundation/encryption/keyring-file.ts'
import { OperatorError } from '../../foundation/kernel/errors.ts'
import { formatNumber, systemClock } from '../../foundation/kernel/time.ts'
import { type BackupProgress, type BackupResult, backUp } from '../../operations/backup/back-up.ts'
import { type RestoreProgress, type RestoreResult, restore } from '../../operations/backup/restore.ts'
import type { Config } from '../../operations/config.ts'
import type { OpenedDatabase } from '../../operations/resources/database.ts'
import { type Cli, detectFullDisk, printResult } from './context.ts'
import { startBar } from './output.ts'

const aboutBackup = `
The file holds everything in the database as it was at one moment: stores, contacts (encrypted), accounts, people, keys,
ledger. What somebody could sign in with at once is not in it: sessions, links, invitations. Only its owner can read it. It is complete or not there: it gets its name last.

The data keys open the contacts. Without --with-keys they are not in the file: keep a copy of them elsewhere. With it,
whoever has the file can read every contact: keep the file as you would keep the keys.

With your own PostgreSQL it works in the same way, and the file can be restored into either.`

const aboutRestore = `
The whole file is verified before anything is changed. Its seal shows that nobody has altered it; a file without one needs
--unsealed. A file with the data keys in it proves nothing, unless these keys are here already. Then all data is replaced in one step: an interrupted restore leaves
what was there before. Stop the service first, on every server.

With --replace over the installation that the backup was made of, what was taken back since stays so: revoked keys, removed
people, operator marks, passwords. Otherwise the keys and operators that are valid again are printed: look at them.

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
    .option('--unsealed', 'restore a file without a seal, that anybody could have written')
    .addHelpText('after', aboutRestore)
    .action(async (file: string, flags: { replace?: true; unsealed?: true }, command: Command) => {
      const config = await cli.readConfig()
      const result = await withOpenDatabase(cli, config, (openDatabase) =>
        withProgress(cli, showRestore, (onProgress) =>
          restore(
            { ...settingsOf(config), openDatabase },
            { file, replace: flags.replace ?? false, allowUnsealed: flags.unsealed ?? false, ...onProgress },
          ),
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

function formatBackup({ file, bytes, tables, rows, with_keys, sealed, seconds }: BackupResult, config: Config): string {
  const counts = `${formatNumber(rows)} rows of ${tables} tables are in ${escapeLine(file)} (${formatMegabytes(bytes)}), written in ${seconds} s.`
  const place = config.dataKeys ? 'the setting DATA_KEYS' : keyFilePath(config.dataDir)
  if (with_keys)
    return `${counts}\nThe data keys are in it: whoever has the file can read every contact, and alter it unnoticed.`
  const about = sealed
    ? counts
    : `${counts}\nIt has no seal, because the data keys of this database are not in ${place}: a restore needs --unsealed, and cannot notice that somebody altered it.`
  return `${about}\nThe data keys are not in it, and without them nobody can open the contacts. Keep a copy of ${place} elsewhere.`
}

function formatRestore(result: RestoreResult): string {
  const { tables, rows, migrated, erased, seconds, kept, revived, without_owner } = result
  const keptCounts = Object.entries(kept ?? {}).flatMap(([name, count]) => (count > 0 ? [`${name} ${count}`] : []))
  return [
    `Restored ${formatNumber(rows)} rows of ${tables} tables in ${seconds} s.`,
    ...(migrated.length > 0 ? [`Applied ${migrated.join(', ')}.`] : []),
    ...(erased > 0
      ? [`Erased ${formatNumber(erased)} contacts again, of people who were erased after the backup.`]
      : []),
    ...(keptCounts.length > 0 ? [`What was stricter here stayed so: ${keptCounts.join(', ')}.`] : []),
    ...sealWords[result.seal],
    ...listRevived(
      'These keys are valid here again. Revoke those that had been: storedex keys revoke KEY.',
      revived.keys.map(({ id, account, name, mode, display }) => `${id}  ${account}  ${mode}  ${display}  ${name}`),
    ),
    ...listRevived(
      'These users are operators here again. Withdraw the mark where it had been: storedex users operator EMAIL --off.',
      revived.operators.map(({ id, email, name }) => `${id}  ${email}  ${name}`),
    ),
    ...listRevived(
      'These accounts have no owner any more. Give them one: storedex users add EMAIL --account ACCOUNT --role owner.',
      without_owner,
    ),
    'Everybody has to sign in again, and open invitations have to be sent again.',
  ].join('\n')
}

const sealWords: Record<RestoreResult['seal'], string[]> = {
  verified: [],
  keys_in_file: ['The data keys came in the file, so its seal does not show who wrote it.'],
  none: ['The file has no seal: nothing shows who wrote it.'],
}

/** The output is for reading; --json has all of them. */
const maxListed = 50

function listRevived(sentence: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return []
  const more = lines.length - maxListed
  return [
    sentence,
    ...lines.slice(0, maxListed).map((line) => `  ${escapeLine(line)}`),
    ...(more > 0 ? [`  and ${formatNumber(more)} more: --json lists all`] : []),
  ]
}

function formatMegabytes(bytes: number): string {
  return `${formatNumber(Math.ceil(bytes / 1_000_000))} MB`
}
