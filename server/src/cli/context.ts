import { statfsSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import type { Command } from 'commander'
import type { AccountsContext } from '../accounts/account.ts'
import type { Config } from '../config.ts'
import { classifyDatabaseError } from '../db/failures.ts'
import type { Deps } from '../deps.ts'
import { OperatorError } from '../kernel/errors.ts'

/** What the commands need of the process they run in. */
export interface Cli {
  openDeps(): Promise<Deps>
  /** Runs the service until it is told to stop. */
  serve(options: { json: boolean }): Promise<void>
  stdin: Readable
  stdout: Writable
  stderr: Writable & { isTTY?: boolean }
}

/** Opens what a command works with, and gives it back however the work ends. */
export async function withDeps<T>(cli: Cli, work: (deps: Deps) => Promise<T>): Promise<T> {
  const deps = await cli.openDeps()
  try {
    return await work(deps)
  } catch (error) {
    throw explainFullDisk(deps.config, error)
  } finally {
    await deps.close()
  }
}

/** Less than the file that PostgreSQL needs for its next changes. */
const leastFreeBytes = 16_000_000

/** PostgreSQL ends when it cannot write its log of changes, and all that is seen of it is a lost connection. */
function explainFullDisk({ databaseUrl, dataDir }: Config, error: unknown): unknown {
  if (databaseUrl !== null || classifyDatabaseError(error) !== 'away') return error
  const { bavail, bsize } = statfsSync(dataDir)
  if (bavail * bsize >= leastFreeBytes) return error
  return new OperatorError(
    `The disk of ${dataDir} is full, and the database ended for it: make room, and run the command again.`,
    { cause: error },
  )
}

export function accountsContext(deps: Deps): AccountsContext {
  return { db: deps.db, ids: deps.ids, now: deps.clock.now() }
}

export function wantsJson(command: Command): boolean {
  return command.optsWithGlobals<{ json?: boolean }>().json ?? false
}

/** The one thing a command writes to standard output: with --json the result as it is, else its telling for a person. */
export function printResult(cli: Cli, command: Command, result: unknown, telling: string): void {
  cli.stdout.write(`${wantsJson(command) ? JSON.stringify(result) : telling}\n`)
}
