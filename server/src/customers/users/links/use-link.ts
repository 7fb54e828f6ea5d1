import { transact } from '../../../foundation/db/pool.ts'
import { recognised } from '../../auth/actor.ts'
import { countFailures } from '../attempts.ts'
import { acceptAsNewUser, lookAtInvitation, openInvitation } from '../invitations/accept-invitation.ts'
import { hashNewPassword, replacePassword } from '../passwords/set-password.ts'
import { lockCredentials } from '../queries.ts'
import { completeSignUp, openSignUp } from '../sign-up/sign-up.ts'
import { hashToken } from '../tokens.ts'
import { type LinkContext, type OpenedLink, requireLinkedUser, startLinkSession } from './link-context.ts'
import { invalidLinkError } from './links.ts'
import { type LinkPurpose, type SignInLinkRow, selectSignInLink, useSignInLink } from './queries.ts'

export interface ChosenPassword {
  token: string
  password: string
  /** Null to keep the user's name. */
  name: string | null
}

/** Looks at a link, and changes nothing. */
export function lookAtLink(ctx: LinkContext, token: string): Promise<OpenedLink> {
  return useFirst(ctx, [
    () => lookAtOwnLink(ctx, token),
    () => lookAtInvitation(ctx, token),
    () => openSignUp(ctx, token),
  ])
}

/** Opens a link: one that signs in is used up, one that waits for a password is only looked at. */
export function openLink(ctx: LinkContext, token: string): Promise<OpenedLink> {
  return useFirst(ctx, [() => openOwnLink(ctx, token), () => openInvitation(ctx, token), () => openSignUp(ctx, token)])
}

/** Sets the password that a link waits for, and signs the user in. */
export function setPasswordByLink(ctx: LinkContext, chosen: ChosenPassword): Promise<OpenedLink> {
  return useFirst(ctx, [
    () => setOwnPassword(ctx, chosen),
    () => acceptAsNewUser(ctx, chosen),
    () => completeSignUp(ctx, chosen),
  ])
}

/** Takes a token as each kind of link in turn. Counts invalid tokens, so that they cannot be guessed. */
function useFirst(ctx: LinkContext, kinds: readonly (() => Promise<OpenedLink | null>)[]): Promise<OpenedLink> {
  const attempt = { address: ctx.browser.address }
  // A weak password is no attempt to guess a link.
  return countFailures(ctx, { kind: 'link', attempt, failure: 'invalid_link' }, async () => {
    for (const use of kinds) {
      const opened = await use()
      if (opened) return opened
    }
    throw invalidLinkError()
  })
}

async function lookAtOwnLink(ctx: LinkContext, token: string): Promise<OpenedLink | null> {
  const link = await selectSignInLink(ctx.db, hashToken(token), ctx.now)
  return link ? describeOwnLink(ctx, link) : null
}

async function openOwnLink(ctx: LinkContext, token: string): Promise<OpenedLink | null> {
  const link = await selectSignInLink(ctx.db, hashToken(token), ctx.now)
  if (!link) return null
  if (link.purpose !== 'sign_in') return describeOwnLink(ctx, link)
  return useOwnLink(ctx, { token, purpose: 'sign_in', userId: link.person_id })
}

async function describeOwnLink(ctx: LinkContext, { purpose, person_id: userId }: SignInLinkRow): Promise<OpenedLink> {
  const { email, name } = await requireLinkedUser(ctx, userId)
  return { purpose, email, name, account: null, needsName: false, needsSignIn: false, sessionToken: null }
}

async function setOwnPassword(ctx: LinkContext, { token, password, name }: ChosenPassword): Promise<OpenedLink | null> {
  const link = await selectSignInLink(ctx.db, hashToken(token), ctx.now)
  if (link?.purpose !== 'set_password') return null
  const user = await requireLinkedUser(ctx, link.person_id)
  const hash = await hashNewPassword(password, {
    email: user.email,
    name: name ?? user.name,
    address: ctx.browser.address,
  })
  return useOwnLink(ctx, { token, purpose: 'set_password', userId: user.id }, { hash, name })
}

function useOwnLink(
  ctx: LinkContext,
  { token, purpose, userId }: { token: string; purpose: LinkPurpose; userId: number },
  chosen: { hash: string; name: string | null } | null = null,
): Promise<OpenedLink> {
  const { db, ids, now, browser } = ctx
  return transact(db, async (client) => {
    await lockCredentials(client, userId)
    const link = await useSignInLink(client, { tokenHash: hashToken(token), purpose, now })
    if (!link) throw invalidLinkError()
    if (chosen) {
      const publicId = ids.seal('person', userId)
      const user = recognised(userId, { address: browser.address, now })
      await replacePassword(client, user, { userId, publicId, ...chosen })
    }
    return startLinkSession(client, ctx, userId, purpose)
  })
}
