import { type Client, type Pool, transact } from '../../../foundation/db/pool.ts'
import { Refusal } from '../../../foundation/kernel/errors.ts'
import type { IdSealer } from '../../../foundation/kernel/ids.ts'
import { readUserAddress } from '../../../foundation/kernel/mail/user-address.ts'
import { recognised } from '../../auth/actor.ts'
import { recordAudit } from '../../auth/audit.ts'
import { createChallenge, takeChallenge } from '../challenges/challenges.ts'
import { endAllCredentials } from '../credentials/end-credentials.ts'
import { noticeNewCredential } from '../credentials/notices.ts'
import type { Outbox } from '../outbox.ts'
import { lockCredentials, type RegisteredUser, shareCredentials } from '../queries.ts'
import { type Browser, beginSession } from '../sessions/sessions.ts'
import type { UsersSettings } from '../settings.ts'
import { createOwner } from '../sign-up/sign-up.ts'
import { newToken } from '../tokens.ts'
import { findUserByEmail } from '../user.ts'
import type { Expectations, OpenIdProvider, ProvidedIdentity } from './provider.ts'
import { bindSubject, selectUserBySubject } from './queries.ts'

export interface OpenIdContext {
  db: Pool
  ids: IdSealer
  now: Date
  browser: Browser
  provider: OpenIdProvider
  signup: UsersSettings['signup']
  publicUrl: string
  /** Null where no mail is set up. */
  outbox: Outbox | null
  /** The hash of the session's token that the browser had; that session ends. */
  replacedToken: Buffer | null
}

const purpose = 'openid'
/** The time limit for signing in at the provider. */
export const openIdLifeMs = 15 * 60_000

interface StoredExpectations extends Expectations {
  /** The path to go to afterwards. */
  next: string
}

/**
 * Begins a sign-in: where to send the browser, and the token that it keeps in a cookie, so that no other browser can finish
 * it there.
 */
export async function startOpenIdSignIn(
  { db, now, provider }: Pick<OpenIdContext, 'db' | 'now' | 'provider'>,
  next: string,
): Promise<{ url: URL; token: string }> {
  const { url, expectations } = await provider.start()
  const token = newToken()
  const content = JSON.stringify({ ...expectations, next } satisfies StoredExpectations)
  await createChallenge(db, { token, purpose, userId: null, content, lifeMs: openIdLifeMs, now })
  return { url, token }
}

/** Finishes a sign-in by the query with which the browser returned. Returns the new session's token and where to go. */
export async function finishOpenIdSignIn(
  ctx: OpenIdContext,
  { token, query }: { token: string; query: string },
): Promise<{ sessionToken: string; email: string; next: string }> {
  const challenge = await takeChallenge(ctx.db, { token, purpose, now: ctx.now })
  if (!challenge) throw refusedError('the sign-in was finished already or took too long')
  const { next, ...expectations } = JSON.parse(challenge.content) as StoredExpectations
  const identity = await ctx.provider.finish(query, expectations).catch((cause: unknown) => {
    throw cause instanceof Refusal ? cause : refusedError(cause)
  })
  return { ...(await signInAs(ctx, identity)), next }
}

/** The user whose session began, and its token. */
interface NewSession {
  sessionToken: string
  email: string
}

async function signInAs(ctx: OpenIdContext, identity: ProvidedIdentity): Promise<NewSession> {
  const { issuer, subject } = identity
  const bound = await selectUserBySubject(ctx.db, issuer, subject)
  if (bound) return transact(ctx.db, (client) => startSession(ctx, client, bound))
  const email = identity.isEmailVerified && identity.email !== null ? readUserAddress(identity.email) : null
  if (email === null) throw refusedError('the provider verified no plain email address')
  const user = await findUserByEmail(ctx.db, email)
  if (user) {
    ctx.outbox?.requireRoom()
    const session = await transact(ctx.db, (client) => bindAndSignIn(ctx, client, user, identity))
    noticeNewCredential(ctx, user.email, 'provider')
    return session
  }
  if (ctx.signup !== 'open') throw refusedError('nobody here has this email address')
  const name =
    identity.name
      ?.replace(/[\p{C}\p{Z}]+/gu, ' ')
      .trim()
      .slice(0, 200) || email
  return createOwner({ ...ctx, address: ctx.browser.address }, { email, name, accountName: name }, (client, created) =>
    bindAndSignIn(ctx, client, created, identity),
  )
}

/**
 * The provider is the first to say that the address is this user's. A stranger with the link that made the user
 * may have set the password or a passkey, so neither stays.
 */
async function bindAndSignIn(
  ctx: OpenIdContext,
  client: Client,
  user: RegisteredUser,
  { issuer, subject }: ProvidedIdentity,
): Promise<NewSession> {
  const { id } = user
  await lockCredentials(client, id)
  if (!(await bindSubject(client, { userId: id, issuer, subject })))
    throw refusedError('another account at the provider is bound to this person')
  await endAllCredentials(client, { userId: id, password: 'ends', now: ctx.now })
  const target = ctx.ids.seal('person', id)
  const actor = recognised(id, { address: ctx.browser.address, now: ctx.now })
  await recordAudit(client, actor, { accountId: null, action: 'openid.bound', target })
  return startSession(ctx, client, user)
}

async function startSession(
  ctx: OpenIdContext,
  client: Client,
  { id: userId, email }: RegisteredUser,
): Promise<NewSession> {
  if (!(await shareCredentials(client, userId))) throw refusedError('the person was removed')
  return { sessionToken: await beginSession(client, ctx, userId, 'openid'), email }
}

/** The log gets the cause; the browser comes from another site and gets a page. */
function refusedError(cause: unknown): Refusal {
  return new Refusal('sign_in_failed', 'Signing in with the provider failed; try again.', {
    cause: typeof cause === 'string' ? new Error(cause) : cause,
  })
}
