import type { Command } from 'commander'
import { type Account, accountStates, type KnownStatus, knownStatuses } from '../../customers/accounts/account.ts'
import { type PlanSlug, planSlugs } from '../../customers/accounts/plans.ts'
import {
  changeAccount,
  createAccount,
  resumeAccount,
  suspendAccount,
} from '../../customers/administration/change-account.ts'
import { reportAccount } from '../../customers/administration/context.ts'
import { type AccountSearch, listAllAccounts } from '../../customers/administration/find-accounts.ts'
import type { AccountReport } from '../../customers/administration/schema.ts'
import { type BillingInterval, billingIntervals, type PaidPlan, paidPlans } from '../../customers/billing/provider.ts'
import type { Usage } from '../../customers/usage/read-usage.ts'
import { type Mode, modes } from '../../foundation/kernel/ids.ts'
import type { DatabaseDeps } from '../../operations/resources/database.ts'
import { type Cli, commandContext, plansReader, printResult, withDatabase, withDeps } from './context.ts'
import { formatFields, formatTable } from './output.ts'
import {
  choiceOption,
  collectLimit,
  type LimitChanges,
  parseEmail,
  parseName,
  parseTimestampFlag,
  parseTimestampOrNone,
  parseTrialDays,
} from './values.ts'

interface TermsFlags {
  plan?: PlanSlug
  status?: KnownStatus
  billing?: 'monthly' | 'annual'
  periodStart?: Date
}

const examples = `
Examples:
  storedex accounts create --name "Northwind" --email ops@northwind.example --plan pro --billing monthly
  storedex accounts list --search northwind
  storedex accounts show acct_…
  storedex accounts set acct_… --plan business --limit store_exports=10000`

export function addAccountCommands(accounts: Command, cli: Cli): void {
  accounts.addHelpText('after', examples)

  withTermsFlags(accounts.command('create'))
    .description('create an account with a plan granted by hand')
    .requiredOption('--name <name>', 'name of the customer', parseName)
    .option('--email <email>', 'contact address', parseEmail)
    .option('--trial-ends <ts>', 'end of its trial; starts a trial', parseTimestampFlag)
    .action((flags: TermsFlags & { name: string; email?: string; trialEnds?: Date }, command: Command) =>
      withDatabase(cli, async (deps) => {
        const { trialEnds, ...input } = flags
        const account = await createAccount(commandContext(deps), {
          ...input,
          ...(trialEnds && { trialEndsAt: trialEnds }),
        })
        const id = deps.ids.seal('account', account.id)
        printResult(cli, command, { id }, `Created account ${id}.`)
      }),
    )

  accounts
    .command('list')
    .description('list the accounts, newest first')
    .option('--search <text>', 'a part of the name or email address, or an id')
    .addOption(choiceOption('--plan <plan>', 'only with this plan in force', planSlugs))
    .addOption(choiceOption('--status <status>', 'only in this state', [...knownStatuses, ...accountStates]))
    .action((search: AccountSearch, command: Command) =>
      withDatabase(cli, async (deps) => {
        const list = await listAllAccounts(commandContext(deps), search)
        printResult(
          cli,
          command,
          { object: 'list', data: list.map((account) => summarize(deps, account)) },
          formatList(deps, list),
        )
      }),
    )

  withTermsFlags(accounts.command('set'))
    .description('change an account; periods of another plan start now by default')
    .argument('<id>', 'acct_…')
    .option('--trial-ends <ts|none>', 'end of its trial, or none to end it now', parseTimestampOrNone)
    .option('--limit <meter=n>', 'override a limit, or meter=default; repeatable', collectLimit)
    .action((id: string, flags: TermsFlags & { trialEnds?: Date | 'none'; limit?: LimitChanges }, command: Command) => {
      if (Object.keys(command.opts()).length === 0) command.error('error: give at least one option')
      return withDatabase(cli, async (deps) => {
        const { trialEnds, limit, ...changes } = flags
        const account = await changeAccount(commandContext(deps), id, {
          ...changes,
          ...(trialEnds && { trialEndsAt: trialEnds === 'none' ? null : trialEnds }),
          ...(limit && { limits: limit }),
        })
        const report = reportAccount(deps.ids, account)
        printResult(cli, command, report, formatAccount(report))
      })
    })

  accounts
    .command('trial')
    .description('start a trial at the payment provider; it ends by itself or on its page')
    .argument('<id>', 'acct_…')
    .requiredOption('--days <n>', 'its length in days', parseTrialDays)
    .addOption(choiceOption('--plan <plan>', 'the plan to try', paidPlans).default('pro'))
    .addOption(
      choiceOption('--billing <billing>', 'billing interval after the trial', billingIntervals).default('monthly'),
    )
    .action((id: string, trial: { days: number; plan: PaidPlan; billing: BillingInterval }, command: Command) =>
      withDeps(cli, async (deps) => {
        const { startTrial } = await import('../../customers/billing/trials/start.ts')
        const report = reportAccount(deps.ids, await startTrial(deps, id, trial))
        printResult(cli, command, report, formatAccount(report))
      }),
    )

  const suspension = [
    ['suspend', suspendAccount, 'close the access of an account until it is resumed'],
    ['resume', resumeAccount, 'end the suspension of an account'],
  ] as const
  for (const [name, change, description] of suspension) {
    accounts
      .command(name)
      .description(description)
      .argument('<id>', 'acct_…')
      .action((id: string, _flags: object, command: Command) =>
        withDatabase(cli, async (deps) => {
          const report = reportAccount(deps.ids, await change(commandContext(deps), id))
          printResult(cli, command, report, formatAccount(report))
        }),
      )
  }

  accounts
    .command('show')
    .description('show an account and its usage')
    .argument('<id>', 'acct_…')
    .action((id: string, _flags: object, command: Command) =>
      withDatabase(cli, async (deps) => {
        const { readAccountWithUsage } = await import('../../customers/administration/describe-account.ts')
        const { report, usage } = await readAccountWithUsage(
          { ...commandContext(deps), readPlans: plansReader(deps) },
          id,
        )
        printResult(cli, command, { ...report, usage }, `${formatAccount(report)}\n\n${formatUsage(usage)}`)
      }),
    )
}

