import type { Command } from 'commander'
import type { AccountsContext } from '../accounts/account.ts'
import { type Scope, scopes } from '../auth/caller.ts'
import {
  createKey,
  type IssuedKey,
  type KeyReport,
  listKeys,
  resumeKey,
  revokeKey,
  rotateKey,
  suspendKey,
} from '../auth/keys.ts'
import { type Mode, modes } from '../kernel/ids.ts'
import { accountsContext, type Cli, printResult, withDeps } from './context.ts'
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

export function addKeyCommands(program: Command, cli: Cli): void {
  const keys = program.command('keys').description('issue, look at and end API keys')

  keys
    .command('create')
    .description('issue a key; its secret is told this once')
    .argument('<account>', 'acct_…')
    .requiredOption('--name <name>', 'what the key is for', parseName)
    .addOption(choiceOption('--mode <mode>', 'live data, or the sandbox', modes).default('live'))
    .option('--scope <scope>', 'what it may do; repeatable; the four data scopes when left out', collectValues(scopes))
    .option('--all-scopes', 'let it do everything')
    .option('--expires <ts>', 'when it ends by itself', parseTimestampFlag)
    .action((accountId: string, flags: CreateFlags, command: Command) => {
      if (flags.scope && flags.allScopes) command.error('error: give --scope or --all-scopes, not both')
      const chosen = flags.allScopes ? scopes : flags.scope
      return withDeps(cli, async (deps) => {
        const issued = await createKey(accountsContext(deps), accountId, {
          name: flags.name,
          mode: flags.mode,
          ...(chosen && { scopes: chosen }),
          ...(flags.expires && { expiresAt: flags.expires }),
        })
        printResult(cli, command, issued, tellIssued(issued))
      })
    })

  keys
    .command('list')
    .description("tell an account's keys, without their secrets")
    .argument('<account>', 'acct_…')
    .action((accountId: string, _flags: object, command: Command) =>
      withDeps(cli, async (deps) => {
        const list = await listKeys(accountsContext(deps), accountId)
        printResult(cli, command, list, tellList(list))
      }),
    )

  addChange(keys, cli, 'revoke', 'end a key for good', revokeKey)
  addChange(keys, cli, 'suspend', 'shut a key out until it is resumed', suspendKey)
  addChange(keys, cli, 'resume', 'let a suspended key in again', resumeKey)

  keys
    .command('rotate')
    .description('replace a key by a new one; the old one works on for a while')
    .argument('<id>', 'key_…')
    .option('--overlap <time>', 'how long the old key works on: 30m, 1h, 2d, 0 (default: 1h)', parseDurationMs)
    .action((id: string, flags: { overlap?: number }, command: Command) =>
      withDeps(cli, async (deps) => {
        const rotated = await rotateKey(accountsContext(deps), id, flags.overlap ?? defaultOverlapMs)
        const { replaced } = rotated
        const telling = `${tellIssued(rotated)}\nThe old key ${replaced.id} ends at ${replaced.expires_at}.`
        printResult(cli, command, rotated, telling)
      }),
    )
}

function addChange(
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
      withDeps(cli, async (deps) => {
        const report = await change(accountsContext(deps), id)
        printResult(cli, command, report, formatFields({ ...report, scopes: report.scopes.join(' ') }))
      }),
    )
}

function tellIssued({ id, key }: IssuedKey): string {
  return `Issued key ${id}. Keep its secret now, it is not told again:\n${key}`
}

function tellList(list: readonly KeyReport[]): string {
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
