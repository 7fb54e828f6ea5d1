import { EmbeddedPostgresError } from '@storedex/embedded-postgres'
import { Command, CommanderError } from 'commander'
import { classifyDatabaseError, type DatabaseFailure } from '../db/failures.ts'
import { ApiError, OperatorError } from '../kernel/errors.ts'
import { addAccountCommands } from './accounts.ts'
import { addBillingCommands } from './billing.ts'
import { addContactCommands } from './contacts.ts'
import { type Cli, printResult, wantsJson, withDeps } from './context.ts'
import { addDataKeyCommands } from './data-keys.ts'
import { addImportCommands } from './import.ts'
import { addKeyCommands } from './keys.ts'
import { addLedgerCommands } from './ledger.ts'
import { addPeopleCommands } from './people.ts'

/** Creates the program with all commands. Commands inherit the program's settings, so these come first. */
function createProgram(cli: Cli): Command {
  const program = new Command('storedex')
    .description('Store and contact intelligence, served from your own database')
    .option('--json', 'print one JSON document on standard output and nothing else there')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => void cli.stdout.write(text),
      writeErr: (text) => void cli.stderr.write(text),
    })
    .exitOverride()
  program
    .command('serve')
    .description('run the service until Ctrl-C')
    .action((_flags: object, command: Command) => cli.serve({ json: wantsJson(command) }))
  addMigrateCommand(program, cli)
  addImportCommands(program, cli)
  addAccountCommands(program, cli)
  addKeyCommands(program, cli)
  addPeopleCommands(program, cli)
  addContactCommands(program, cli)
  addDataKeyCommands(program, cli)
  addLedgerCommands(program, cli)
  addBillingCommands(program, cli)
  return program
}

/** Runs one command line. Returns the exit code: 0, 1 for an error, 2 for wrong usage. */
export async function runCommandLine(args: readonly string[], cli: Cli): Promise<number> {
  try {
    await createProgram(cli).parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    // Commander has written its message; asking for help is no error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    cli.stderr.write(`${formatFailure(error)}\n`)
    return 1
  }
}

const adviceFor: Record<DatabaseFailure, string> = {
  away: 'The database is unavailable: see its log, and run the command again.',
  overloaded: 'The database is overloaded: run the command again in a moment.',
  disk_full: 'The disk is full: free some space, and run the command again.',
  files_unusable: 'The database cannot use its files: see its log, and its disk.',
  not_permitted: 'The database refuses this to its role, or cannot open its own files.',
}

/** Formats an error for the operator. An operator error is one sentence; an unexpected error includes its stack. */
export function formatFailure(error: unknown): string {
  if (error instanceof OperatorError) {
    const { cause } = error
    const detail =
      cause instanceof EmbeddedPostgresError && cause.cause instanceof Error ? `\n${cause.cause.message}` : ''
    return `${error.message}${detail}`
  }
  // The public message is too little for the operator, who can act on the cause.
  if (error instanceof ApiError)
    return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message
  const failure = classifyDatabaseError(error)
  if (failure) return `${adviceFor[failure]} (${(error as Error).message})`
  if ((error as { code?: unknown } | null)?.code === 'ENOSPC')
    return `${adviceFor.disk_full} (${(error as Error).message})`
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

function addMigrateCommand(program: Command, cli: Cli): void {
  program
    .command('migrate')
    .description('migrate the database schema to the newest version')
    .action((_flags: object, command: Command) =>
      withDeps(cli, async ({ migration: { applied, version } }) => {
        const text = applied.length === 0 ? 'Nothing to apply' : `Applied ${applied.join(', ')}`
        printResult(cli, command, { applied, version }, `${text}; the schema is at version ${version}.`)
      }),
    )
}
