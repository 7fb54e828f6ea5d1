import { type Client, transact } from '../../../foundation/db/pool.ts'
import { Refusal } from '../../../foundation/kernel/errors.ts'
import { authorize } from '../../auth/access.ts'
import { recordAudit } from '../../auth/audit.ts'
import type { Role } from '../../auth/roles.ts'
import { revokeInvitationsBy } from '../invitations/queries.ts'
import type { MemberListReply } from '../schema.ts'
import {
  leaveMembers,
  lockMembersAs,
  type MembersContext,
  manageMembers,
  maxMembers,
  readMembers,
  requireMayManage,
} from './context.ts'
import { deleteUnlessLastOwner, selectMembers, selectRole, updateRole, upsertMember } from './queries.ts'

/** The members of an account, owners first. */
export async function listMembers(ctx: MembersContext, accountId: number): Promise<MemberListReply['data']> {
  authorize(ctx, readMembers)
  const rows = await selectMembers(ctx.db, accountId, maxMembers)
  return rows.map((row) => ({
    object: 'member',
    id: ctx.ids.seal('person', row.person_id),
    name: row.name,
    email: row.email,
    role: row.role,
    added_at: row.added_at.toISOString(),
    is_you: ctx.actor.kind === 'member' && row.person_id === ctx.actor.userId,
  }))
}

interface Membership {
  accountId: number
  /** `per_…` */
  person: string
}

/** Changes a member's role, from their next request on. The command line also adds members with it. */
export async function setMemberRole(ctx: MembersContext, member: Membership, role: Role): Promise<void> {
  authorize(ctx, manageMembers)
  await transact(ctx.db, (client) => storeRole(client, ctx, member, role))
}

/** The same in a transaction that does more. */
export async function storeRole(
  client: Client,
  ctx: MembersContext,
  { accountId, person: user }: Membership,
  role: Role,
): Promise<void> {
  const actorRole = await lockMembersAs(client, ctx, accountId)
  const member = { accountId, userId: openUserId(ctx, user) }
  const before = await selectRole(client, accountId, member.userId)
  const audit = (action: 'member.added' | 'member.changed', details: { role: Role; before?: Role }) =>
    recordAudit(client, ctx, { accountId, action, target: user, details })
  if (!before) {
    // A member invites: only the user can make themselves one.
    if (actorRole !== null) throw noMemberError()
    await upsertMember(client, { ...member, role, addedAt: ctx.now })
    return audit('member.added', { role })
  }
  for (const each of [before, role]) requireMayManage(actorRole, each)
  if (before === role) return
  // An operator, who can make anybody an owner, may also demote the last one.
  if (actorRole === null) await upsertMember(client, { ...member, role, addedAt: ctx.now })
  else if (!(await updateRole(client, { ...member, role }))) throw lastOwnerError()
  await revokeInvitationsBy(client, { ...member, allowed: rolesThatMayBeInvitedBy(role), now: ctx.now })
  await audit('member.changed', { role, before })
}

/**
 * Ends a membership; the user's next request about the account is refused. Everybody may end their own, whatever their
 * role. The last owner of an open account stays: no other role can manage or close it.
 */
export async function endMembership(ctx: MembersContext, { accountId, person: user }: Membership): Promise<void> {
  const { actor, now } = ctx
  const member = { accountId, userId: openUserId(ctx, user) }
  const isOwn = actor.kind === 'member' && actor.userId === member.userId
  authorize(ctx, isOwn ? leaveMembers : manageMembers)
  await transact(ctx.db, async (client) => {
    const actorRole = await lockMembersAs(client, ctx, accountId)
    const role = await selectRole(client, accountId, member.userId)
    if (!role) throw noMemberError()
    if (!isOwn) requireMayManage(actorRole, role)
    if (!(await deleteUnlessLastOwner(client, member))) throw lastOwnerError()
    await revokeInvitationsBy(client, { ...member, allowed: [], now })
    const action = isOwn ? 'member.left' : 'member.removed'
    await recordAudit(client, ctx, { accountId, action, target: user, details: { role } })
  })
}

/** An invitation is worth what the role of who sent it is worth. */
function rolesThatMayBeInvitedBy(role: Role): readonly Role[] {
  if (role === 'owner') return ['viewer', 'member', 'admin', 'owner']
  return role === 'admin' ? ['viewer', 'member', 'admin'] : []
}

function openUserId({ ids }: MembersContext, text: string): number {
  const opened = ids.open(text)
  if (opened?.kind !== 'person') throw noMemberError()
  return opened.value
}

function noMemberError(): Refusal {
  return new Refusal('person_not_found', 'This person is no member of the account.')
}

function lastOwnerError(): Refusal {
  return new Refusal('last_owner', 'An account needs an owner: make somebody else an owner first.')
}
