import type { Queryable } from '../../../foundation/db/pool.ts'
import { hashToken } from '../tokens.ts'
import { type ChallengeRow, deleteChallenge, insertChallenge } from './queries.ts'

/** The purpose of a challenge; each has challenges of its own. */
export type ChallengePurpose = 'passkey_sign_in' | 'passkey_registration' | 'openid' | 'sign_up'

interface NewChallenge {
  /** The browser's half; only its hash is stored. */
  token: string
  purpose: ChallengePurpose
  /** The user; null for a browser that is not signed in. */
  userId: number | null
  content: string
  lifeMs: number
  now: Date
}

export function createChallenge(db: Queryable, challenge: NewChallenge): Promise<void> {
  const { token, purpose, userId, content, lifeMs, now } = challenge
  return insertChallenge(db, {
    id: hashToken(token),
    purpose,
    userId,
    content,
    expiresAt: new Date(now.getTime() + lifeMs),
  })
}

/** Uses a challenge up; undefined when it was used, has expired or never existed. */
export function takeChallenge(
  db: Queryable,
  { token, purpose, now }: { token: string; purpose: ChallengePurpose; now: Date },
): Promise<ChallengeRow | undefined> {
  return deleteChallenge(db, { id: hashToken(token), purpose, now })
}
