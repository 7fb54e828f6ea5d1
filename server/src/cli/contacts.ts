import { type Command, InvalidArgumentError } from 'commander'
import { eraseContacts } from '../erasure/erase-contacts.ts'
import { normalizeEmail } from '../kernel/channels.ts'
import { formatNumber } from '../kernel/time.ts'
import { type Cli, printResult, withDeps } from './context.ts'

interface EraseFlags {
  id?: string
  email?: string
}

export function addContactCommands(program: Command, cli: Cli): void {
  program
    .command('contacts')
    .description('look after the people on file')
    .command('erase')
    .description('remove a person for good: no import brings them back')
    .option('--id <id>', 'ct_live_…: that contact, and the same person at other stores')
    .option('--email <email>', 'everybody with this address, however spelt', parseAddress)
    .action(({ id, email }: EraseFlags, command: Command) => {
      if ((id === undefined) === (email === undefined)) command.error('error: give --id or --email, one of them')
      return withDeps(cli, async (deps) => {
        const result = await eraseContacts(deps, id === undefined ? { email: email! } : { id })
        printResult(cli, command, result, tellErasure(result))
      })
    })
}

function parseAddress(value: string): string {
  if (normalizeEmail(value) === null) throw new InvalidArgumentError('Give an email address.')
  return value
}

function tellErasure({ erased }: { erased: number }): string {
  return erased === 0
    ? 'Nobody on file has this address. It is suppressed: no import takes it from now on.'
    : `Erased ${formatNumber(erased)} ${erased === 1 ? 'contact' : 'contacts'}. No import brings the person back.`
}
