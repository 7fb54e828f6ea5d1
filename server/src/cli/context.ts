import { statfsSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import type { Command } from 'commander'
import type { AccountsContext } from '../accounts/account.ts'
import type { Config } from '../config.ts'
import { classifyDatabaseError } from '../db/failures.ts'
import type { Deps } from '../deps.ts'
import { OperatorError } from '../kernel/errors.ts'

/** What the commands need from their process. */
export interface Cli {
  openDeps(): Promise<Deps>
  /** Runs the service until it is stopped. */
  serve(options: { json: boolean }): Promise<void>
  stdin: Readable
  stdout: Writable
  stderr: Writable & { isTTY?: boolean }
}

/** Opens the resources of a command, and closes them however the work ends. */
export async function withDeps<T>(cli: Cli, work: (deps: Deps) => Promise<T>): Promise<T> {
  const deps = await cli.openDeps()
  try {
    return await work(deps)
  } catch (error) {
    throw detectFullDisk(deps.config, error)
  } finally {
    await deps.close()
  }
}

/** Less than PostgreSQL needs for its next WAL segment. */
const leastFreeBytes = 16_000_000

/** PostgreSQL stops when it cannot write its WAL; the command sees only a lost connection. */
function detectFullDisk({ databaseUrl, dataDir }: Config, error: unknown): unknown {
  if (databaseUrl !== null || classifyDatabaseError(error) !== 'away') return error
  const { bavail, bsize } = statfsSync(dataDir)
  if (bavail * bsize >= leastFreeBytes) return error
  return new OperatorError(
    `The disk of ${dataDir} is full, so the database stopped: free some space and run the command again.`,
    { cause: error },
  )
}

export function accountsContext(deps: Deps): AccountsContext {
  return { db: deps.db, ids: deps.ids, now: deps.clock.now() }
}

export function wantsJson(command: Command): boolean {
  return command.optsWithGlobals<{ json?: boolean }>().json ?? false
}

/** Writes the result of a command to standard output: as JSON with --json, otherwise as text for a person. */
export function printResult(cli: Cli, command: Command, result: unknown, text: string): void {
  cli.stdout.write(`${wantsJson(command) ? JSON.stringify(result) : text}\n`)
}
