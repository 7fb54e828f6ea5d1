import { type Pool, transact } from '../../db/pool.ts'
import { ApiError } from '../../kernel/errors.ts'
import type { Signer } from '../../kernel/signer.ts'
import { takeAttempt } from '../attempts.ts'
import { recordAudit } from '../audit.ts'
import { findPersonByEmail, foldEmail } from '../person.ts'
import { lockPassword, selectPerson } from '../queries.ts'
import { deleteSessionByToken, updateSignedInAt } from '../sessions/queries.ts'
import { type Browser, createSession } from '../sessions/sessions.ts'
import { passwordHasher } from './hasher.ts'

export interface SignInContext {
  db: Pool
  signer: Signer
  now: Date
  browser: Browser
}

/**
 * Signs a person in by password. Returns the token of a new session; the session that the browser had ends. Whether the
 * address or the password is wrong cannot be told from the answer nor from the work done for it.
 */
export async function signInByPassword(
  ctx: SignInContext,
  { email, password, replacedToken }: { email: string; password: string; replacedToken: Buffer | null },
): Promise<string> {
  const { db, now, browser } = ctx
  const attempt = await takeAttempt(ctx, 'sign_in', { address: browser.address, email: foldEmail(email) })
  const person = await findPersonByEmail(db, email)
  const audit = { accountId: null, address: browser.address, at: now }
  if (!(await passwordHasher.verify(password, person?.password_hash ?? null))) {
    await recordAudit(db, { ...audit, personId: person?.id ?? null, action: 'sign_in.failed' })
    throw wrongPasswordError()
  }
  const personId = person!.id
  return transact(db, async (client) => {
    // The password may have been changed while it was verified.
    if (!(await lockPassword(client, personId, person!.password_hash!))) throw wrongPasswordError()
    await attempt.undo(client)
    if (replacedToken) await deleteSessionByToken(client, replacedToken)
    await recordAudit(client, { ...audit, personId, action: 'session.created', details: { by: 'password' } })
    return createSession(client, { personId, browser, now })
  })
}

function wrongPasswordError(): ApiError {
  return new ApiError('sign_in_failed', 'The email address or the password is wrong.')
}

/** Checks the password of somebody who is signed in; the session then counts as freshly signed in. */
export async function reauthenticateByPassword(
  ctx: SignInContext,
  { personId, email, sessionId, password }: { personId: number; email: string; sessionId: number; password: string },
): Promise<void> {
  const { db, now, browser } = ctx
  const attempt = await takeAttempt(ctx, 'sign_in', { address: browser.address, email })
  const person = await selectPerson(db, personId)
  const audit = { accountId: null, personId, address: browser.address, at: now }
  if (!(await passwordHasher.verify(password, person?.password_hash ?? null))) {
    await recordAudit(db, { ...audit, action: 'sign_in.failed' })
    throw new ApiError('sign_in_failed', 'The password is wrong.')
  }
  await transact(db, async (client) => {
    await attempt.undo(client)
    await updateSignedInAt(client, sessionId, now)
    await recordAudit(client, { ...audit, action: 'session.confirmed', details: { by: 'password' } })
  })
}
