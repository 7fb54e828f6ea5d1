import type { Role } from '../../../auth/roles.ts'
import { transact } from '../../../db/pool.ts'
import { Refusal } from '../../../kernel/errors.ts'
import { deleteUnlessLastOwner, selectRole, updateRole } from '../../../people/member-queries.ts'
import { type AccountContext, lockMembersAs, recordAccountChange, requireMayManage } from '../context.ts'
import type { AccountDoneReply, MemberListReply } from '../schema.ts'
import { revokeInvitationsBy } from './invitation-queries.ts'
import { maxMembers } from './limits.ts'
import { selectMembers } from './member-queries.ts'

/** The members of the account, owners first. */
export async function listMembers(ctx: AccountContext): Promise<MemberListReply> {
  const rows = await selectMembers(ctx.db, ctx.account.id, maxMembers)
  return {
    object: 'list',
    data: rows.map((row) => ({
      object: 'member',
      id: ctx.ids.seal('person', row.person_id),
      name: row.name,
      email: row.email,
      role: row.role,
      added_at: row.added_at.toISOString(),
      is_you: row.person_id === ctx.person.id,
    })),
    has_more: false,
    next_cursor: null,
    request_id: ctx.requestId,
  }
}

/** Changes a member's role. Holds from their next request on. */
export async function changeMemberRole(ctx: AccountContext, personId: string, role: Role): Promise<AccountDoneReply> {
  await transact(ctx.db, async (client) => {
    const actorRole = await lockMembersAs(client, ctx)
    const member = { accountId: ctx.account.id, personId: openPersonId(ctx, personId) }
    const before = await selectRole(client, member.accountId, member.personId)
    if (!before) throw noMemberError()
    for (const each of [before, role]) requireMayManage(actorRole, each)
    if (before === role) return
    if (!(await updateRole(client, { ...member, role }))) throw lastOwnerError()
    await revokeInvitationsBy(client, { ...member, allowed: rolesThatMayBeInvitedBy(role), now: ctx.now })
    await recordAccountChange(client, ctx, {
      action: 'member.changed',
      target: personId,
      details: { role, before },
    })
  })
  return { object: 'done', request_id: ctx.requestId }
}

/** Ends a membership. The person's next request about the account is refused. */
export async function removeMember(ctx: AccountContext, personId: string): Promise<AccountDoneReply> {
  await endMembership(ctx, personId, 'member.removed')
  return { object: 'done', request_id: ctx.requestId }
}

/** Ends the caller's own membership, whatever their role; the last owner stays, until the account is closed. */
export async function leaveAccount(ctx: AccountContext): Promise<AccountDoneReply> {
  await endMembership(ctx, ctx.person.publicId, 'member.left')
  return { object: 'done', request_id: ctx.requestId }
}

async function endMembership(
  ctx: AccountContext,
  personId: string,
  action: 'member.removed' | 'member.left',
): Promise<void> {
  await transact(ctx.db, async (client) => {
    const actorRole = await lockMembersAs(client, ctx)
    const member = { accountId: ctx.account.id, personId: openPersonId(ctx, personId) }
    const role = await selectRole(client, member.accountId, member.personId)
    if (!role) throw noMemberError()
    if (action === 'member.removed') requireMayManage(actorRole, role)
    if (!(await deleteUnlessLastOwner(client, member))) throw lastOwnerError()
    await revokeInvitationsBy(client, { ...member, allowed: [], now: ctx.now })
    await recordAccountChange(client, ctx, { action, target: personId, details: { role } })
  })
}

/** An invitation is worth what the role of who sent it is worth. */
function rolesThatMayBeInvitedBy(role: Role): readonly Role[] {
  if (role === 'owner') return ['viewer', 'member', 'admin', 'owner']
  return role === 'admin' ? ['viewer', 'member', 'admin'] : []
}

function openPersonId({ ids }: AccountContext, text: string): number {
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
