import type { Command } from 'commander'
import { importContacts } from '../imports/contacts/import-contacts.ts'
import type { ImportContext, ImportInput, ImportResult } from '../imports/import-file.ts'
import { importStores } from '../imports/stores/import-stores.ts'
import { importSuppressions, type SuppressionsResult } from '../imports/suppressions/import-suppressions.ts'
import { type Cli, printResult, withDeps } from './context.ts'
import { showImportProgress } from './output.ts'

export function addImportCommands(program: Command, cli: Cli): void {
  const group = program.command('import').description('bring records into the catalogue, beside a running service')
  addImport(group, cli, { name: 'stores', summary: 'add and update stores', importRecords: importStores })
  addImport(group, cli, {
    name: 'contacts',
    summary: 'add and update people at stores that are there',
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
    .option('--extend-taxonomy', 'add apps, pixels, roles and categories that the taxonomy lacks')
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
          printResult(cli, command, result, tellImport(result))
        } finally {
          progress?.end()
        }
      }),
    )
}

function addSuppressionsImport(group: Command, cli: Cli): void {
  group
    .command('suppressions')
    .description('keep people and companies away, and erase those on file')
    .argument('<file>', 'one email, phone, profile URL or domain a line, .gz too; - reads standard input')
    .addHelpText('after', aboutSuppressions)
    .action((file: string, _flags: object, command: Command) =>
      withDeps(cli, async (deps) => {
        const progress = cli.stderr.isTTY ? showImportProgress(cli.stderr) : undefined
        try {
          const input = { file, stdin: cli.stdin, ...(progress && { onProgress: progress.show }) }
          const result = await importSuppressions(deps, input)
          progress?.end()
          printResult(cli, command, result, tellSuppressions(result))
        } finally {
          progress?.end()
        }
      }),
    )
}

const aboutSuppressions = `
Blank lines and lines that begin with # are skipped. Phones need their country code. A domain stands for the store there
and for everybody with an email at that very host; hosts below it need lines of their own.`

function tellSuppressions({
  read,
  inserted,
  unchanged,
  rejected,
  erased,
  rejects_file,
  seconds,
}: SuppressionsResult): string {
  const counts = `${read} lines read in ${seconds} s: ${inserted} new, ${unchanged} known, ${rejected} rejected; ${erased} contacts erased.`
  return rejects_file ? `${counts}\nWhat was rejected, and why, is in ${rejects_file}.` : counts
}

function tellImport({ read, inserted, updated, unchanged, rejected, rejects_file, seconds }: ImportResult): string {
  const counts = `${read} records read in ${seconds} s: ${inserted} inserted, ${updated} updated, ${unchanged} unchanged, ${rejected} rejected.`
  return rejects_file ? `${counts}\nWhat was rejected, and why, is in ${rejects_file}.` : counts
}
