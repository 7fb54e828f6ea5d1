import type { Command } from 'commander'
import { openAccountId, readAccount } from '../../customers/accounts/read-account.ts'
import { type BudgetReport, budgetMeters } from '../../customers/auth/budgets.ts'
import { defaultScopes, lacksBillingScopes, type Scope, scopes } from '../../customers/auth/caller.ts'
import { resumeKey, revokeKey, setKeyLimits, suspendKey } from '../../customers/keys/change-key.ts'
import type { KeysContext } from '../../customers/keys/context.ts'
import { createKey, type IssuedKey, rotateKey } from '../../customers/keys/create-key.ts'
import { type FoundKey, findKeysByPart, listAllKeys } from '../../customers/keys/find-keys.ts'
import type { KeyReport } from '../../customers/keys/report-keys.ts'
import { type Mode, modes } from '../../foundation/kernel/ids.ts'
import type { DatabaseDeps } from '../../operations/resources/database.ts'
import { type Cli, commandContext, plansReader, printNote, printResult, withDatabase } from './context.ts'
import { formatFields, formatTable } from './output.ts'
import {
  type BudgetFlags,
  choiceOption,
  collectBudget,
  collectValues,
  parseDurationMs,
  parseName,
  parseTimestampFlag,
  parseValues,
} from './values.ts'

interface ScopeFlags {
  scope?: Scope[]
  scopes?: Scope[]
  allScopes?: true
}

interface CreateFlags extends ScopeFlags {
  name: string
  mode: Mode
  expires?: Date
  budget?: BudgetFlags
}

const defaultOverlapMs = 3_600_000

const examples = `
Examples:
  storedex keys create acct_… --name "production"
  storedex keys create acct_… --name "tests" --mode test --expires 2027-12-31T00:00:00Z
  storedex keys create acct_… --name "assistant" --budget contact_credits=100 --budget search_rows=5000
  storedex keys set key_… --budget contact_credits=200 --budget search_rows=none
  storedex keys set key_… --scopes usage:read,stores:read,billing:read
  storedex keys find sdx_live_ab12
  storedex keys rotate key_… --overlap 1d`

export function addKeyCommands(keys: Command, cli: Cli): void {
  keys.addHelpText('after', examples)
  const create = keys
    .command('create')
    .description('issue a key; its secret is shown only once')
    .argument('<account>', 'acct_…')
    .requiredOption('--name <name>', 'name of the key', parseName)
    .addOption(choiceOption('--mode <mode>', 'live data, or the sandbox', modes).default('live'))
    .option('--expires <ts>', 'its expiry', parseTimestampFlag)
    .option(
      '--budget <meter=n>',
      `what it may spend of a meter in a period (${budgetMeters.join(', ')}); repeatable`,
      collectBudget({ allowsNone: false }),
    )
    .action((account: string, flags: CreateFlags, command: Command) => {
      const chosen = readScopes(flags, command)
      return withDatabase(cli, async (deps) => {
        const issued = await createKey(keysContext(deps), openAccountId(deps.ids, account), {
          name: flags.name,
          mode: flags.mode,
          ...(chosen && { scopes: chosen }),
          ...(flags.expires && { expires_at: flags.expires.toISOString() }),
          ...(flags.budget && { budget: flags.budget }),
        })
        printResult(cli, command, idAndSecret(issued), formatIssued(issued))
        warnWithoutBilling(cli, chosen ?? defaultScopes)
      })
    })
  addScopeOptions(create, `default: ${defaultScopes.join(', ')}`)

  keys
    .command('list')
    .description("list an account's keys, without their secrets")
    .argument('<account>', 'acct_…')
    .action((account: string, _flags: object, command: Command) =>
      withDatabase(cli, async (deps) => {
        const list = await listAllKeys(keysContext(deps), (await readAccount(deps, account)).id)
        printResult(cli, command, list, formatList(list))
      }),
    )

  keys
    .command('find')
    .description('find a key by its beginning, as a log shows it; says whose it is and whether it works')
    .argument(
      '<prefix>',
      'sdx_live_ab12, ab12, or sdx_live_ab12…yz89; the whole key works, but stays in your shell history',
    )
    .action((part: string, _flags: object, command: Command) =>
      withDatabase(cli, async (deps) => {
        const found = await findKeysByPart(keysContext(deps), part)
        printResult(cli, command, { object: 'list', data: found }, formatFound(found))
      }),
    )

  const set = keys
    .command('set')
    .description('change the scopes of a key, or the budgets of a key and of those it replaced or was replaced by')
    .argument('<id>', 'key_…')
    .option(
      '--budget <meter=n>',
      'what it may spend of a meter in a period, or none for no budget; repeatable',
      collectBudget({ allowsNone: true }),
    )
    .action((id: string, flags: ScopeFlags & { budget?: BudgetFlags }, command: Command) => {
      const chosen = readScopes(flags, command)
      const changes = { ...(chosen && { scopes: chosen }), ...(flags.budget && { budget: flags.budget }) }
      if (!chosen && !flags.budget) command.error('error: give --scope, --scopes, --all-scopes or --budget')
      return withDatabase(cli, async (deps) => {
        const report = await setKeyLimits(keysContext(deps), id, changes)
        printResult(cli, command, report, formatKey(report))
        if (chosen) warnWithoutBilling(cli, chosen)
      })
    })
  addScopeOptions(set, 'replaces those it has: taken away at any time, added only while the account has API access')

  addStateChange(keys, cli, 'revoke', 'revoke a key permanently', revokeKey)
  addStateChange(keys, cli, 'suspend', 'disable a key until it is resumed', suspendKey)
  addStateChange(keys, cli, 'resume', 'enable a suspended key again', resumeKey)

  keys
    .command('rotate')
    .description('replace a key by a new one; the old one keeps working for a while')
    .argument('<id>', 'key_…')
    .option('--overlap <time>', 'how long the old key keeps working: 30m, 1h, 2d, 0 (default: 1h)', parseDurationMs)
    .action((id: string, flags: { overlap?: number }, command: Command) =>
      withDatabase(cli, async (deps) => {
        const overlapMs = flags.overlap ?? defaultOverlapMs
        const rotated = await rotateKey(keysContext(deps), id, { overlap_seconds: overlapMs / 1000 })
        const { replaced } = rotated
        const text = `${formatIssued(rotated)}\nThe old key ${replaced.id} expires at ${replaced.expires_at}.`
        printResult(cli, command, { ...idAndSecret(rotated), replaced }, text)
      }),
    )
}