function summarize({ ids }: DatabaseDeps, account: Account) {
  const { id, name, email, plan, status, created_at } = reportAccount(ids, account)
  return { id, name, email, plan, status, created_at }
}

function formatList(deps: DatabaseDeps, list: readonly Account[]): string {
  if (list.length === 0) return 'No account fits. "storedex accounts create" makes one.'
  return formatTable(
    ['id', 'name', 'email', 'plan', 'status', 'created'],
    list.map((account) => {
      const { id, name, email, plan, status, created_at } = summarize(deps, account)
      const state = account.closedAt ? ', closed' : account.suspendedAt ? ', suspended' : ''
      return [id, name, email ?? '-', plan, status + state, created_at]
    }),
  )
}

function withTermsFlags(command: Command): Command {
  return command
    .addOption(choiceOption('--plan <plan>', 'its plan', planSlugs))
    .addOption(choiceOption('--status <status>', 'state of its subscription', knownStatuses))
    .addOption(choiceOption('--billing <billing>', 'its billing interval', billingIntervals))
    .option('--period-start <ts>', 'start of its monthly periods', parseTimestampFlag)
}

function formatAccount(report: AccountReport): string {
  const { limits, ...fields } = report
  const overrides = Object.entries(limits).map(([meter, figure]) => `${meter}=${figure}`)
  return formatFields({ ...fields, limits: overrides.join(' ') || null })
}

function formatUsage(usage: Record<Mode, Usage>): string {
  const rows = modes.flatMap((mode) => {
    const { contact_credits, store_exports, search_rows, api_requests } = usage[mode]
    const meters = {
      'contact credits': { ...contact_credits, limit: contact_credits.total },
      'store exports': store_exports,
      'search rows': search_rows,
      'requests today': api_requests,
    }
    return Object.entries(meters).map(([name, meter]) => [
      mode,
      name,
      ...[meter.used, reservedOf(meter), meter.remaining, meter.limit].map(String),
      meter.period_end,
    ])
  })
  return formatTable(['mode', 'meter', 'used', 'reserved', 'left', 'limit', 'until'], rows)
}

/** What running exports have claimed of a meter. */
function reservedOf({ used, remaining, limit }: { used: number; remaining: number; limit: number }): number {
  return Math.max(0, limit - used - remaining)
}
