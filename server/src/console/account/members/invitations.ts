import type { Role } from '../../../auth/roles.ts'
import { type Client, transact } from '../../../db/pool.ts'
import { Refusal } from '../../../kernel/errors.ts'
import { requireUserAddress } from '../../../kernel/mail/user-address.ts'
import type { Signer } from '../../../kernel/signer.ts'
import { takeAttempt } from '../../../people/attempts.ts'
import { createInvitation } from '../../../people/invitations/invitations.ts'
import { invitationLetter } from '../../../people/letters.ts'
import { linkLifeMs, linkUrl } from '../../../people/links/links.ts'
import type { Outbox } from '../../../people/outbox.ts'
import { hashToken, newToken } from '../../../people/tokens.ts'
import { type AccountContext, lockMembersAs, recordAccountChange, requireMayManage } from '../context.ts'
import type { AccountDoneReply, InvitationListReply, SentInvitationReply } from '../schema.ts'
import {
  type InvitationToChange,
  renewInvitation,
  revokeInvitation,
  revokeInvitationsTo,
  selectInvitation,
  selectInvitationFacts,
  selectOpenInvitations,
} from './invitation-queries.ts'
import { maxMembers, maxOpenInvitations } from './limits.ts'

export interface InvitationContext extends AccountContext {
  signer: Signer
  publicUrl: string
  /** Null where no mail is set up: then the link is shown to who invites. */
  outbox: Outbox | null
}

/** The invitations that wait for an answer, newest first. */
export async function listInvitations(ctx: AccountContext): Promise<InvitationListReply> {
  const rows = await selectOpenInvitations(ctx.db, ctx.account.id, maxOpenInvitations)
  return {
    object: 'list',
    data: rows.map((row) => ({
      object: 'invitation',
      id: ctx.ids.seal('invitation', row.id),
      email: row.email,
      role: row.role,
      created_at: row.created_at.toISOString(),
      expires_at: row.expires_at.toISOString(),
      is_expired: row.expires_at <= ctx.now,
      invited_by:
        row.invited_by_id === null
          ? null
          : { id: ctx.ids.seal('person', row.invited_by_id), name: row.invited_by_name! },
    })),
    has_more: false,
    next_cursor: null,
    request_id: ctx.requestId,
  }
}

/**
 * Invites somebody, known or not: the answer is the same. A new invitation for an address replaces the one before. The
 * link is mailed, or shown once where no mail is set up.
 */
export async function invite(
  ctx: InvitationContext,
  { email: given, role }: { email: string; role: Role },
): Promise<SentInvitationReply> {
  ctx.outbox?.requireRoom()
  const email = requireUserAddress(given)
  const { id, token, expiresAt } = await transact(ctx.db, async (client) => {
    const actorRole = await lockMembersAs(client, ctx)
    requireMayManage(actorRole, role)
    await revokeInvitationsTo(client, { accountId: ctx.account.id, email, now: ctx.now })
    await requireRoom(ctx, client, email)
    await countInvitation(ctx, client, email)
    const { account, person, address, now, ids } = ctx
    return createInvitation(
      { db: client, ids },
      { accountId: account.id, email, role, invitedBy: person.id, address, now },
    )
  })
  return deliver(ctx, { id, email, role, token, expiresAt })
}

/** Counted in the transaction: an invitation that is refused, or that changed nothing, does not count. */
async function countInvitation(ctx: InvitationContext, client: Client, email: string): Promise<void> {
  const attempts = { db: client, signer: ctx.signer, now: ctx.now }
  const attempt = { address: ctx.address, account: ctx.account.id, email }
  await takeAttempt(attempts, 'invitation', attempt)
  // Any stranger can have an account without a plan, and a mail goes out under this installation's name.
  if (!ctx.outbox || ctx.caller.entitlement.accessOpen) return
  await takeAttempt(attempts, 'free_invitation', attempt)
  await takeAttempt(attempts, 'free_invitation_of_the_day', attempt)
}

async function requireRoom(ctx: InvitationContext, client: Client, email: string): Promise<void> {
  const facts = await selectInvitationFacts(client, ctx.account.id, email)
  if (facts.is_member) throw new Refusal('already_member', 'This person is a member already.', { param: 'email' })
  if (facts.open >= maxOpenInvitations || facts.open + facts.members >= maxMembers)
    throw new Refusal(
      'too_many_members',
      `An account has at most ${maxMembers} members and ${maxOpenInvitations} open invitations; revoke some first.`,
    )
}

/** Gives an invitation a new link, for another three days; the link before ends. */
export async function sendInvitationAgain(ctx: InvitationContext, invitationId: string): Promise<SentInvitationReply> {
  ctx.outbox?.requireRoom()
  const token = newToken()
  const expiresAt = new Date(ctx.now.getTime() + linkLifeMs.invitation)
  const { email, role } = await changeInvitation(ctx, invitationId, async (client, invitation) => {
    await countInvitation(ctx, client, requireUserAddress(invitation.email))
    await renewInvitation(client, { id: invitation.id, tokenHash: hashToken(token), expiresAt })
    await recordAccountChange(client, ctx, {
      action: 'invitation.sent_again',
      target: invitationId,
      details: { role: invitation.role },
    })
  })
  return deliver(ctx, { id: invitationId, email, role, token, expiresAt })
}

/** Ends an invitation that was not accepted; its link no longer works. */
export async function cancelInvitation(ctx: AccountContext, invitationId: string): Promise<AccountDoneReply> {
  await changeInvitation(ctx, invitationId, async (client, { id, role }) => {
    await revokeInvitation(client, id, ctx.now)
    await recordAccountChange(client, ctx, { action: 'invitation.revoked', target: invitationId, details: { role } })
  })
  return { object: 'done', request_id: ctx.requestId }
}

function changeInvitation(
  ctx: AccountContext,
  invitationId: string,
  change: (client: Client, invitation: InvitationToChange) => Promise<void>,
): Promise<InvitationToChange> {
  return transact(ctx.db, async (client) => {
    const actorRole = await lockMembersAs(client, ctx)
    const opened = ctx.ids.open(invitationId)
    const invitation =
      opened?.kind === 'invitation' ? await selectInvitation(client, ctx.account.id, opened.value) : undefined
    if (!invitation) throw new Refusal('invitation_not_found', 'There is no such invitation, or it has ended.')
    requireMayManage(actorRole, invitation.role)
    await change(client, invitation)
    return invitation
  })
}

interface NewLink {
  id: string
  email: string
  role: Role
  token: string
  expiresAt: Date
}

function deliver(ctx: InvitationContext, { id, email, role, token, expiresAt }: NewLink): SentInvitationReply {
  const { outbox, publicUrl, account, person } = ctx
  outbox?.send(async () => ({
    to: email,
    ...invitationLetter({ publicUrl, token, accountName: account.name, inviter: person.name }),
  }))
  return {
    object: 'invitation',
    id,
    email,
    role,
    expires_at: expiresAt.toISOString(),
    delivery: outbox ? 'mail' : 'link',
    // Where mail is set up, the link proves that the address is theirs: nobody else may see it.
    link: outbox ? null : linkUrl(publicUrl, token),
    request_id: ctx.requestId,
  }
}
