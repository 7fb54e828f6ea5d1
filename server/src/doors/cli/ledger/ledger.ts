import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { escapeControls } from '@storedex/process-lock/terminal'
import type { Command } from 'commander'
import { readAccount } from '../../../customers/accounts/read-account.ts'
import {
  checkLedger,
  type LedgerDifference,
  type LedgerEntry,
  type LedgerTotals,
  readLedgerEntries,
} from '../../../customers/ledger/check.ts'
import { isLedgerAppendOnly } from '../../../foundation/db/grants.ts'
import { formatCsvRow } from '../../../foundation/kernel/csv.ts'
import { OperatorError } from '../../../foundation/kernel/errors.ts'
import { formatNumber } from '../../../foundation/kernel/time.ts'
import { type Cli, printText, wantsJson, withDatabase } from '../context.ts'
import { parseTimestampFlag } from '../values.ts'
import { addClosingCommands } from './closing.ts'

interface ShowFlags {
  csv?: true
  since?: Date
  until?: Date
}

const examples = `
Examples:
  storedex ledger check
  storedex ledger show acct_… --csv --since 2027-01-01T00:00:00Z
  storedex ledger close --dry-run`

export function addLedgerCommands(ledger: Command, cli: Cli): void {
  ledger.addHelpText('after', examples)

  ledger
    .command('check')
    .description('check that the entries match the counters, the reveals and the exports')
    .action((_flags: object, command: Command) =>
      withDatabase(cli, async (deps) => {
        const json = wantsJson(command)
        const isAppendOnly = await isLedgerAppendOnly(deps.db, deps.serviceRole)
        const { checked, found } = await checkLedger(deps, async (totals, differences) => {
          const format = json ? differencesAsJson(totals, isAppendOnly) : differenceLines
          return {
            checked: `accounts: ${formatNumber(totals.accounts)}, entries: ${formatNumber(totals.entries)}`,
            found: await writeList(cli.stdout, format, differences),
          }
        })
        if (!json && !isAppendOnly)
          printText(cli, 'The ledger is not append-only: the role in DATABASE_URL has the right to change it.\n')
        if (found > 0)
          throw new OperatorError(`The ledger does not balance (${checked}, differences: ${formatNumber(found)}).`)
        if (!json) printText(cli, `The ledger balances (${checked}).\n`)
      }),
    )

  ledger
    .command('show')
    .description("list an account's entries, oldest first")
    .argument('<account>', 'acct_…')
    .option('--csv', 'as CSV with a header')
    .option('--since <ts>', 'only entries from this time on', parseTimestampFlag)
    .option('--until <ts>', 'only entries before this time', parseTimestampFlag)
    .action((id: string, { csv, ...range }: ShowFlags, command: Command) => {
      const json = wantsJson(command)
      if (csv && json) command.error('error: give --csv or --json, not both')
      const format = csv ? entriesAsCsv : json ? entriesAsJson : entriesAsTable
      return withDatabase(cli, async (deps) => {
        const account = await readAccount(deps, id)
        await writeList(cli.stdout, format, readLedgerEntries(deps, { accountId: account.id, ...range }))
      })
    })
  addClosingCommands(ledger, cli)
}

/** The output format of a list of unknown length. */
interface ListFormat<T> {
  /** Whether it is a file for programs, written as it is. */
  isData?: true
  opening: string
  item(item: T): string
  between: string
  closing: string
}

function differencesAsJson(totals: LedgerTotals, isAppendOnly: boolean): ListFormat<LedgerDifference> {
  const { accounts, entries, archived } = totals
  const opening = `${JSON.stringify({ accounts, entries, archived, append_only: isAppendOnly }).slice(0, -1)},"differences":[`
  return { opening, item: (difference) => JSON.stringify(difference), between: ',', closing: ']}\n' }
}

const differenceLines: ListFormat<LedgerDifference> = {
  opening: '',
  item: ({ account, mode, meter, period_start, ...figures }) => {
    const sums = Object.entries(figures).map(([name, sum]) => `${name} ${sum}`)
    return `${account} ${mode} ${meter} ${period_start ?? 'of all periods'}: ${sums.join(', ')}\n`
  },
  between: '',
  closing: '',
}

const columns = ['spent_at', 'mode', 'meter', 'amount', 'period_start', 'request_id'] as const
type Column = (typeof columns)[number]

const entriesAsJson: ListFormat<LedgerEntry> = {
  opening: '[',
  item: (entry) => JSON.stringify(entry),
  between: ',',
  closing: ']\n',
}

const entriesAsCsv: ListFormat<LedgerEntry> = {
  isData: true,
  opening: formatCsvRow(columns),
  item: (entry) => formatCsvRow(columns.map((column) => String(entry[column]))),
  between: '',
  closing: '',
}

// The rows are not known in advance, so the columns have fixed widths.
const widths = { spent_at: 24, mode: 4, meter: 15, amount: 6, period_start: 24, request_id: 0 }
const tableLine = (cells: Record<Column, string | number>) =>
  `${columns.map((column) => String(cells[column]).padEnd(widths[column])).join('  ')}\n`

const entriesAsTable: ListFormat<LedgerEntry> = {
  opening: tableLine({
    spent_at: 'spent at',
    mode: 'mode',
    meter: 'meter',
    amount: 'amount',
    period_start: 'period start',
    request_id: 'request',
  }),
  item: tableLine,
  between: '',
  closing: '',
}

/** Writes pages as they arrive, at the reader's speed. Returns the number of items. */
async function writeList<T>(stdout: Writable, format: ListFormat<T>, pages: AsyncIterable<T[]>): Promise<number> {
  const write = async (text: string) => {
    if (!stdout.write(format.isData ? text : escapeControls(text))) await once(stdout, 'drain')
  }
  let written = 0
  await write(format.opening)
  for await (const page of pages) {
    await write((written > 0 ? format.between : '') + page.map(format.item).join(format.between))
    written += page.length
  }
  await write(format.closing)
  return written
}
