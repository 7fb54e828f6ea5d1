import { statfsSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { classifyDatabaseError } from '@storedex/pg-lanes/failures'
import { escapeControls } from '@storedex/process-lock/terminal'
import type { Command } from 'commander'
import type { PlanFile } from '../../customers/accounts/plans.ts'
import { type Actor, command } from '../../customers/auth/actor.ts'
import { OperatorError } from '../../foundation/kernel/errors.ts'
import type { Config, ServiceAccess } from '../../operations/config.ts'
import type { Deps } from '../../operations/deps.ts'
import type { CatalogueDeps } from '../../operations/resources/catalogue.ts'
import type { DatabaseDeps, OpenedDatabase } from '../../operations/resources/database.ts'

/** The parts of the process that commands use. */
export interface Cli {
  version: string
  /** The settings; throws an `OperatorError` for a wrong one. */
  readConfig(): Promise<Config>
  /** How to call a running service; throws as `readConfig` does. */
  readServiceAccess(): Promise<ServiceAccess>
  /** Opens the database as it stands: neither migrated nor filled. */
  openDatabase(config: Config): Promise<OpenedDatabase>
  /** The database alone: what opens fastest. */
  openDatabaseDeps(): Promise<DatabaseDeps>
  /** The database, the keyring and the taxonomy. */
  openCatalogueDeps(): Promise<CatalogueDeps>
  /** Everything that the service has. */
  openDeps(): Promise<Deps>
  /** Runs the service until it is stopped, in this process or in so many workers. */
  serve(options: { json: boolean; printLink: boolean; workers: number | null }): Promise<void>
  /** Aborted by Ctrl-C: what fails afterwards fails because of it. */
  termination?: AbortSignal
  stdin: Readable
  stdout: Writable & { isTTY?: boolean }
  stderr: Writable & { isTTY?: boolean }
}

/** Resources of a command, which acts itself. */
type Commanded<D> = D & { actor: Actor }

/** Opens the database for a command, and closes it however the work ends. */
export function withDatabase<T>(cli: Cli, work: (deps: Commanded<DatabaseDeps>) => Promise<T>): Promise<T> {
  return withOpened(() => cli.openDatabaseDeps(), work)
}

/** The same for a command that reads or writes the catalogue. */
export function withCatalogue<T>(cli: Cli, work: (deps: Commanded<CatalogueDeps>) => Promise<T>): Promise<T> {
  return withOpened(() => cli.openCatalogueDeps(), work)
}

/** The same with all resources of the service, such as the payment provider. */
export function withDeps<T>(cli: Cli, work: (deps: Commanded<Deps>) => Promise<T>): Promise<T> {
  return withOpened(() => cli.openDeps(), work)
}

async function withOpened<D extends DatabaseDeps, T>(
  open: () => Promise<D>,
  work: (deps: Commanded<D>) => Promise<T>,
): Promise<T> {
  const deps = await open()
  try {
    return await work({ ...deps, actor: command })
  } catch (error) {
    throw detectFullDisk(deps.config, error)
  } finally {
    await deps.close()
  }
}

/** Less than PostgreSQL needs for its next WAL segment. */
const leastFreeBytes = 16_000_000

/** PostgreSQL stops when it cannot write its WAL; the command sees only a lost connection. */
export function detectFullDisk({ databaseUrl, dataDir }: Config, error: unknown): unknown {
  if (databaseUrl !== null || classifyDatabaseError(error) !== 'away') return error
  const { bavail, bsize } = statfsSync(dataDir)
  if (bavail * bsize >= leastFreeBytes) return error
  return new OperatorError(
    `The disk of ${dataDir} is full, so the database stopped: free some space and run the command again.`,
    { cause: error },
  )
}

/** The context of verbs that a command calls: it may do everything. */
export function commandContext({ db, ids, clock }: DatabaseDeps) {
  return { db, ids, now: clock.now(), actor: command }
}

/** Reads the plan file when a verb needs it: its validation loads a library. */
export function plansReader({ config }: DatabaseDeps): () => Promise<PlanFile> {
  return async () => (await import('../../customers/accounts/plan-file.ts')).readPlanFile(config.plansFile)
}

/** The base of links that a command prints: PUBLIC_URL, or the address of the service that was started last. */
export async function readPublicUrl({ config, db }: DatabaseDeps): Promise<string> {
  if (config.publicUrl !== null) return config.publicUrl
  const { readServiceUrl } = await import('../../foundation/db/installation.ts')
  return (await readServiceUrl(db)) ?? `http://${config.host}:${config.port}`
}

export function wantsJson(command: Command): boolean {
  return command.optsWithGlobals<{ json?: boolean }>().json ?? false
}

/** Writes the result of a command to standard output: as JSON with --json, otherwise as text for a person. */
export function printResult(cli: Cli, command: Command, result: unknown, text: string): void {
  printText(cli, `${wantsJson(command) ? JSON.stringify(result) : text}\n`)
}

/** Writes text or JSON to standard output. Files that are written there are data, and do not pass here. */
export function printText({ stdout }: Pick<Cli, 'stdout'>, text: string): void {
  stdout.write(escapeControls(text))
}

/** Writes to standard error: standard output has the result alone. */
export function printNote({ stderr }: Pick<Cli, 'stderr'>, text: string): void {
  stderr.write(escapeControls(text))
}
