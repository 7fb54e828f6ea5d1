import type { Command } from 'commander'
import { readAccount } from '../../customers/accounts/read-account.ts'
import { type Role, roles } from '../../customers/auth/roles.ts'
import { operatorLetter } from '../../customers/users/letters.ts'
import { linkUrl } from '../../customers/users/links/links.ts'
import { createMailer } from '../../customers/users/mail.ts'
import {
  listUsers,
  makePasswordLink,
  readRegisteredUser,
  registerUser,
  removeUser,
  setOperator,
} from '../../customers/users/manage-users.ts'
import { endMembership, setMemberRole } from '../../customers/users/members/change-members.ts'
import type { UserReport, UsersContext } from '../../customers/users/user.ts'
import type { DatabaseDeps } from '../../operations/resources/database.ts'
import { type Cli, commandContext, printNote, printResult, readPublicUrl, withDatabase } from './context.ts'
import { formatFields, formatTable } from './output.ts'
import { choiceOption, parseEmail, parseKnownEmail, parseName } from './values.ts'

interface CreateFlags {
  name: string
  account?: string
  role?: Role
  operator?: boolean
}

const defaultRole: Role = 'member'

const examples = `
Examples:
  storedex users create mara@northwind.example --name "Mara Vogt" --account acct_… --role owner
  storedex users create ops@storedex.example --name "Operations" --operator
  storedex users list --account acct_…
  storedex users link mara@northwind.example`

export function addUsersCommands(users: Command, cli: Cli): void {
  users.addHelpText('after', examples)

  users
    .command('create')
    .argument('<email>', 'their email address', parseEmail)
    .description('create a user; prints a link with which they set a password within 72 hours')
    .requiredOption('--name <name>', 'their name', parseName)
    .option('--account <id>', 'make them a member of this account')
    .addOption(roleOption())
    .option('--operator', 'let them run this installation')
    .action((email: string, { name, account, role, operator = false }: CreateFlags, command: Command) => {
      if (role && !account) command.error('error: --role needs --account')
      return withDatabase(cli, async (deps) => {
        const membership = account === undefined ? null : { account, role: role ?? defaultRole }
        const made = await registerUser(commandContext(deps), { email, name, membership, operator })
        await printLink(cli, command, deps, made, 'They set their password at this link, once, within 72 hours:')
      })
    })

  withAccount(withEmail(users.command('add')))
    .description('make a user a member of an account, or change their role there')
    .addOption(roleOption())
    .action((email: string, { account, role }: { account: string; role?: Role }, command: Command) =>
      printMembership(cli, command, { email, account }, (ctx, member) =>
        setMemberRole(ctx, member, role ?? defaultRole),
      ),
    )

  withAccount(withEmail(users.command('drop')))
    .description('end a membership; the user stays, and so does the only owner of an account')
    .action((email: string, { account }: { account: string }, command: Command) =>
      printMembership(cli, command, { email, account }, endMembership),
    )

  users
    .command('list')
    .description('list all users, or the members of an account')
    .option('--account <id>', 'acct_…')
    .action(({ account = null }: { account?: string | null }, command: Command) =>
      withDatabase(cli, async (deps) => {
        const list = await listUsers(commandContext(deps), account)
        printResult(cli, command, list, formatUsers(list))
      }),
    )

  withEmail(users.command('link'))
    .description(
      'print a link with which a user sets a new password within an hour; using it ends their sessions and passkeys',
    )
    .option('--end-all', 'end their sessions, links, passkeys and password at once')
    .action((email: string, { endAll: endNow = false }: { endAll?: boolean }, command: Command) =>
      withDatabase(cli, async (deps) => {
        const made = await makePasswordLink(commandContext(deps), email, { endNow })
        await printLink(cli, command, deps, made, 'They set a new password at this link, once, within an hour:')
      }),
    )

  withEmail(users.command('operator'))
    .description('let a user run this installation')
    .option('--off', 'no longer')
    .action((email: string, { off = false }: { off?: boolean }, command: Command) =>
      withDatabase(cli, async (deps) => {
        const report = await setOperator(commandContext(deps), email, !off)
        if (!off) await tellOperator(cli, deps, report.email)
        printResult(cli, command, report, formatUser(report))
      }),
    )

  withEmail(users.command('remove'))
    .description('remove a user with their sessions and memberships')
    .action((email: string, _flags: object, command: Command) =>
      printChange(cli, command, (ctx) => removeUser(ctx, email)),
    )
}

function withEmail(command: Command): Command {
  return command.argument('<email>', 'their email address', parseKnownEmail)
}

function withAccount(command: Command): Command {
  return command.requiredOption('--account <id>', 'acct_…')
}

function roleOption() {
  return choiceOption('--role <role>', `what they may do there (default: ${defaultRole})`, roles)
}

function printChange(cli: Cli, command: Command, change: (ctx: UsersContext) => Promise<UserReport>): Promise<void> {
  return withDatabase(cli, async (deps) => {
    const report = await change(commandContext(deps))
    printResult(cli, command, report, formatUser(report))
  })
}

/** Changes a membership of an account, and prints the user. */
function printMembership(
  cli: Cli,
  command: Command,
  { email, account }: { email: string; account: string },
  change: (ctx: UsersContext, member: { accountId: number; person: string }) => Promise<void>,
): Promise<void> {
  return printChange(cli, command, async (ctx) => {
    const { id: user } = await readRegisteredUser(ctx, email)
    await change(ctx, { accountId: (await readAccount(ctx, account)).id, person: user })
    return readRegisteredUser(ctx, email)
  })
}

/** Where mail is set up, tells a user that they are an operator now. A failure of the mail changes nothing else. */
async function tellOperator(cli: Cli, deps: DatabaseDeps, to: string): Promise<void> {
  const { mail } = deps.config.users
  if (!mail) return
  try {
    const letter = operatorLetter({ publicUrl: await readPublicUrl(deps), now: deps.clock.now() })
    await createMailer(mail)({ to, ...letter })
  } catch {
    // The error may repeat the address.
    printNote(cli, 'They could not be told by mail: the mail server of SMTP_URL did not take it.\n')
  }
}

/** Prints a user with their new link, which is shown only once. */
async function printLink(
  cli: Cli,
  command: Command,
  deps: DatabaseDeps,
  { report, token }: { report: UserReport; token: string },
  sentence: string,
): Promise<void> {
  const link = linkUrl(await readPublicUrl(deps), token)
  printResult(cli, command, { ...report, link }, `${formatUser(report)}\n\n${sentence}\n${link}`)
}

function formatUser({ accounts, ...fields }: UserReport): string {
  return formatFields({ ...fields, accounts: accounts.map(({ id, role }) => `${id} (${role})`).join(', ') || null })
}

function formatUsers(list: readonly UserReport[]): string {
  if (list.length === 0) return 'There are no users.'
  return formatTable(
    ['id', 'email', 'name', 'operator', 'accounts'],
    list.map(({ id, email, name, operator, accounts }) => [
      id,
      email,
      name,
      operator ? 'yes' : '-',
      accounts.map((account) => `${account.id} (${account.role})`).join(', ') || '-',
    ]),
  )
}
