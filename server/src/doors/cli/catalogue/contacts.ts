import { type Command, InvalidArgumentError } from 'commander'
import { eraseContacts } from '../../../catalogue/erasure/erase-contacts.ts'
import { normalizeEmail } from '../../../foundation/kernel/channels/email.ts'
import { formatNumber } from '../../../foundation/kernel/time.ts'
import { type Cli, printResult, withCatalogue } from '../context.ts'

interface EraseFlags {
  id?: string
  email?: string
}

const examples = `
Examples:
  storedex contacts erase --email mara@willow-teas.example
  storedex contacts erase --id ct_live_…`

export function addContactCommands(contacts: Command, cli: Cli): void {
  contacts.addHelpText('after', examples)

  contacts
    .command('erase')
    .description('erase a person permanently: later imports skip them')
    .option('--id <id>', 'ct_live_…: that contact, and the same person at other stores')
    .option('--email <email>', 'every contact with this address, in any spelling', parseAddress)
    .action(({ id, email }: EraseFlags, command: Command) => {
      if ((id === undefined) === (email === undefined)) command.error('error: give either --id or --email')
      return withCatalogue(cli, async (deps) => {
        const result = await eraseContacts(deps, id === undefined ? { email: email! } : { id })
        printResult(cli, command, result, formatErasure(result))
      })
    })
}

function parseAddress(value: string): string {
  if (normalizeEmail(value) === null) throw new InvalidArgumentError('Give an email address.')
  return value
}

function formatErasure({ erased }: { erased: number }): string {
  return erased === 0
    ? 'No contact has this address. It is suppressed: later imports skip it.'
    : `Erased ${formatNumber(erased)} ${erased === 1 ? 'contact' : 'contacts'}. Later imports skip this person.`
}
