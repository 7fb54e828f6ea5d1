import type { Command } from 'commander'
import { readAccount } from '../../customers/accounts/read-account.ts'
import { type Role, roles } from '../../customers/auth/roles.ts'
import { operatorLetter } from '../../customers/users/letters.ts'
import { linkUrl } from '../../customers/users/links/links.ts'
import { createMailer } from '../../customers/users/mail.ts'
import {
  listPeople,
  makePasswordLink,
  readRegisteredPerson,
  registerPerson,
  removePerson,
  setOperator,
} from '../../customers/users/manage-people.ts'
import { endMembership, setMemberRole } from '../../customers/users/members/change-members.ts'
import type { PeopleContext, PersonReport } from '../../customers/users/person.ts'
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
  storedex people create mara@northwind.example --name "Mara Vogt" --account acct_… --role owner
  storedex people create ops@storedex.example --name "Operations" --operator
  storedex people list --account acct_…
  storedex people link mara@northwind.example`

export function addPeopleCommands(people: Command, cli: Cli): void {
  people.addHelpText('after', examples)

  people
    .command('create')
    .argument('<email>', 'their email address', parseEmail)
    .description('create a person; prints a link with which they set a password within 72 hours')
    .requiredOption('--name <name>', 'how the person is called', parseName)
    .option('--account <id>', 'make them a member of this account')
    .addOption(roleOption())
    .option('--operator', 'let them run this installation')
    .action((email: string, { name, account, role, operator = false }: CreateFlags, command: Command) => {
      if (role && !account) command.error('error: --role needs --account')
      return withDatabase(cli, async (deps) => {
        const membership = account === undefined ? null : { account, role: role ?? defaultRole }
        const made = await registerPerson(commandContext(deps), { email, name, membership, operator })
        await printLink(cli, command, deps, made, 'They set their password at this link, once, within 72 hours:')
      })
    })

  withAccount(withEmail(people.command('add')))
    .description('make somebody a member of an account, or change their role there')
    .addOption(roleOption())
    .action((email: string, { account, role }: { account: string; role?: Role }, command: Command) =>
      printMembership(cli, command, { email, account }, (ctx, member) =>
        setMemberRole(ctx, member, role ?? defaultRole),
      ),
    )

  withAccount(withEmail(people.command('drop')))
    .description('end a membership; the person stays, and so does the only owner of an account')
    .action((email: string, { account }: { account: string }, command: Command) =>
      printMembership(cli, command, { email, account }, endMembership),
    )

  people
    .command('list')
    .description('list all people, or the members of an account')
    .option('--account <id>', 'acct_…')
    .action(({ account = null }: { account?: string | null }, command: Command) =>
      withDatabase(cli, async (deps) => {
        const list = await listPeople(commandContext(deps), account)
        printResult(cli, command, list, formatPeople(list))
      }),
    )

  withEmail(people.command('link'))
    .description(
      'print a link with which a person sets a new password within an hour; using it ends their sessions and passkeys',
    )
    .option('--end-all', 'end their sessions, links, passkeys and password at once')
    .action((email: string, { endAll: endNow = false }: { endAll?: boolean }, command: Command) =>
      withDatabase(cli, async (deps) => {
        const made = await makePasswordLink(commandContext(deps), email, { endNow })
        await printLink(cli, command, deps, made, 'They set a new password at this link, once, within an hour:')
      }),
    )

  withEmail(people.command('operator'))
    .description('let somebody run this installation')
    .option('--off', 'no longer')
    .action((email: string, { off = false }: { off?: boolean }, command: Command) =>
      withDatabase(cli, async (deps) => {
        const report = await setOperator(commandContext(deps), email, !off)
        if (!off) await tellOperator(cli, deps, report.email)
        printResult(cli, command, report, formatPerson(report))
      }),
    )

  withEmail(people.command('remove'))
    .description('remove a person with their sessions and memberships')
    .action((email: string, _flags: object, command: Command) =>
      printChange(cli, command, (ctx) => removePerson(ctx, email)),
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

function printChange(cli: Cli, command: Command, change: (ctx: PeopleContext) => Promise<PersonReport>): Promise<void> {
  return withDatabase(cli, async (deps) => {
    const report = await change(commandContext(deps))
    printResult(cli, command, report, formatPerson(report))
  })
}

/** Changes whether and how somebody is a member of an account, and prints the person. */
function printMembership(
  cli: Cli,
  command: Command,
  { email, account }: { email: string; account: string },
  change: (ctx: PeopleContext, member: { accountId: number; person: string }) => Promise<void>,
): Promise<void> {
  return printChange(cli, command, async (ctx) => {
    const { id: person } = await readRegisteredPerson(ctx, email)
    await change(ctx, { accountId: (await readAccount(ctx, account)).id, person })
    return readRegisteredPerson(ctx, email)
  })
}

/** Where mail is set up, tells somebody that they are an operator now. Without the mail they are one all the same. */
async function tellOperator(cli: Cli, deps: DatabaseDeps, to: string): Promise<void> {
  const { mail } = deps.config.people
  if (!mail) return
  try {
    const letter = operatorLetter({ publicUrl: await readPublicUrl(deps), now: deps.clock.now() })
    await createMailer(mail)({ to, ...letter })
  } catch {
    // The error may repeat the address.
    printNote(cli, 'They could not be told by mail: the mail server of SMTP_URL did not take it.\n')
  }
}

/** Prints a person with the link that was made for them: it is shown only once. */
async function printLink(
  cli: Cli,
  command: Command,
  deps: DatabaseDeps,
  { report, token }: { report: PersonReport; token: string },
  sentence: string,
): Promise<void> {
  const link = linkUrl(await readPublicUrl(deps), token)
  printResult(cli, command, { ...report, link }, `${formatPerson(report)}\n\n${sentence}\n${link}`)
}

function formatPerson({ accounts, ...fields }: PersonReport): string {
  return formatFields({ ...fields, accounts: accounts.map(({ id, role }) => `${id} (${role})`).join(', ') || null })
}

function formatPeople(list: readonly PersonReport[]): string {
  if (list.length === 0) return 'There are no people.'
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
