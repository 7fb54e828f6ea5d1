import { type Pool, transact } from '../../../foundation/db/pool.ts'
import { Refusal } from '../../../foundation/kernel/errors.ts'
import type { Signer } from '../../../foundation/kernel/signer.ts'
import { type Access, authorize } from '../../auth/access.ts'
import { recognised } from '../../auth/actor.ts'
import { recordAudit } from '../../auth/audit.ts'
import type { UserContext } from '../../auth/signed-in.ts'
import { countFailures, takeAttempt } from '../attempts.ts'
import { lockPassword, selectUser } from '../queries.ts'
import { updateSignedInAt } from '../sessions/queries.ts'
import { type Browser, beginSession } from '../sessions/sessions.ts'
import { findUserByEmail } from '../user.ts'
import { passwordHasher } from './hasher.ts'

interface SignInContext {
  db: Pool
  signer: Signer
  now: Date
  browser: Browser
}

interface GivenCredentials {
  /** A plain address. */
  email: string
  password: string
  /** The id of the browser, if it signed this user in before. */
  knownBrowser: string | null
  replacedToken: Buffer | null
}

/**
 * Signs a user in by password. Returns the token of a new session; the session that the browser had ends. Whether the
 * address or the password is wrong cannot be told from the answer nor from the work done for it.
 */
export function signInByPassword(ctx: SignInContext, given: GivenCredentials): Promise<string> {
  const { email, knownBrowser } = given
  const { address } = ctx.browser
  const counted =
    knownBrowser === null
      ? ({ kind: 'sign_in', attempt: { address, email } } as const)
      : ({ kind: 'known_sign_in', attempt: { browser: knownBrowser, email } } as const)
  return countFailures(ctx, { ...counted, failure: 'sign_in_failed' }, () => checkAndSignIn(ctx, given))
}

async function checkAndSignIn(
  ctx: SignInContext,
  { email, password, replacedToken }: GivenCredentials,
): Promise<string> {
  const { db, now } = ctx
  const { address } = ctx.browser
  const user = await findUserByEmail(db, email)
  if (!(await passwordHasher.verify(password, user?.password_hash ?? null, { email, address }))) {
    // An unknown address is only counted, with as much work, so that strangers cannot fill the audit log.
    if (user)
      await recordAudit(db, recognised(user.id, { address, now }), { accountId: null, action: 'sign_in.failed' })
    else await takeAttempt(ctx, 'sign_in_as_nobody', { address })
    throw wrongPasswordError()
  }
  const userId = user!.id
  return transact(db, async (client) => {
    // The password may have been changed while it was verified.
    if (!(await lockPassword(client, userId, user!.password_hash!))) throw wrongPasswordError()
    return beginSession(client, { ...ctx, replacedToken }, userId, 'password')
  })
}

function wrongPasswordError(): Refusal {
  return new Refusal('sign_in_failed', 'The email address or the password is wrong.')
}

export const confirmSession: Access = { person: true, kind: 'session' }

/**
 * Checks the password of a signed-in user; the session then counts as freshly signed in. It has a window of its
 * own, so that a user whose password is being guessed can still rotate keys and remove members.
 */
export function reauthenticateByPassword(ctx: UserContext & { signer: Signer }, password: string): Promise<void> {
  authorize(ctx, confirmSession)
  const attempt = { session: ctx.session.id }
  return countFailures(ctx, { kind: 'reauthentication', attempt, failure: 'sign_in_failed' }, () =>
    confirmPassword(ctx, password),
  )
}

async function confirmPassword(ctx: UserContext, password: string): Promise<void> {
  const { db, now, address, session } = ctx
  const { id, email } = ctx.user
  const user = await selectUser(db, id)
  if (!(await passwordHasher.verify(password, user?.password_hash ?? null, { email, address }))) {
    await recordAudit(db, ctx, { accountId: null, action: 'sign_in.failed' })
    throw new Refusal('sign_in_failed', 'The password is wrong.')
  }
  await transact(db, async (client) => {
    await updateSignedInAt(client, session.id, now)
    await recordAudit(client, ctx, { accountId: null, action: 'session.confirmed', details: { by: 'password' } })
  })
}
