import type { Command } from 'commander'
import { importContacts } from '../imports/contacts/import-contacts.ts'
import type { ImportContext, ImportInput, ImportResult } from '../imports/import-file.ts'
import { importStores } from '../imports/stores/import-stores.ts'
import { importSuppressions, type SuppressionsResult } from '../imports/suppressions/import-suppressions.ts'
import { type Cli, printResult, withDeps } from './context.ts'
import { showImportProgress } from './output.ts'

export function addImportCommands(program: Command, cli: Cli): void {
  const group = program.command('import').description('import records into the catalogue, also while the service runs')
  addImport(group, cli, { name: 'stores', summary: 'add and update stores', importRecords: importStores })
  addImport(group, cli, {
    name: 'contacts',
    summary: 'add and update people at existing stores',
    importRecords: importContacts,
  })
  addSuppressionsImport(group, cli)
}

interface ImportCommand {
  name: string
  summary: string
  importRecords(context: ImportContext, input: ImportInput): Promise<ImportResult>
}

function addImport(group: Command, cli: Cli, { name, summary, importRecords }: ImportCommand): void {
  group
    .command(name)
    .description(summary)
    .argument('<file>', 'NDJSON or CSV by its name, .gz too; - reads NDJSON from standard input')
    .option('--extend-taxonomy', 'add missing apps, pixels, roles and categories to the taxonomy')
    .action((file: string, flags: { extendTaxonomy?: true }, command: Command) =>
      withDeps(cli, async (deps) => {
        const progress = cli.stderr.isTTY ? showImportProgress(cli.stderr) : undefined
        try {
          const result = await importRecords(deps, {
            file,
            stdin: cli.stdin,
            extendTaxonomy: flags.extendTaxonomy ?? false,
            ...(progress && { onProgress: progress.show }),
          })
          progress?.end()
          printResult(cli, command, result, formatImport(result))
        } finally {
          progress?.end()
        }
      }),
    )
}

function addSuppressionsImport(group: Command, cli: Cli): void {
  group
    .command('suppressions')
    .description('suppress people and companies, and erase stored ones')
    .argument('<file>', 'one email, phone, profile URL or domain a line, .gz too; - reads standard input')
    .addHelpText('after', aboutSuppressions)
    .action((file: string, _flags: object, command: Command) =>
      withDeps(cli, async (deps) => {
        const progress = cli.stderr.isTTY ? showImportProgress(cli.stderr) : undefined
        try {
          const input = { file, stdin: cli.stdin, ...(progress && { onProgress: progress.show }) }
          const result = await importSuppressions(deps, input)
          progress?.end()
          printResult(cli, command, result, formatSuppressions(result))
        } finally {
          progress?.end()
        }
      }),
    )
}

const aboutSuppressions = `
Blank lines and lines that begin with # are skipped. Phones need their country code. A domain stands for the store there
and for every contact with an email at exactly that host; subdomains need lines of their own.`

function formatSuppressions({
  read,
  inserted,
  unchanged,
  rejected,
  erased,
  rejects_file,
  seconds,
}: SuppressionsResult): string {
  const counts = `${read} lines read in ${seconds} s: ${inserted} new, ${unchanged} known, ${rejected} rejected; ${erased} contacts erased.`
  return rejects_file ? `${counts}\nRejected records, with reasons, are in ${rejects_file}.` : counts
}

function formatImport({ read, inserted, updated, unchanged, rejected, rejects_file, seconds }: ImportResult): string {
  const counts = `${read} records read in ${seconds} s: ${inserted} inserted, ${updated} updated, ${unchanged} unchanged, ${rejected} rejected.`
  return rejects_file ? `${counts}\nRejected records, with reasons, are in ${rejects_file}.` : counts
}
