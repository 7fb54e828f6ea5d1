import { transact } from '../../db/pool.ts'
import { countFailures } from '../attempts.ts'
import { acceptAsNewPerson, lookAtInvitation, openInvitation } from '../invitations/accept-invitation.ts'
import { hashNewPassword, setPasswordAnew } from '../passwords/set-password.ts'
import { lockCredentials } from '../queries.ts'
import { completeSignUp, openSignUp } from '../sign-up/sign-up.ts'
import { hashToken } from '../tokens.ts'
import { type LinkContext, type OpenedLink, requireLinkedPerson, startLinkSession } from './link-context.ts'
import { invalidLinkError } from './links.ts'
import { type LinkPurpose, selectSignInLink, useSignInLink } from './queries.ts'

export interface ChosenPassword {
  token: string
  password: string
  /** Null to keep the person's name. */
  name: string | null
}

/** Looks at a link, and changes nothing. */
export function lookAtLink(ctx: LinkContext, token: string): Promise<OpenedLink> {
  return countingFailures(ctx, async () => {
    const seen =
      (await lookAtOwnLink(ctx, token)) ?? (await lookAtInvitation(ctx, token)) ?? (await openSignUp(ctx, token))
    if (!seen) throw invalidLinkError()
    return seen
  })
}

/** Opens a link: one that signs in is used up, one that waits for a password is only looked at. */
export function openLink(ctx: LinkContext, token: string): Promise<OpenedLink> {
  return countingFailures(ctx, async () => {
    const opened =
      (await openOwnLink(ctx, token)) ?? (await openInvitation(ctx, token)) ?? (await openSignUp(ctx, token))
    if (!opened) throw invalidLinkError()
    return opened
  })
}

/** Sets the password that a link waits for, and signs the person in. */
export function setPasswordByLink(ctx: LinkContext, chosen: ChosenPassword): Promise<OpenedLink> {
  return countingFailures(ctx, async () => {
    const opened =
      (await setOwnPassword(ctx, chosen)) ??
      (await acceptAsNewPerson(ctx, chosen)) ??
      (await completeSignUp(ctx, chosen))
    if (!opened) throw invalidLinkError()
    return opened
  })
}

async function lookAtOwnLink(ctx: LinkContext, token: string): Promise<OpenedLink | null> {
  const link = await selectSignInLink(ctx.db, hashToken(token), ctx.now)
  if (!link) return null
  const { email, name } = await requireLinkedPerson(ctx, link.person_id)
  const waiting = { account: null, needsName: false, needsSignIn: false, sessionToken: null }
  return { purpose: link.purpose, email, name, ...waiting }
}

async function openOwnLink(ctx: LinkContext, token: string): Promise<OpenedLink | null> {
  const link = await selectSignInLink(ctx.db, hashToken(token), ctx.now)
  if (link?.purpose !== 'sign_in') return lookAtOwnLink(ctx, token)
  return useOwnLink(ctx, { token, purpose: 'sign_in', personId: link.person_id })
}

async function setOwnPassword(ctx: LinkContext, { token, password, name }: ChosenPassword): Promise<OpenedLink | null> {
  const link = await selectSignInLink(ctx.db, hashToken(token), ctx.now)
  if (link?.purpose !== 'set_password') return null
  const person = await requireLinkedPerson(ctx, link.person_id)
  const hash = await hashNewPassword(password, {
    email: person.email,
    name: name ?? person.name,
    address: ctx.browser.address,
  })
  return useOwnLink(ctx, { token, purpose: 'set_password', personId: person.id }, { hash, name })
}

function useOwnLink(
  ctx: LinkContext,
  { token, purpose, personId }: { token: string; purpose: LinkPurpose; personId: number },
  chosen: { hash: string; name: string | null } | null = null,
): Promise<OpenedLink> {
  const { db, ids, now, browser } = ctx
  return transact(db, async (client) => {
    await lockCredentials(client, personId)
    const link = await useSignInLink(client, { tokenHash: hashToken(token), purpose, now })
    if (!link) throw invalidLinkError()
    if (chosen) {
      const publicId = ids.seal('person', personId)
      await setPasswordAnew(client, { personId, publicId, ...chosen, address: browser.address, now })
    }
    return startLinkSession(client, ctx, personId, purpose)
  })
}

/** Counts attempts with links that cannot be used, so that nobody can search for tokens. */
function countingFailures<T>(ctx: LinkContext, work: () => Promise<T>): Promise<T> {
  const attempt = { address: ctx.browser.address }
  // A weak password is no attempt to guess a link.
  return countFailures(ctx, { kind: 'link', attempt, failure: 'invalid_link' }, work)
}
