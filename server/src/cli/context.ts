import type { Readable, Writable } from 'node:stream'
import type { Command } from 'commander'
import type { AccountsContext } from '../accounts/account.ts'
import type { Deps } from '../deps.ts'

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
  } finally {
    await deps.close()
  }
}

export function accountsContext(deps: Deps): AccountsContext {
  return { db: deps.db, ids: deps.ids, now: deps.clock.now() }
}

export function wantsJson(command: Command): boolean {
  return command.optsWithGlobals<{ json?: boolean }>().json ?? false
}

/** The one thing a command writes to standard output: with --json the result as it is, else its telling for a person. */
export function print(cli: Cli, command: Command, result: unknown, telling: string): void {
  cli.stdout.write(`${wantsJson(command) ? JSON.stringify(result) : telling}\n`)
}
