import type { Command } from 'commander'
import { removeStore } from '../../../catalogue/erasure/remove-store.ts'
import { readStore, type StoreReport } from '../../../catalogue/renaming/named-store.ts'
import { formatNumber } from '../../../foundation/kernel/time.ts'
import { type Cli, printResult, withCatalogue, withDatabase } from '../context.ts'
import { formatFields } from '../output.ts'

const examples = `
Examples:
  storedex stores show willow-teas.example
  storedex stores rename willow-teas.example willow-and-leaf.example
  storedex stores remove willow-teas.example
To add or change stores, import them: storedex import stores --help`

export function addStoreCommands(stores: Command, cli: Cli): void {
  stores.addHelpText('after', examples)

  stores
    .command('show')
    .description('show a store of the live catalogue, with its aliases and how many contacts it has')
    .argument('<domain>', 'its domain, an alias, or a URL with either')
    .action((domain: string, _flags: object, command: Command) =>
      withDatabase(cli, async ({ db }) => {
        const report = await readStore(db, domain)
        printResult(cli, command, report, formatStore(report))
      }),
    )

  stores
    .command('rename')
    .description('give a store another domain; the old one becomes an alias')
    .argument('<domain>', 'its domain now')
    .argument('<new>', 'its new domain, or one of its aliases')
    .addHelpText(
      'after',
      '\nThe store keeps its id, its people and its history, and no account pays for it again. Emails of people stay.',
    )
    .action((domain: string, newDomain: string, _flags: object, command: Command) =>
      withCatalogue(cli, async (deps) => {
        const { renameStore } = await import('../../../catalogue/renaming/rename-store.ts')
        const report = await renameStore(deps, domain, newDomain)
        printResult(cli, command, report, formatStore(report))
      }),
    )

  stores
    .command('remove')
    .description('remove a store with its people and its history from the catalogue, permanently')
    .argument('<domain>', 'its domain')
    .addHelpText(
      'after',
      '\nWhat accounts paid for it stays in the ledger. An import may add it anew; to keep people away, erase them.',
    )
    .action((domain: string, _flags: object, command: Command) =>
      withDatabase(cli, async (deps) => {
        const { removed, batch } = await removeStore(deps, domain)
        const { id, contacts, aliases } = removed
        const result = { object: 'removed_store', id, domain: removed.domain, aliases, contacts, batch }
        printResult(cli, command, result, formatRemoval(removed, batch))
      }),
    )
}

function formatStore({ contacts_summary, technologies, store_created_at, ...store }: StoreReport): string {
  const { object: _, aliases, contacts, batch, batch_written_at, ...fields } = store
  const created = store_created_at
  return formatFields({
    ...fields,
    opened: created && [created.estimate, created.resolution, created.source].filter((part) => part).join(', '),
    apps: technologies.apps.join(', ') || null,
    pixels: technologies.pixels.join(', ') || null,
    theme: [technologies.theme.name, technologies.theme.type].filter((part) => part).join(', ') || null,
    aliases: aliases.join(', ') || null,
    contacts: formatNumber(contacts),
    roles: contacts_summary.roles.join(', ') || null,
    verified_emails: formatNumber(contacts_summary.verified_email_count),
    batch: `${batch}${batch_written_at === null ? '' : `, written at ${batch_written_at}`}`,
  })
}

function formatRemoval({ id, domain, aliases, contacts }: StoreReport, batch: number): string {
  const people = contacts === 1 ? '1 contact' : `${formatNumber(contacts)} contacts`
  const hosts = aliases.length === 0 ? '' : ` (also ${aliases.join(', ')})`
  return `Removed ${domain}${hosts}, ${id}, with ${people}, in batch ${batch}.`
}
