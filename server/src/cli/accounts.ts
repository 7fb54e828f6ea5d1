import type { Command } from 'commander'
import { type Account, entitlementAt, type KnownStatus, knownStatuses } from '../accounts/account.ts'
import { changeAccount, createAccount } from '../accounts/change-account.ts'
import { type PlanSlug, planSlugs } from '../accounts/plans.ts'
import { type AccountReport, readAccount, reportAccount } from '../accounts/read-account.ts'
import { resumeAccount, suspendAccount } from '../accounts/suspend-account.ts'
import { type BillingInterval, billingIntervals, type PaidPlan, paidPlans } from '../billing/provider.ts'
import { startTrial } from '../billing/trials/start.ts'
import type { Deps } from '../deps.ts'
import { type Mode, modes } from '../kernel/ids.ts'
import { readUsage, type Usage } from '../usage/read-usage.ts'
import { accountsContext, type Cli, printResult, withDeps } from './context.ts'
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

export function addAccountCommands(program: Command, cli: Cli): void {
  const accounts = program.command('accounts').description('create, change and show accounts')

  withTermsFlags(accounts.command('create'))
    .description('create an account with a plan granted by hand')
    .requiredOption('--name <name>', 'name of the customer', parseName)
    .option('--email <email>', 'contact address', parseEmail)
    .option('--trial-ends <ts>', 'end of its trial; starts a trial', parseTimestampFlag)
    .action((flags: TermsFlags & { name: string; email?: string; trialEnds?: Date }, command: Command) =>
      withDeps(cli, async (deps) => {
        const { trialEnds, ...input } = flags
        const account = await createAccount(accountsContext(deps), {
          ...input,
          ...(trialEnds && { trialEndsAt: trialEnds }),
        })
        const id = deps.ids.seal('account', account.id)
        printResult(cli, command, { id }, `Created account ${id}.`)
      }),
    )

  withTermsFlags(accounts.command('set'))
    .description('change an account; periods of another plan start now by default')
    .argument('<id>', 'acct_…')
    .option('--trial-ends <ts|none>', 'end of its trial, or none to end it now', parseTimestampOrNone)
    .option('--limit <meter=n>', 'override a limit, or meter=default; repeatable', collectLimit)
    .action((id: string, flags: TermsFlags & { trialEnds?: Date | 'none'; limit?: LimitChanges }, command: Command) => {
      if (Object.keys(command.opts()).length === 0) command.error('error: give at least one option')
      return withDeps(cli, async (deps) => {
        const { trialEnds, limit, ...changes } = flags
        const account = await changeAccount(accountsContext(deps), id, {
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
        withDeps(cli, async (deps) => {
          const report = reportAccount(deps.ids, await change(accountsContext(deps), id))
          printResult(cli, command, report, formatAccount(report))
        }),
      )
  }

  accounts
    .command('show')
    .description('show an account and its usage')
    .argument('<id>', 'acct_…')
    .action((id: string, _flags: object, command: Command) =>
      withDeps(cli, async (deps) => {
        const ctx = accountsContext(deps)
        const account = await readAccount(ctx, id)
        const report = reportAccount(deps.ids, account)
        const usage = {
          live: await usageOf(deps, account, 'live', ctx.now),
          test: await usageOf(deps, account, 'test', ctx.now),
        }
        printResult(cli, command, { ...report, usage }, `${formatAccount(report)}\n\n${formatUsage(usage)}`)
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

function usageOf({ db, plans }: Deps, account: Account, mode: Mode, now: Date): Promise<Usage> {
  return readUsage(db, { accountId: account.id, mode, entitlement: entitlementAt(account, plans, now), now })
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
      ...[meter.used, meter.remaining, meter.limit].map(String),
      meter.period_end,
    ])
  })
  return formatTable(['mode', 'meter', 'used', 'left', 'limit', 'until'], rows)
}
