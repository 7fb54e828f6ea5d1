import { resolve } from 'node:path'
import { escapeLine } from '@storedex/process-lock/terminal'
import type { Command } from 'commander'
import { formatNumber } from '../../../foundation/kernel/time.ts'
import type { ExportedKind, RecordExport } from '../../../operations/backup/records/export-records.ts'
import { type Cli, printNote, printResult, wantsJson, withCatalogue } from '../context.ts'
import { choiceOption } from '../values.ts'

interface ExportRecordsFlags {
  format?: 'ndjson' | 'csv'
}

const examples = `
Examples:
  storedex export stores stores.ndjson.gz
  storedex export contacts contacts.csv
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
    .argument('<file>', 'a new file: .ndjson or .csv, .gz too; - writes NDJSON to standard output')
    .addOption(choiceOption('--format <format>', 'if the name does not say it', ['ndjson', 'csv']))
    .action((file: string, { format }: ExportRecordsFlags, command: Command) => {
      const written = format ?? formatOf(file)
      if (!written) command.error('error: end the name with .ndjson or .csv, or give --format')
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

function formatOf(file: string): 'ndjson' | 'csv' | undefined {
  if (file === '-') return 'ndjson'
  const [, extension] = /\.(ndjson|csv)(?:\.gz)?$/i.exec(file) ?? []
  return extension?.toLowerCase() as 'ndjson' | 'csv' | undefined
}

function formatRecordExport(kind: ExportedKind, { file, records, seconds }: RecordExport): string {
  const target = file === '-' ? 'standard output' : escapeLine(file)
  return `Written to ${target} in ${seconds} s: ${formatNumber(records)} ${kind === 'history' ? 'changes' : kind}.`
}
