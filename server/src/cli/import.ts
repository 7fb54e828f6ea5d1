import type { Command } from 'commander'
import { importContacts } from '../imports/import-contacts.ts'
import type { ImportContext, ImportInput, ImportResult } from '../imports/import-file.ts'
import { importStores } from '../imports/import-stores.ts'
import { type Cli, print, withDeps } from './context.ts'
import { showProgress } from './progress.ts'

export function addImportCommands(program: Command, cli: Cli): void {
  const group = program.command('import').description('bring records into the catalogue, beside a running service')
  addImport(group, cli, { name: 'stores', summary: 'add and update stores', importRecords: importStores })
  addImport(group, cli, {
    name: 'contacts',
    summary: 'add and update people at stores that are there',
    importRecords: importContacts,
  })
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
        const progress = cli.stderr.isTTY ? showProgress(cli.stderr) : undefined
        try {
          const result = await importRecords(deps, {
            file,
            stdin: cli.stdin,
            extendTaxonomy: flags.extendTaxonomy ?? false,
            ...(progress && { onProgress: progress.show }),
          })
          progress?.end()
          print(cli, command, result, tellImport(result))
        } finally {
          progress?.end()
        }
      }),
    )
}

function tellImport({ read, inserted, updated, unchanged, rejected, rejects_file, seconds }: ImportResult): string {
  const counts = `${read} records read in ${seconds} s: ${inserted} inserted, ${updated} updated, ${unchanged} unchanged, ${rejected} rejected.`
  return rejects_file ? `${counts}\nWhat was rejected, and why, is in ${rejects_file}.` : counts
}
