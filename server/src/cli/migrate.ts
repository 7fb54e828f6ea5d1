import type { Command } from 'commander'
import { type Cli, print, withDeps } from './context.ts'

export function addMigrateCommand(program: Command, cli: Cli): void {
  program
    .command('migrate')
    .description('bring the schema of the database up to date')
    .action((_flags: object, command: Command) =>
      withDeps(cli, async ({ migration: { applied, version } }) => {
        const telling = applied.length === 0 ? 'Nothing to apply' : `Applied ${applied.join(', ')}`
        print(cli, command, { applied, version }, `${telling}; the schema is at version ${version}.`)
      }),
    )
}
