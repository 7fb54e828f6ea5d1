import { resolve } from 'node:path'
import { escapeLine } from '@storedex/process-lock/terminal'
import { maxCellLength } from '@storedex/workbook/write'
import type { Command } from 'commander'
import { formatNumber } from '../../../foundation/kernel/time.ts'
import type { ExportedKind, RecordExport, RecordFormat } from '../../../operations/backup/records/export-records.ts'
import { type Cli, printNote, printResult, wantsJson, withCatalogue } from '../context.ts'
import { choiceOption } from '../values.ts'

interface ExportRecordsFlags {
  format?: RecordFormat
}

const examples = `
Examples:
  storedex export stores stores.ndjson.gz
  storedex export contacts contacts.xlsx
  storedex export stores - | gzip > stores.ndjson.gz`

/** The operator's way out: the whole catalogue as files that an import takes. */
export function addExportCommands(group: Command, cli: Cli): void {
  group.addHelpText('after', examples)
  addExport(group, cli, 'stores', 'write all stores as records that an import takes')
  addExport(group, cli, 'contacts', 'write all people with their channels as records that an import takes')
  addExport(group, cli, 'suppressions', 'write all suppressions as they are kept: keyed hashes')
  addExport(group, cli, 'history', 'write what changed of stores, store by store')
}

function addExport(group: Command, cli: Cli, kind: ExportedKind, summary: string): void {
  group
    .command(kind)
    .description(summary)
    .argument('<file>', 'a new file: .ndjson or .csv, .gz too, or .xlsx; - writes NDJSON to standard output')
    .addOption(choiceOption('--format <format>', 'if the name does not say it', ['ndjson', 'csv', 'xlsx']))
    .action((file: string, { format }: ExportRecordsFlags, command: Command) => {
      const written = format ?? formatOf(file)
      if (!written) command.error('error: end the name with .ndjson, .csv or .xlsx, or give --format')
      if (written === 'xlsx' && /\.gz$/i.test(file))
        command.error('error: a workbook is compressed already; end the name with .xlsx')
      if (written === 'xlsx' && file === '-' && cli.stdout.isTTY)
        command.error('error: a terminal cannot show a workbook; give a file')
      if (file === '-' && wantsJson(command)) command.error('error: with --json, give a file')
      return withCatalogue(cli, async (deps) => {
        const [{ exportRecords }, { showCountProgress }] = await Promise.all([
          import('../../../operations/backup/records/export-records.ts'),
          import('../output.ts'),
        ])
        const progress = cli.stderr.isTTY ? showCountProgress(cli.stderr) : undefined
        try {
          const result = await exportRecords(deps, {
            ...{ kind, format: written, stdout: cli.stdout },
            file: file === '-' ? file : resolve(file),
            ...(progress && { onProgress: progress.show }),
          })
          progress?.end()
          if (file === '-') printNote(cli, `${formatRecordExport(kind, result)}\n`)
          else printResult(cli, command, result, formatRecordExport(kind, result))
        } finally {
          progress?.end()
        }
      })
    })
}

function formatOf(file: string): RecordFormat | undefined {
  if (file === '-') return 'ndjson'
  const [, extension] = /\.(ndjson|csv|xlsx)(?:\.gz)?$/i.exec(file) ?? []
  return extension?.toLowerCase() as RecordFormat | undefined
}

function formatRecordExport(kind: ExportedKind, { file, records, cut_cells = 0, seconds }: RecordExport): string {
  const target = file === '-' ? 'standard output' : escapeLine(file)
  const cut =
    cut_cells > 0
      ? `\n${formatNumber(cut_cells)} cells were cut at the ${formatNumber(maxCellLength)} characters that Excel takes; CSV and NDJSON have them whole.`
      : ''
  return `Written to ${target} in ${seconds} s: ${formatNumber(records)} ${kind === 'history' ? 'changes' : kind}.${cut}`
}