function addScopeOptions(command: Command, rule: string): void {
  command
    .option('--scope <scope>', `a scope of the key (${scopes.join(', ')}); repeatable; ${rule}`, collectValues(scopes))
    .option('--scopes <list>', 'the same in one value, with commas between', parseValues(scopes))
    .option('--all-scopes', 'give it all scopes')
}

/** The scopes that a command names; undefined when it names none. */
function readScopes({ scope, scopes: list, allScopes }: ScopeFlags, command: Command): readonly Scope[] | undefined {
  if ([scope, list, allScopes].filter(Boolean).length > 1)
    command.error('error: give one of --scope, --scopes and --all-scopes')
  return allScopes ? scopes : (scope ?? list)
}

/** On stderr: the result alone is on stdout. */
function warnWithoutBilling(cli: Cli, held: readonly Scope[]): void {
  if (lacksBillingScopes(held))
    printNote(
      cli,
      'Warning: without billing:read or billing:manage this key can do nothing once the plan lapses, not even ask why, and it cannot be given a scope before the plan is paid again.\n',
    )
}

function addStateChange(
  keys: Command,
  cli: Cli,
  name: string,
  description: string,
  change: (ctx: KeysContext, keyId: string) => Promise<KeyReport>,
): void {
  keys
    .command(name)
    .description(description)
    .argument('<id>', 'key_…')
    .action((id: string, _flags: object, command: Command) =>
      withDatabase(cli, async (deps) => {
        const report = await change(keysContext(deps), id)
        printResult(cli, command, report, formatKey(report))
      }),
    )
}

function keysContext(deps: DatabaseDeps): KeysContext {
  return { ...commandContext(deps), readPlans: plansReader(deps), publicUrl: deps.config.publicUrl }
}

function formatKey(report: KeyReport): string {
  return formatFields({ ...report, scopes: report.scopes.join(' '), budget: formatBudget(report.budget) })
}

/** Such as `contact_credits 8/100`: used, and the budget; null without one. */
function formatBudget(budget: BudgetReport): string | null {
  const parts = budgetMeters.flatMap((meter) => {
    const figures = budget[meter]
    return figures ? [`${meter} ${figures.used}/${figures.limit}`] : []
  })
  return parts.join(', ') || null
}

function idAndSecret({ key, secret }: IssuedKey) {
  return { id: key.id, key: secret }
}

function formatIssued({ key, secret }: IssuedKey): string {
  return `Issued key ${key.id}. Store its secret now, it is not shown again:\n${secret}`
}

function formatFound(found: readonly FoundKey[]): string {
  if (found.length === 0) return 'No key on file begins like this.'
  return formatTable(
    ['id', 'name', 'key', 'status', 'last used', 'budget', 'account', 'account name', 'plan', 'access'],
    found.map((key) => [
      key.id,
      key.name,
      key.display,
      key.status,
      key.last_used_at ?? 'never',
      formatBudget(key.budget) ?? '-',
      key.account,
      key.account_name,
      `${key.account_plan} (${key.account_status})`,
      key.api_access ? 'open' : 'closed',
    ]),
  )
}

function formatList(list: readonly KeyReport[]): string {
  if (list.length === 0) return 'This account has no keys.'
  return formatTable(
    ['id', 'name', 'key', 'status', 'last used', 'expires', 'budget', 'scopes'],
    list.map((key) => [
      key.id,
      key.name,
      key.display,
      key.status,
      key.last_used_at ?? 'never',
      key.expires_at ?? '-',
      formatBudget(key.budget) ?? '-',
      key.scopes.join(' '),
    ]),
  )
}
