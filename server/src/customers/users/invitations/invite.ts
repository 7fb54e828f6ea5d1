import { type Client, transact } from '../../../foundation/db/pool.ts'
import { Refusal } from '../../../foundation/kernel/errors.ts'
import type { IdSealer } from '../../../foundation/kernel/ids.ts'
import { requireUserAddress } from '../../../foundation/kernel/mail/user-address.ts'
import type { Signer } from '../../../foundation/kernel/signer.ts'
import { authorize } from '../../auth/access.ts'
import { recordAudit } from '../../auth/audit.ts'
import type { Role } from '../../auth/roles.ts'
import type { MemberContext } from '../../auth/signed-in.ts'
import { takeAttempt } from '../attempts.ts'
import { invitationLetter } from '../letters.ts'
import { linkLifeMs, linkUrl } from '../links/links.ts'
import { lockMembersAs, manageMembers, maxMembers, readInvitations, requireMayManage } from '../members/context.ts'
import type { Outbox } from '../outbox.ts'
import type { InvitationListReply, SentInvitationReply } from '../schema.ts'
import { hashToken, newToken } from '../tokens.ts'
import {
  type InvitationToChange,
  insertInvitation,
  renewInvitation,
  revokeInvitation,
  revokeInvitationsTo,
  selectInvitation,
  selectInvitationFacts,
  selectOpenInvitations,
} from './queries.ts'

/** Open invitations of an account. */
const maxOpenInvitations = 100

interface InvitationsContext extends MemberContext {
  ids: IdSealer
}

export interface InvitationContext extends InvitationsContext {
  signer: Signer
  publicUrl: string
  /** Null where no mail is set up: then the link is shown to who invites. */
  outbox: Outbox | null
}

type SentInvitation = Omit<SentInvitationReply, 'object' | 'request_id'>

/** The invitations that wait for an answer, newest first. */
export async function listInvitations(ctx: InvitationsContext): Promise<InvitationListReply['data']> {
  authorize(ctx, readInvitations)
  const rows = await selectOpenInvitations(ctx.db, ctx.account.id, maxOpenInvitations)
  return rows.map((row) => ({
    object: 'invitation',
    id: ctx.ids.seal('invitation', row.id),
    email: row.email,
    role: row.role,
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
    is_expired: row.expires_at <= ctx.now,
    invited_by:
      row.invited_by_id === null ? null : { id: ctx.ids.seal('person', row.invited_by_id), name: row.invited_by_name! },
  }))
}

/**
 * Sends an invitation. The reply is the same if the address is known and if not. A new invitation for an address replaces the one before. The
 * link is mailed, or shown once where no mail is set up.
 */
export async function invite(
  ctx: InvitationContext,
  { email: given, role }: { email: string; role: Role },
): Promise<SentInvitation> {
  authorize(ctx, manageMembers)
  const { account } = ctx
  ctx.outbox?.requireRoom()
  const email = requireUserAddress(given)
  const link = newLink(ctx)
  const id = await transact(ctx.db, async (client) => {
    requireMayManage(await lockMembersAs(client, ctx, account.id), role)
    await revokeInvitationsTo(client, { accountId: account.id, email, now: ctx.now })
    await requireRoom(client, account.id, email)
    await countInvitation(ctx, client, email)
    const { token, expiresAt } = link
    const row = { tokenHash: hashToken(token), accountId: account.id, email, role, invitedBy: ctx.user.id }
    const id = ctx.ids.seal('invitation', await insertInvitation(client, { ...row, now: ctx.now, expiresAt }))
    await recordAudit(client, ctx, {
      accountId: account.id,
      action: 'invitation.created',
      target: id,
      details: { role },
    })
    return id
  })
  return deliver(ctx, { id, email, role, ...link })
}

function newLink({ now }: InvitationContext) {
  return { token: newToken(), expiresAt: new Date(now.getTime() + linkLifeMs.invitation) }
}

/** Counted in the transaction: an invitation that is refused, or that changed nothing, does not count. */
async function countInvitation(ctx: InvitationContext, client: Client, email: string): Promise<void> {
  const attempts = { db: client, signer: ctx.signer, now: ctx.now }
  const attempt = { address: ctx.address, account: ctx.account.id, email }
  await takeAttempt(attempts, 'invitation', attempt)
  // Any stranger can have an account without a plan, and a mail goes out under this installation's name.
  if (!ctx.outbox || ctx.account.accessOpen) return
  await takeAttempt(attempts, 'free_invitation', attempt)
  await takeAttempt(attempts, 'free_invitation_of_the_day', attempt)
}

async function requireRoom(client: Client, accountId: number, email: string): Promise<void> {
  const facts = await selectInvitationFacts(client, accountId, email)
  if (facts.is_member) throw new Refusal('already_member', 'This person is a member already.', { param: 'email' })
  if (facts.open >= maxOpenInvitations || facts.open + facts.members >= maxMembers)
    throw new Refusal(
      'too_many_members',
      `An account has at most ${maxMembers} members and ${maxOpenInvitations} open invitations; revoke some first.`,
    )
}

/** Gives an invitation a new link, for another three days; the link before ends. */
export async function sendInvitationAgain(ctx: InvitationContext, invitationId: string): Promise<SentInvitation> {
  ctx.outbox?.requireRoom()
  const link = newLink(ctx)
  const { email, role } = await changeInvitation(
    ctx,
    { id: invitationId, action: 'invitation.sent_again' },
    async (client, invitation) => {
      await countInvitation(ctx, client, requireUserAddress(invitation.email))
      await renewInvitation(client, { id: invitation.id, tokenHash: hashToken(link.token), expiresAt: link.expiresAt })
    },
  )
  return deliver(ctx, { id: invitationId, email, role, ...link })
}

/** Ends an invitation that was not accepted; its link no longer works. */
export async function cancelInvitation(ctx: InvitationsContext, invitationId: string): Promise<void> {
  const change = { id: invitationId, action: 'invitation.revoked' } as const
  await changeInvitation(ctx, change, async (client, { id }) => {
    await revokeInvitation(client, id, ctx.now)
  })
}

function changeInvitation(
  ctx: InvitationsContext,
  { id, action }: { id: string; action: `invitation.${string}` },
  change: (client: Client, invitation: InvitationToChange) => Promise<void>,
): Promise<InvitationToChange> {
  authorize(ctx, manageMembers)
  const accountId = ctx.account.id
  return transact(ctx.db, async (client) => {
    const actorRole = await lockMembersAs(client, ctx, accountId)
    const opened = ctx.ids.open(id)
    const invitation =
      opened?.kind === 'invitation' ? await selectInvitation(client, accountId, opened.value) : undefined
    if (!invitation) throw new Refusal('invitation_not_found', 'There is no such invitation, or it has ended.')
    requireMayManage(actorRole, invitation.role)
    await change(client, invitation)
    await recordAudit(client, ctx, { accountId, action, target: id, details: { role: invitation.role } })
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

function deliver(
  { outbox, publicUrl, user, account }: InvitationContext,
  { id, email, role, token, expiresAt }: NewLink,
): SentInvitation {
  outbox?.send(async () => ({
    to: email,
    ...invitationLetter({ publicUrl, token, accountName: account.name, inviter: user.name }),
  }))
  return {
    id,
    email,
    role,
    expires_at: expiresAt.toISOString(),
    delivery: outbox ? 'mail' : 'link',
    // Where mail is set up, the link proves that the address is theirs: only its owner may see it.
    link: outbox ? null : linkUrl(publicUrl, token),
  }
}
