import type { Command } from 'commander'
import type { AccountsContext } from '../accounts/account.ts'
import { type Scope, scopes } from '../auth/caller.ts'
import {
  createKey,
  type FoundKey,
  findKeysByPart,
  type IssuedKey,
  type KeyReport,
  listKeys,
  resumeKey,
  revokeKey,
  rotateKey,
  suspendKey,
} from '../auth/keys.ts'
import { type Mode, modes } from '../kernel/ids.ts'
import { accountsContext, type Cli, printResult, withDatabase } from './context.ts'
import { formatFields, formatTable } from './output.ts'
import { choiceOption, collectValues, parseDurationMs, parseName, parseTimestampFlag } from './values.ts'

interface CreateFlags {
  name: string
  mode: Mode
  scope?: Scope[]
  allScopes?: true
  expires?: Date
}

const defaultOverlapMs = 3_600_000

const examples = `
Examples:
  storedex keys create acct_… --name "production"
  storedex keys create acct_… --name "tests" --mode test --expires 2027-12-31T00:00:00Z
  storedex keys find sdx_live_ab12
  storedex keys rotate key_… --overlap 1d`

export function addKeyCommands(keys: Command, cli: Cli): void {
  keys.addHelpText('after', examples)
  keys
    .command('create')
    .description('issue a key; its secret is shown only once')
    .argument('<account>', 'acct_…')
    .requiredOption('--name <name>', 'name of the key', parseName)
    .addOption(choiceOption('--mode <mode>', 'live data, or the sandbox', modes).default('live'))
    .option('--scope <scope>', 'a scope of the key; repeatable; default: the four data scopes', collectValues(scopes))
    .option('--all-scopes', 'give it all scopes')
    .option('--expires <ts>', 'its expiry', parseTimestampFlag)
    .action((accountId: string, flags: CreateFlags, command: Command) => {
      if (flags.scope && flags.allScopes) command.error('error: give --scope or --all-scopes, not both')
      const chosen = flags.allScopes ? scopes : flags.scope
      return withDatabase(cli, async (deps) => {
        const issued = await createKey(accountsContext(deps), accountId, {
          name: flags.name,
          mode: flags.mode,
          ...(chosen && { scopes: chosen }),
          ...(flags.expires && { expiresAt: flags.expires }),
        })
        printResult(cli, command, issued, formatIssued(issued))
      })
    })

  keys
    .command('list')
    .description("list an account's keys, without their secrets")
    .argument('<account>', 'acct_…')
    .action((accountId: string, _flags: object, command: Command) =>
      withDatabase(cli, async (deps) => {
        const list = await listKeys(accountsContext(deps), accountId)
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
        const found = await findKeysByPart(accountsContext(deps), part)
        printResult(cli, command, { object: 'list', data: found }, formatFound(found))
      }),
    )

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
        const rotated = await rotateKey(accountsContext(deps), id, flags.overlap ?? defaultOverlapMs)
        const { replaced } = rotated
        const text = `${formatIssued(rotated)}\nThe old key ${replaced.id} expires at ${replaced.expires_at}.`
        printResult(cli, command, rotated, text)
      }),
    )
}

function addStateChange(
  keys: Command,
  cli: Cli,
  name: string,
  description: string,
  change: (ctx: AccountsContext, keyId: string) => Promise<KeyReport>,
): void {
  keys
    .command(name)
    .description(description)
    .argument('<id>', 'key_…')
    .action((id: string, _flags: object, command: Command) =>
      withDatabase(cli, async (deps) => {
        const report = await change(accountsContext(deps), id)
        printResult(cli, command, report, formatFields({ ...report, scopes: report.scopes.join(' ') }))
      }),
    )
}

function formatIssued({ id, key }: IssuedKey): string {
  return `Issued key ${id}. Store its secret now, it is not shown again:\n${key}`
}

function formatFound(found: readonly FoundKey[]): string {
  if (found.length === 0) return 'No key on file begins like this.'
  return formatTable(
    ['id', 'name', 'key', 'status', 'last used', 'account', 'account name', 'plan', 'access'],
    found.map((key) => [
      key.id,
      key.name,
      key.display,
      key.status,
      key.last_used_at ?? 'never',
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
    ['id', 'name', 'key', 'status', 'last used', 'expires', 'scopes'],
    list.map((key) => [
      key.id,
      key.name,
      key.display,
      key.status,
      key.last_used_at ?? 'never',
      key.expires_at ?? '-',
      key.scopes.join(' '),
    ]),
  )
}
