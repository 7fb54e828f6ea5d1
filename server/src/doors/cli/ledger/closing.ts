import { resolve } from 'node:path'
import type { Command } from 'commander'
import { closePeriodsExclusively, previewClosing } from '../../../customers/ledger/closing/close-periods.ts'
import type { ClosingContext, ClosingResult } from '../../../customers/ledger/closing/closing-run.ts'
import { type ArchiveExport, exportArchives } from '../../../customers/ledger/closing/export-archives.ts'
import { OperatorError } from '../../../foundation/kernel/errors.ts'
import { formatNumber } from '../../../foundation/kernel/time.ts'
import type { DatabaseDeps } from '../../../operations/resources/database.ts'
import { type Cli, printResult, withDatabase } from '../context.ts'
import { showClosingProgress, showCountProgress } from '../output.ts'
import { parseTimestampFlag } from '../values.ts'

interface ExportFlags {
  before?: Date
  drop?: boolean
}

/** The commands for past periods. */
export function addClosingCommands(ledger: Command, cli: Cli): void {
  ledger
    .command('close')
    .description('close past periods, as the server does once a day: count and drop exports, pack old entries')
    .option('--dry-run', 'only count what would be dropped and packed')
    .action(({ dryRun = false }: { dryRun?: boolean }, command: Command) =>
      withDatabase(cli, async (deps) => {
        const closing = dryRun ? await previewClosing(closingContext(deps)) : await close(cli, deps)
        const { until, entries, archives, exports, unbalanced } = closing
        const counts = { until: until?.toISOString() ?? null, entries, archives, exports, unbalanced, dry_run: dryRun }
        printResult(cli, command, counts, formatClosing(closing, dryRun))
        if (unbalanced > 0)
          throw new OperatorError(
            `Exports stay where they are not as many as the counter says (periods: ${formatNumber(unbalanced)}); "storedex ledger check" names them.`,
          )
      }),
    )

  ledger
    .command('export')
    .description('write the packed entries to a new file, one JSON line per archive')
    .argument('<file>', 'a new file; compressed when its name ends with .gz')
    .option('--before <ts>', 'only archives with all entries before this time', parseTimestampFlag)
    .option('--drop', 'delete exported archives from the database; their sums and digests stay')
    .action((file: string, { before, drop = false }: ExportFlags, command: Command) =>
      withDatabase(cli, async (deps) => {
        const progress = cli.stderr.isTTY ? showCountProgress(cli.stderr) : undefined
        const options = { file: resolve(file), spentBefore: before ?? null, drop }
        try {
          const ctx = { db: deps.ownerDb, ids: deps.ids }
          const result = await exportArchives(ctx, { ...options, ...(progress && { onProgress: progress.show }) })
          progress?.end()
          printResult(cli, command, result, formatExport(result))
        } finally {
          progress?.end()
        }
      }),
    )
}

function closingContext({ ownerDb, clock, config }: DatabaseDeps): ClosingContext {
  return { db: ownerDb, now: clock.now(), detailMonths: config.ledgerDetailMonths }
}

async function close(cli: Cli, deps: DatabaseDeps): Promise<ClosingResult> {
  const progress = cli.stderr.isTTY ? showClosingProgress(cli.stderr) : undefined
  try {
    const closing = await closePeriodsExclusively(closingContext(deps), {
      ...(progress && { onProgress: progress.show }),
    })
    if (!closing) throw new OperatorError('Another process is closing periods; try again later.')
    return closing
  } finally {
    progress?.end()
  }
}

function formatClosing({ until, entries, archives, exports }: ClosingResult, isDryRun: boolean): string {
  if (!until) return 'Nothing is closed yet: the clock has to be read on two days. Run this again tomorrow.'
  if (isDryRun)
    return `Exports that would be dropped: ${formatNumber(exports)}. Entries that would be packed: ${formatNumber(entries)}.`
  return `Exports dropped: ${formatNumber(exports)}. Entries packed: ${formatNumber(entries)}, into archives: ${formatNumber(archives)}.`
}

function formatExport({ archives, entries, dropped, file }: ArchiveExport): string {
  if (!file) return 'There is nothing to export.'
  return `Entries written to ${file}: ${formatNumber(entries)} of ${formatNumber(archives)} archives. Archives dropped: ${formatNumber(dropped)}.`
}
