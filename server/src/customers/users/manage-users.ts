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
import { deleteUser, type RegisteredUser, selectUsers, updateOperator } from './queries.ts'
import { createUser, reportUsers, requireUser, type UserReport, type UsersContext } from './user.ts'

const manageUsers: Access = { operator: true, kind: 'powerful' }
const readUsers: Access = { operator: true, kind: 'read' }

/** What operators do to users. Each is one transaction, with its entry in the audit log. */

interface Membership {
  /** `acct_…` */
  account: string
  role: Role
}

interface NewUser {
  email: string
  name: string
  membership: Membership | null
  operator: boolean
}

/** A user, and the token of the link that was made for them. */
interface UserWithLink {
  report: UserReport
  token: string
}

/** Creates a user with a link to set a password, which can be used for three days. */
export async function registerUser(ctx: UsersContext, input: NewUser): Promise<UserWithLink> {
  authorize(ctx, manageUsers)
  return transact(ctx.db, async (client) => {
    const { operator, membership } = input
    const user = await createUser(client, { ...input, now: ctx.now })
    if (!user)
      throw new Refusal(
        'invalid_request',
        `Somebody has the address ${JSON.stringify(requireUserAddress(input.email))} already.`,
        { param: 'email' },
      )
    await recordChange(ctx, client, user, { action: 'person.created', details: { operator } })
    if (membership) {
      const { id: accountId } = await readAccount({ db: client, ids: ctx.ids }, membership.account)
      await storeRole(client, ctx, { accountId, person: ctx.ids.seal('person', user.id) }, membership.role)
    }
    const token = await createPasswordLink(ctx, client, user, linkLifeMs.invitation)
    return { report: await reportUser(ctx, client, user), token }
  })
}

/** Makes a user an operator of the installation, or ends it. */
export async function setOperator(ctx: UsersContext, email: string, operator: boolean): Promise<UserReport> {
  authorize(ctx, manageUsers)
  return transact(ctx.db, async (client) => {
    const user = await requireUser(client, email)
    await updateOperator(client, user.id, operator)
    await recordChange(ctx, client, user, { action: operator ? 'operator.added' : 'operator.removed' })
    return reportUser(ctx, client, { ...user, operator })
  })
}

/**
 * Makes a link to set a new password, which can be used for an hour. Using it ends all else that the user signs in
 * with; `endNow` ends it at once.
 */
export async function makePasswordLink(
  ctx: UsersContext,
  email: string,
  { endNow }: { endNow: boolean },
): Promise<UserWithLink> {
  authorize(ctx, manageUsers)
  return transact(ctx.db, async (client) => {
    const user = await requireUser(client, email)
    if (endNow) {
      await endAllCredentials(client, { userId: user.id, password: 'ends', now: ctx.now })
      await recordChange(ctx, client, user, { action: 'credentials.ended' })
    }
    const token = await createPasswordLink(ctx, client, user, linkLifeMs.other)
    return { report: await reportUser(ctx, client, user), token }
  })
}

/** Removes a user with their sessions, links and memberships. Returns them as they were. */
export async function removeUser(ctx: UsersContext, email: string): Promise<UserReport> {
  authorize(ctx, manageUsers)
  return transact(ctx.db, async (client) => {
    const user = await requireUser(client, email)
    const report = await reportUser(ctx, client, user)
    await deleteUser(client, user.id)
    await recordChange(ctx, client, user, { action: 'person.removed' })
    return report
  })
}

/** The user with this address, and their memberships. */
export async function readRegisteredUser(ctx: UsersContext, email: string): Promise<UserReport> {
  authorize(ctx, readUsers)
  return reportUser(ctx, ctx.db, await requireUser(ctx.db, email))
}

/** All users, or the members of an account. */
export async function listUsers(ctx: UsersContext, account: string | null): Promise<UserReport[]> {
  authorize(ctx, readUsers)
  const accountId = account === null ? null : (await readAccount(ctx, account)).id
  return reportUsers(ctx, await selectUsers(ctx.db, accountId))
}

function createPasswordLink(ctx: UsersContext, client: Client, user: RegisteredUser, lifeMs: number): Promise<string> {
  const publicId = ctx.ids.seal('person', user.id)
  return createSignInLink(client, ctx, { userId: user.id, publicId, purpose: 'set_password', lifeMs })
}

/** Records a change of a user, which concerns no single account. */
function recordChange(
  ctx: UsersContext,
  client: Client,
  { id }: RegisteredUser,
  change: Pick<AuditEntry, 'action' | 'details'>,
): Promise<void> {
  return recordAudit(client, ctx, { accountId: null, ...change, target: ctx.ids.seal('person', id) })
}

async function reportUser({ ids }: UsersContext, db: Queryable, user: RegisteredUser): Promise<UserReport> {
  const [report] = await reportUsers({ db, ids }, [user])
  return report!
}
