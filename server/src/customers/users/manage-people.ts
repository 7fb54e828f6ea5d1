import { type Client, type Queryable, transact } from '../../foundation/db/pool.ts'
import { Refusal } from '../../foundation/kernel/errors.ts'
import { requireUserAddress } from '../../foundation/kernel/mail/user-address.ts'
import { readAccount } from '../accounts/read-account.ts'
import { type Access, authorize } from '../auth/access.ts'
import { type AuditEntry, recordAudit } from '../auth/audit.ts'
import type { Role } from '../auth/roles.ts'
import { endAllCredentials } from './credentials/end-credentials.ts'
import { createSignInLink, linkLifeMs } from './links/links.ts'
import { storeRole } from './members/change-members.ts'
import { createPerson, type PeopleContext, type PersonReport, reportPeople, requirePerson } from './person.ts'
import { deletePerson, type RegisteredPerson, selectPeople, updateOperator } from './queries.ts'

const managePeople: Access = { operator: true, kind: 'powerful' }
const readPeople: Access = { operator: true, kind: 'read' }

/** What operators do to people. Each is one transaction, with its entry in the audit log. */

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
export async function registerPerson(ctx: PeopleContext, input: NewPerson): Promise<PersonWithLink> {
  authorize(ctx, managePeople)
  return transact(ctx.db, async (client) => {
    const { operator, membership } = input
    const person = await createPerson(client, { ...input, now: ctx.now })
    if (!person)
      throw new Refusal(
        'invalid_request',
        `Somebody has the address ${JSON.stringify(requireUserAddress(input.email))} already.`,
        { param: 'email' },
      )
    await recordChange(ctx, client, person, { action: 'person.created', details: { operator } })
    if (membership) {
      const { id: accountId } = await readAccount({ db: client, ids: ctx.ids }, membership.account)
      await storeRole(client, ctx, { accountId, person: ctx.ids.seal('person', person.id) }, membership.role)
    }
    const token = await createPasswordLink(ctx, client, person, linkLifeMs.invitation)
    return { report: await reportPerson(ctx, client, person), token }
  })
}

/** Marks somebody as an operator of the installation, or takes the mark away. */
export async function setOperator(ctx: PeopleContext, email: string, operator: boolean): Promise<PersonReport> {
  authorize(ctx, managePeople)
  return transact(ctx.db, async (client) => {
    const person = await requirePerson(client, email)
    await updateOperator(client, person.id, operator)
    await recordChange(ctx, client, person, { action: operator ? 'operator.added' : 'operator.removed' })
    return reportPerson(ctx, client, { ...person, operator })
  })
}

/**
 * Makes a link to set a new password, which can be used for an hour. Using it ends all else that the person signs in
 * with; `endNow` ends it at once.
 */
export async function makePasswordLink(
  ctx: PeopleContext,
  email: string,
  { endNow }: { endNow: boolean },
): Promise<PersonWithLink> {
  authorize(ctx, managePeople)
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
export async function removePerson(ctx: PeopleContext, email: string): Promise<PersonReport> {
  authorize(ctx, managePeople)
  return transact(ctx.db, async (client) => {
    const person = await requirePerson(client, email)
    const report = await reportPerson(ctx, client, person)
    await deletePerson(client, person.id)
    await recordChange(ctx, client, person, { action: 'person.removed' })
    return report
  })
}

/** The person with this address, and their memberships. */
export async function readRegisteredPerson(ctx: PeopleContext, email: string): Promise<PersonReport> {
  authorize(ctx, readPeople)
  return reportPerson(ctx, ctx.db, await requirePerson(ctx.db, email))
}

/** All people, or the members of an account. */
export async function listPeople(ctx: PeopleContext, account: string | null): Promise<PersonReport[]> {
  authorize(ctx, readPeople)
  const accountId = account === null ? null : (await readAccount(ctx, account)).id
  return reportPeople(ctx, await selectPeople(ctx.db, accountId))
}

function createPasswordLink(
  ctx: PeopleContext,
  client: Client,
  person: RegisteredPerson,
  lifeMs: number,
): Promise<string> {
  const publicId = ctx.ids.seal('person', person.id)
  return createSignInLink(client, ctx, { personId: person.id, publicId, purpose: 'set_password', lifeMs })
}

/** Records a change of a person, which concerns no single account. */
function recordChange(
  ctx: PeopleContext,
  client: Client,
  { id }: RegisteredPerson,
  change: Pick<AuditEntry, 'action' | 'details'>,
): Promise<void> {
  return recordAudit(client, ctx, { accountId: null, ...change, target: ctx.ids.seal('person', id) })
}

async function reportPerson({ ids }: PeopleContext, db: Queryable, person: RegisteredPerson): Promise<PersonReport> {
  const [report] = await reportPeople({ db, ids }, [person])
  return report!
}
