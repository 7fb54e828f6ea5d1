import type { Queryable } from '../../../foundation/db/pool.ts'
import { recognised } from '../../auth/actor.ts'
import { recordAudit } from '../../auth/audit.ts'
import { hashToken, newToken } from '../tokens.ts'
import { deleteSessionByToken, insertSession, touchSession } from './queries.ts'

const slidingMs = 14 * 86_400_000
const longestMs = 90 * 86_400_000
const seenIntervalMs = 60_000
const maxUserAgentLength = 300

/** Where a session begins. */
export interface Browser {
  address: string
  userAgent: string
}

interface SignIn {
  browser: Browser
  now: Date
  /** The hash of the session's token that the browser had; that session ends. */
  replacedToken: Buffer | null
}

/** Begins a session for a user whose identity is proven, in a transaction. Returns its token. */
export async function beginSession(
  db: Queryable,
  { browser, now, replacedToken }: SignIn,
  userId: number,
  by: 'password' | 'passkey' | 'openid' | 'link',
): Promise<string> {
  if (replacedToken) await deleteSessionByToken(db, replacedToken)
  const user = recognised(userId, { address: browser.address, now })
  await recordAudit(db, user, { accountId: null, action: 'session.created', details: { by } })
  return createSession(db, { userId, browser, now })
}

/** Creates a session. Returns the token for its cookie, which is stored nowhere. */
export async function createSession(
  db: Queryable,
  { userId, browser, now }: { userId: number; browser: Browser; now: Date },
): Promise<string> {
  const token = newToken()
  await insertSession(db, {
    tokenHash: hashToken(token),
    userId,
    now,
    expiresAt: sessionEnd(now, now),
    address: browser.address,
    // PostgreSQL stores no NUL, and the header may be as long as all headers together.
    userAgent: browser.userAgent.replaceAll('\0', '').slice(0, maxUserAgentLength),
  })
  return token
}

/** Records that a session was used, at most once a minute, which moves its end. */
export async function recordSessionUse(
  db: Queryable,
  session: { id: number; createdAt: Date; lastSeenAt: Date },
  now: Date,
): Promise<void> {
  const seenBefore = new Date(now.getTime() - seenIntervalMs)
  if (session.lastSeenAt > seenBefore) return
  await touchSession(db, { id: session.id, now, seenBefore, expiresAt: sessionEnd(session.createdAt, now) })
}

/** 14 days after the last use, and 90 days after the beginning at the latest. */
function sessionEnd(createdAt: Date, now: Date): Date {
  return new Date(Math.min(now.getTime() + slidingMs, createdAt.getTime() + longestMs))
}
