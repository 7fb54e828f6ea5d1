import { transact } from '../../../foundation/db/pool.ts'
import { Refusal } from '../../../foundation/kernel/errors.ts'
import { recognised } from '../../auth/actor.ts'
import { type LinkContext, type OpenedLink, signedIn, startLinkSession } from '../links/link-context.ts'
import { invalidLinkError } from '../links/links.ts'
import { hashNewPassword, replacePassword } from '../passwords/set-password.ts'
import type { RegisteredUser } from '../queries.ts'
import { hashToken } from '../tokens.ts'
import { createUser, findUserByEmail } from '../user.ts'
import { joinByInvitation } from './invitations.ts'
import { type InvitationRow, selectOpenInvitation } from './queries.ts'

interface FoundInvitation {
  invitation: InvitationRow
  /** The user who is signed in, if the invitation is for their address. */
  own: RegisteredUser | null
}

/**
 * Looks at the link of an invitation; null when it is none. Only the invited user learns if the address is known: the user
 * whose it is, signed in: everybody else sees both ways, to sign in or to choose a name and a password.
 */
export async function lookAtInvitation(ctx: LinkContext, token: string): Promise<OpenedLink | null> {
  const found = await findInvitation(ctx, token)
  return found && describeInvitation(found)
}

/** The same, and the signed-in user whose address it is for joins. */
export async function openInvitation(ctx: LinkContext, token: string): Promise<OpenedLink | null> {
  const found = await findInvitation(ctx, token)
  if (!found) return null
  const { invitation, own } = found
  if (!own) return describeInvitation(found)
  await transact(ctx.db, (client) => joinByInvitation(client, ctx, invitation, own))
  return signedIn(own, null)
}

async function findInvitation({ db, now, userId }: LinkContext, token: string): Promise<FoundInvitation | null> {
  const invitation = await selectOpenInvitation(db, hashToken(token), now)
  if (!invitation) return null
  const user = await findUserByEmail(db, invitation.email)
  return { invitation, own: user && user.id === userId ? user : null }
}

function describeInvitation({ invitation, own }: FoundInvitation): OpenedLink {
  return {
    purpose: 'invitation',
    email: invitation.email,
    name: own ? own.name : null,
    account: { name: invitation.account_name, role: invitation.role },
    needsName: !own,
    needsSignIn: !own,
    sessionToken: null,
  }
}

/** Creates the user whom an invitation is for; null when it is none. */
export async function acceptAsNewUser(
  ctx: LinkContext,
  { token, password, name }: { token: string; password: string; name: string | null },
): Promise<OpenedLink | null> {
  const { db, ids, now, browser } = ctx
  const invitation = await selectOpenInvitation(db, hashToken(token), now)
  if (!invitation) return null
  if (name === null) throw missingNameError()
  const { email } = invitation
  const hash = await hashNewPassword(password, { email, name, address: browser.address })
  return transact(db, async (client) => {
    const user = await createUser(client, { email, name, now })
    if (!user) throw invalidLinkError()
    const publicId = ids.seal('person', user.id)
    const actor = recognised(user.id, { address: browser.address, now })
    await replacePassword(client, actor, { userId: user.id, publicId, hash, name })
    await joinByInvitation(client, ctx, invitation, user)
    return startLinkSession(client, ctx, user.id, 'invitation')
  })
}

function missingNameError(): Refusal {
  return new Refusal('missing_parameter', 'name is required.', { param: 'name' })
}
