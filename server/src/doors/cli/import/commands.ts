import { escapeLine } from '@storedex/process-lock/terminal'
import type { Command } from 'commander'
import { importContacts } from '../../../catalogue/imports/contacts/import-contacts.ts'
import { importStoresAndContacts } from '../../../catalogue/imports/contacts/stores-and-contacts.ts'
import { type ImportInput, type ImportResult, keepHeapSmall } from '../../../catalogue/imports/records/import-file.ts'
import { importStores } from '../../../catalogue/imports/stores/import-stores.ts'
import {
  importSuppressions,
  type SuppressionsResult,
} from '../../../catalogue/imports/suppressions/import-suppressions.ts'
import { OperatorError } from '../../../foundation/kernel/errors.ts'
import { type Cli, printResult, withCatalogue } from '../context.ts'
import { showImportProgress } from '../output.ts'
import { describeFields } from './fields.ts'
import { addReadingOptions, describeMisuse, type ReadingFlags, readOptions } from './options.ts'
import { formatImport } from './report.ts'
import { addTemplateOptions, describeTemplateMisuse, type TemplateFlags, writeTemplate } from './template.ts'

export function addImportCommands(group: Command, cli: Cli): void {
  addImport(group, cli, 'stores', 'add and update stores')
  addImport(group, cli, 'contacts', 'add and update people at existing stores')
  addSuppressionsImport(group, cli)
}

export type ImportedKind = 'stores' | 'contacts'

interface ImportFlags extends ReadingFlags, TemplateFlags {
  extendTaxonomy?: true
  onBadValue: 'reject' | 'drop'
  dryRun?: true
  as?: 'stores+contacts'
}

function addImport(group: Command, cli: Cli, kind: ImportedKind, summary: string): void {
  const command = group
    .command(kind)
    .description(summary)
    .argument(
      '[file]',
      'a workbook (.xlsx), CSV (.csv, .tsv, .txt), NDJSON or JSON, the texts also .gz; - reads NDJSON from standard input',
    )
  addTemplateOptions(addReadingOptions(command, kind))
    .addHelpText('after', () => describeFields(kind))
    .action(async (file: string | undefined, flags: ImportFlags, command: Command) => {
      const templateMisuse = describeTemplateMisuse(flags, cli)
      if (templateMisuse !== null) command.error(`error: ${templateMisuse}`)
      if (flags.template) return writeTemplate(cli, flags.as ?? kind, flags)
      if (file === undefined) command.error("error: missing required argument 'file'")
      const misuse = describeMisuse(file, flags)
      if (misuse !== null) command.error(`error: ${misuse}`)
      const options = await readOptions(flags)
      keepHeapSmall()
      await withCatalogue(cli, async (deps) => {
        const progress = cli.stderr.isTTY ? showImportProgress(cli.stderr) : undefined
        const input: ImportInput = {
          ...options,
          file,
          stdin: cli.stdin,
          extendTaxonomy: flags.extendTaxonomy ?? false,
          onBadValue: flags.onBadValue,
          dryRun: flags.dryRun ?? false,
          ...(progress && { onProgress: progress.show }),
        }
        try {
          if (flags.as) {
            const result = await importStoresAndContacts(deps, input)
            progress?.end()
            const { stores, contacts } = result
            const text = `${formatImport(stores, 'store')}\n\n${formatImport(contacts, 'contact')}`
            printResult(cli, command, result, text)
            requireTaken(file, [stores, contacts])
          } else {
            const result = await (kind === 'stores' ? importStores : importContacts)(deps, input)
            progress?.end()
            printResult(cli, command, result, formatImport(result, 'record'))
            requireTaken(file, [result])
          }
        } finally {
          progress?.end()
        }
      })
    })
}

/** A file without an imported record is a failure, which scripts must notice. */
function requireTaken(file: string, results: ImportResult[]): void {
  const total = (count: (result: ImportResult) => number) => results.reduce((sum, result) => sum + count(result), 0)
  const read = total((result) => result.read)
  if (read > 0 && read === total((result) => result.rejected))
    throw new OperatorError(`${file === '-' ? 'Standard input' : file}: none of its records could be taken.`)
}

function addSuppressionsImport(group: Command, cli: Cli): void {
  group
    .command('suppressions')
    .description('suppress people and companies, and erase stored ones')
    .argument('<file>', 'one email, phone, profile URL or domain a line, .gz too; - reads standard input')
    .addHelpText('after', aboutSuppressions)
    .action((file: string, _flags: object, command: Command) =>
      withCatalogue(cli, async (deps) => {
        const progress = cli.stderr.isTTY ? showImportProgress(cli.stderr) : undefined
        try {
          const maxUnpackedMb = deps.config.importMaxUnpackedMb
          const input = { file, stdin: cli.stdin, maxUnpackedMb, ...(progress && { onProgress: progress.show }) }
          const result = await importSuppressions(deps, input)
          progress?.end()
          printResult(cli, command, result, formatSuppressions(result))
          if (result.read > 0 && result.read === result.rejected)
            throw new OperatorError(`${file === '-' ? 'Standard input' : file}: none of its lines could be taken.`)
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
  return rejects_file ? `${counts}\nRejected records, with reasons, are in ${escapeLine(rejects_file)}.` : counts
}
