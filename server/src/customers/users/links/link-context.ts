import type { Client, Pool } from '../../../foundation/db/pool.ts'
import type { IdSealer } from '../../../foundation/kernel/ids.ts'
import type { Signer } from '../../../foundation/kernel/signer.ts'
import { recognised } from '../../auth/actor.ts'
import { recordAudit } from '../../auth/audit.ts'
import type { Role } from '../../auth/roles.ts'
import { type RegisteredUser, selectUser } from '../queries.ts'
import { type Browser, beginSession } from '../sessions/sessions.ts'
import { invalidLinkError } from './links.ts'

export interface LinkContext {
  db: Pool
  ids: IdSealer
  signer: Signer
  now: Date
  browser: Browser
  /** The user who is signed in already; null for none. */
  userId: number | null
  /** The hash of the session's token that the browser had; a new session replaces it. */
  replacedToken: Buffer | null
}

/** The result of opening a link, or the next step. */
export interface OpenedLink {
  /** `sign_in`: it signs the user in, or has done so. The others wait for a password. */
  purpose: 'sign_in' | 'set_password' | 'invitation' | 'sign_up'
  email: string
  name: string | null
  /** The account that an invitation is for, or that a sign-up creates. */
  account: { name: string; role: Role } | null
  needsName: boolean
  /** An invitation: a user who exists signs in first, and then opens the link again. */
  needsSignIn: boolean
  /** The token of the new session; null without one. */
  sessionToken: string | null
}

/** Begins the session of the user of a link, in its transaction. */
export async function startLinkSession(
  client: Client,
  ctx: LinkContext,
  userId: number,
  purpose: string,
): Promise<OpenedLink> {
  const user = recognised(userId, { address: ctx.browser.address, now: ctx.now })
  await recordAudit(client, user, { accountId: null, action: 'link.used', details: { purpose } })
  const sessionToken = await beginSession(client, ctx, userId, 'link')
  return signedIn((await selectUser(client, userId))!, sessionToken)
}

export function signedIn({ email, name }: RegisteredUser, sessionToken: string | null): OpenedLink {
  return { purpose: 'sign_in', email, name, account: null, needsName: false, needsSignIn: false, sessionToken }
}

/** Throws for a user who was removed with their links, a moment ago. */
export async function requireLinkedUser({ db }: LinkContext, id: number): Promise<RegisteredUser> {
  const user = await selectUser(db, id)
  if (!user) throw invalidLinkError()
  return user
}
