import { Command, CommanderError } from 'commander'
import { type Cli, printNote, printResult, printText, withCatalogue } from './context.ts'

/** A command of the first level, with its subcommands. Its modules are loaded only when it is called. */
interface CommandGroup {
  name: string
  /** The name that it had before, which scripts may use. */
  alias?: string
  description: string
  load(): Promise<(command: Command, cli: Cli) => void>
}

const groups: readonly CommandGroup[] = [
  {
    name: 'serve',
    description: 'run the service until Ctrl-C',
    load: async () => (await import('./serve.ts')).addServeAction,
  },
  {
    name: 'migrate',
    description: 'migrate the database schema to the newest version',
    load: async () => addMigrateAction,
  },
  {
    name: 'doctor',
    description: 'check the machine, the database, the payment provider and mail; says what to do',
    load: async () => (await import('./doctor.ts')).addDoctorAction,
  },
  {
    name: 'import',
    description: 'import records into the catalogue, also while the service runs',
    load: async () => (await import('./import/commands.ts')).addImportCommands,
  },
  {
    name: 'export',
    description: 'write the whole catalogue to files that an import takes',
    load: async () => (await import('./catalogue/exports.ts')).addExportCommands,
  },
  {
    name: 'accounts',
    description: 'create, find, change and show accounts',
    load: async () => (await import('./accounts.ts')).addAccountCommands,
  },
  {
    name: 'keys',
    description: 'issue, find, list and revoke API keys',
    load: async () => (await import('./keys.ts')).addKeyCommands,
  },
  {
    name: 'users',
    alias: 'people',
    description: 'create, change and list the users of the console',
    load: async () => (await import('./users.ts')).addUsersCommands,
  },
  {
    name: 'stores',
    description: 'show, rename and remove stores of the catalogue',
    load: async () => (await import('./catalogue/stores.ts')).addStoreCommands,
  },
  {
    name: 'contacts',
    description: 'erase people of the catalogue',
    load: async () => (await import('./catalogue/contacts.ts')).addContactCommands,
  },
  {
    name: 'data-keys',
    description: 'show and replace the encryption keys of contact data',
    load: async () => (await import('./data-keys.ts')).addDataKeyCommands,
  },
  {
    name: 'ledger',
    description: 'show and check the ledger, close past periods',
    load: async () => (await import('./ledger/ledger.ts')).addLedgerCommands,
  },
  {
    name: 'backup',
    description: 'copy the installation into one file, also while the service runs',
    load: async () => (await import('./backup.ts')).addBackupAction,
  },
  {
    name: 'restore',
    description: 'restore a backup into an empty installation',
    load: async () => (await import('./backup.ts')).addRestoreAction,
  },
  {
    name: 'billing',
    description: 'make payment links, set up and reconcile billing',
    load: async () => (await import('./billing.ts')).addBillingCommands,
  },
  {
    name: 'mcp',
    description: 'serve tools for an AI assistant on standard input and output (MCP)',
    load: async () => (await import('./mcp/command.ts')).addMcpAction,
  },
]

const examples = `
Examples:
  storedex serve                                             what npm start runs
  storedex accounts create --name "Northwind" --plan pro     a customer
  storedex keys create acct_… --name "production"            an API key for it
  storedex import stores stores.csv                          stores from a file

"storedex <command> --help" explains a command.`

/** Creates the program; of the groups, only those that the arguments name get their commands. */
async function createProgram(args: readonly string[], cli: Cli): Promise<Command> {
  // Commands inherit the program's settings, so these come first.
  const program = new Command('storedex')
    .description('Store and contact intelligence, served from your own database')
    .option('--json', 'print one JSON document on standard output and nothing else there')
    .version(
      args.includes('--json') ? JSON.stringify({ version: cli.version }) : cli.version,
      '--version',
      'print the version',
    )
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => printText(cli, text),
      writeErr: (text) => printNote(cli, text),
    })
    .addHelpText('after', examples)
    .exitOverride()
  for (const { name, alias, description, load } of groups) {
    const command = program.command(name).description(description)
    if (alias) command.alias(alias)
    if (![name, alias].some((each) => each && args.includes(each))) continue
    const addCommands = await load()
    addCommands(command, cli)
  }
  return program
}

/** Runs one command line. Returns the exit code: 0, 1 for an error, 2 for wrong usage. */
export async function runCommandLine(args: readonly string[], cli: Cli): Promise<number> {
  try {
    const program = await createProgram(args, cli)
    await program.parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    // Commander has written its message; asking for help is no error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    if (cli.termination?.aborted) return 1
    const { formatFailure } = await import('./failure.ts')
    printNote(cli, `${formatFailure(error)}\n`)
    return 1
  }
}

function addMigrateAction(migrate: Command, cli: Cli): void {
  migrate.option('--distribute', 'also spread the tables over the machines of a Citus cluster')
  migrate.action((flags: { distribute?: true }, command: Command) =>
    withCatalogue(cli, async ({ migration: { applied, version }, databaseUrl }) => {
      const text = `${applied.length === 0 ? 'Nothing to apply' : `Applied ${applied.join(', ')}`}; the schema is at version ${version}.`
      if (!flags.distribute) return printResult(cli, command, { applied, version }, text)
      const { distributeTables } = await import('../../foundation/db/distribution.ts')
      const distribution = await distributeTables(databaseUrl)
      const { workers, copied, distributed, alreadyDone } = distribution
      const spread =
        copied.length + distributed.length === 0
          ? `All ${alreadyDone} tables are spread already`
          : `Copied ${copied.length} tables to every machine and distributed ${distributed.length}; ${alreadyDone} were already`
      const data = { applied, version, distribution }
      return printResult(cli, command, data, `${text}\n${spread} (machines: ${workers}).`)
    }),
  )
}
