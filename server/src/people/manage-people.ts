import { selectAccount } from '../accounts/queries.ts'
import { openAccountId, unknownAccountError } from '../accounts/read-account.ts'
import { type AuditEntry, recordAuditEntry } from '../auth/audit.ts'
import type { Role } from '../auth/roles.ts'
import { type Client, type Queryable, transact } from '../db/pool.ts'
import { OperatorError } from '../kernel/errors.ts'
import { requireUserAddress } from '../kernel/mail/user-address.ts'
import { endAllCredentials } from './credentials/end-credentials.ts'
import { createSignInLink, linkLifeMs } from './links/links.ts'
import { deleteUnlessLastOwner, lockMembers, selectRole } from './member-queries.ts'
import { createPerson, type PeopleContext, type PersonReport, reportPeople, requirePerson } from './person.ts'
import {
  deletePerson,
  type RegisteredPerson,
  selectPeople,
  selectPersonByEmail,
  updateOperator,
  upsertMember,
} from './queries.ts'

/** The operator's commands about people. Each is one transaction, with its entry in the audit log. */

interface Membership {
  /** `acct_…` */
  account: string
  role: Role
}

interface NewPerson {
  email: string
  name: string
  membership: Membership | null
  operator: boolean
}

/** A person, and the token of the link that was made for them. */
interface PersonWithLink {
  report: PersonReport
  token: string
}

/** Creates a person with a link to set a password, which can be used for three days. */
export function registerPerson(ctx: PeopleContext, input: NewPerson): Promise<PersonWithLink> {
  return transact(ctx.db, async (client) => {
    const { operator, membership } = input
    const person = await createPerson(client, { ...input, now: ctx.now })
    if (!person)
      throw new OperatorError(`Somebody has the address ${JSON.stringify(requireUserAddress(input.email))} already.`)
    await recordChange(ctx, client, person, { action: 'person.created', details: { operator } })
    if (membership) await storeMembership(ctx, client, person, membership)
    const token = await createPasswordLink(ctx, client, person, linkLifeMs.invitation)
    return { report: await reportPerson(ctx, client, person), token }
  })
}

/** Makes somebody a member of an account, or changes their role there. */
export function addMember(ctx: PeopleContext, email: string, membership: Membership): Promise<PersonReport> {
  return changePerson(ctx, email, (client, person) => storeMembership(ctx, client, person, membership))
}

/** Ends a membership. The last owner of an open account stays: nobody else could manage it or close it. */
export function dropMember(ctx: PeopleContext, email: string, account: string): Promise<PersonReport> {
  return changePerson(ctx, email, async (client, person) => {
    const accountId = await requireAccountId(ctx, client, account)
    await lockMembers(client, accountId)
    if (!(await selectRole(client, accountId, person.id)))
      throw new OperatorError(`${person.email} is no member of ${account}.`)
    if (!(await deleteUnlessLastOwner(client, { accountId, personId: person.id })))
      throw new OperatorError(
        `${person.email} is the only owner of ${account}, which needs one. Make somebody else an owner first: storedex people add EMAIL --account ${account} --role owner.`,
      )
    await recordChange(ctx, client, person, { accountId, action: 'member.removed' })
  })
}

/** Marks somebody as an operator of the installation, or takes the mark away. */
export function setOperator(ctx: PeopleContext, email: string, operator: boolean): Promise<PersonReport> {
  return changePerson(ctx, email, async (client, person) => {
    await updateOperator(client, person.id, operator)
    await recordChange(ctx, client, person, { action: operator ? 'operator.added' : 'operator.removed' })
  })
}

/**
 * Makes a link to set a new password, which can be used for an hour. Using it ends all else that the person signs in
 * with; `endNow` ends it at once.
 */
export function makePasswordLink(
  ctx: PeopleContext,
  email: string,
  { endNow }: { endNow: boolean },
): Promise<PersonWithLink> {
  return transact(ctx.db, async (client) => {
    const person = await requirePerson(client, email)
    if (endNow) {
      await endAllCredentials(client, { personId: person.id, password: 'ends', now: ctx.now })
      await recordChange(ctx, client, person, { action: 'credentials.ended' })
    }
    const token = await createPasswordLink(ctx, client, person, linkLifeMs.other)
    return { report: await reportPerson(ctx, client, person), token }
  })
}

/** Removes a person with their sessions, links and memberships. Returns them as they were. */
export function removePerson(ctx: PeopleContext, email: string): Promise<PersonReport> {
  return transact(ctx.db, async (client) => {
    const person = await requirePerson(client, email)
    const report = await reportPerson(ctx, client, person)
    await deletePerson(client, person.id)
    await recordChange(ctx, client, person, { action: 'person.removed' })
    return report
  })
}

/** All people, or the members of an account. */
export async function listPeople(ctx: PeopleContext, account: string | null): Promise<PersonReport[]> {
  const accountId = account === null ? null : await requireAccountId(ctx, ctx.db, account)
  return reportPeople(ctx, await selectPeople(ctx.db, accountId))
}

function changePerson(
  ctx: PeopleContext,
  email: string,
  change: (client: Client, person: RegisteredPerson) => Promise<void>,
): Promise<PersonReport> {
  return transact(ctx.db, async (client) => {
    const person = await requirePerson(client, email)
    await change(client, person)
    return reportPerson(ctx, client, (await selectPersonByEmail(client, person.email))!)
  })
}

async function storeMembership(
  ctx: PeopleContext,
  client: Client,
  person: RegisteredPerson,
  { account, role }: Membership,
): Promise<void> {
  const accountId = await requireAccountId(ctx, client, account)
  const { isNew } = await upsertMember(client, { accountId, personId: person.id, role, addedAt: ctx.now })
  const action = isNew ? 'member.added' : 'member.changed'
  await recordChange(ctx, client, person, { accountId, action, details: { role } })
}

function createPasswordLink(
  { ids, now }: PeopleContext,
  client: Client,
  person: RegisteredPerson,
  lifeMs: number,
): Promise<string> {
  const by = { personId: null, address: null }
  const publicId = ids.seal('person', person.id)
  return createSignInLink(client, { personId: person.id, publicId, purpose: 'set_password', lifeMs, now, by })
}

async function requireAccountId({ ids }: PeopleContext, db: Queryable, account: string): Promise<number> {
  const accountId = openAccountId(ids, account)
  if (!(await selectAccount(db, accountId))) throw unknownAccountError(account)
  return accountId
}

/** Records a change that was made at the command line. */
function recordChange(
  { ids, now }: PeopleContext,
  client: Client,
  person: RegisteredPerson,
  change: Pick<AuditEntry, 'action' | 'details'> & { accountId?: number },
): Promise<void> {
  const target = ids.seal('person', person.id)
  return recordAuditEntry(client, { accountId: null, personId: null, ...change, target, address: null, at: now })
}

async function reportPerson({ ids }: PeopleContext, db: Queryable, person: RegisteredPerson): Promise<PersonReport> {
  const [report] = await reportPeople({ db, ids }, [person])
  return report!
}
