import { once } from 'node:events'
import type { Writable } from 'node:stream'
import type { Command } from 'commander'
import { readAccount } from '../accounts/read-account.ts'
import { isLedgerAppendOnly } from '../db/grants.ts'
import { OperatorError } from '../kernel/errors.ts'
import { formatNumber } from '../kernel/time.ts'
import {
  checkLedger,
  type LedgerDifference,
  type LedgerEntry,
  type LedgerTotals,
  withLedgerEntries,
} from '../usage/ledger.ts'
import { accountsContext, type Cli, wantsJson, withDeps } from './context.ts'
import { addClosingCommands } from './ledger-closing.ts'
import { parseTimestampFlag } from './values.ts'

interface ShowFlags {
  csv?: true
  since?: Date
  until?: Date
}

export function addLedgerCommands(program: Command, cli: Cli): void {
  const ledger = program.command('ledger').description('look at what was spent, and prove it')

  ledger
    .command('check')
    .description('prove that the entries equal the counters, the reveals and the exports')
    .action((_flags: object, command: Command) =>
      withDeps(cli, async (deps) => {
        const json = wantsJson(command)
        const isAppendOnly = await isLedgerAppendOnly(deps.db, deps.serviceRole)
        const { looked, found } = await checkLedger(deps, async (totals, differences) => {
          const form = json ? differencesAsJson(totals, isAppendOnly) : differenceLines
          return {
            looked: `accounts: ${formatNumber(totals.accounts)}, entries: ${formatNumber(totals.entries)}`,
            found: await writeList(cli.stdout, form, differences),
          }
        })
        if (!json && !isAppendOnly)
          cli.stdout.write('The ledger is not append-only by rights: the role in DATABASE_URL can change it.\n')
        if (found > 0)
          throw new OperatorError(`The ledger does not balance (${looked}, differences: ${formatNumber(found)}).`)
        if (!json) cli.stdout.write(`The ledger balances (${looked}).\n`)
      }),
    )

  ledger
    .command('show')
    .description('tell what an account spent, oldest first')
    .argument('<account>', 'acct_…')
    .option('--csv', 'as CSV with a header')
    .option('--since <ts>', 'leave out what was spent before', parseTimestampFlag)
    .option('--until <ts>', 'leave out what was spent then or later', parseTimestampFlag)
    .action((id: string, { csv, ...range }: ShowFlags, command: Command) => {
      const json = wantsJson(command)
      if (csv && json) command.error('error: give --csv or --json, not both')
      const form = csv ? entriesAsCsv : json ? entriesAsJson : entriesAsTable
      return withDeps(cli, async (deps) => {
        const account = await readAccount(accountsContext(deps), id)
        await withLedgerEntries(deps.db, { accountId: account.id, ...range }, (pages) =>
          writeList(cli.stdout, form, pages),
        )
      })
    })
  addClosingCommands(ledger, cli)
}

/** How a list is written down whose length nobody knows yet. */
interface Form<T> {
  opening: string
  item(item: T): string
  between: string
  closing: string
}

function differencesAsJson(totals: LedgerTotals, isAppendOnly: boolean): Form<LedgerDifference> {
  const { accounts, entries, archived } = totals
  const opening = `${JSON.stringify({ accounts, entries, archived, append_only: isAppendOnly }).slice(0, -1)},"differences":[`
  return { opening, item: (difference) => JSON.stringify(difference), between: ',', closing: ']}\n' }
}

const differenceLines: Form<LedgerDifference> = {
  opening: '',
  item: ({ account, mode, meter, period_start, ...figures }) => {
    const sums = Object.entries(figures).map(([name, sum]) => `${name} ${sum}`)
    return `${account} ${mode} ${meter} ${period_start ?? 'of all periods'}: ${sums.join(', ')}\n`
  },
  between: '',
  closing: '',
}

const columns = ['spent_at', 'mode', 'meter', 'amount', 'period_start', 'request_id'] as const

const entriesAsJson: Form<LedgerEntry> = {
  opening: '[',
  item: (entry) => JSON.stringify(entry),
  between: ',',
  closing: ']\n',
}

const entriesAsCsv: Form<LedgerEntry> = {
  opening: `${columns.join(',')}\r\n`,
  item: (entry) => `${columns.map((column) => csvField(String(entry[column]))).join(',')}\r\n`,
  between: '',
  closing: '',
}

// A table that is written before its end is known has columns of fixed widths.
const widths = { spent_at: 24, mode: 4, meter: 15, amount: 6, period_start: 24, request_id: 0 }
const tableLine = (cells: Record<keyof LedgerEntry, string | number>) =>
  `${columns.map((column) => String(cells[column]).padEnd(widths[column])).join('  ')}\n`

const entriesAsTable: Form<LedgerEntry> = {
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

function csvField(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Writes page after page as they come, waiting for a reader that is slower; answers how many items there were. */
async function writeList<T>(stdout: Writable, form: Form<T>, pages: AsyncIterable<T[]>): Promise<number> {
  const write = async (text: string) => {
    if (!stdout.write(text)) await once(stdout, 'drain')
  }
  let written = 0
  await write(form.opening)
  for await (const page of pages) {
    await write((written > 0 ? form.between : '') + page.map(form.item).join(form.between))
    written += page.length
  }
  await write(form.closing)
  return written
}
