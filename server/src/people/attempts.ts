import { networkOf } from '../auth/key-directory.ts'
import type { Queryable } from '../db/pool.ts'
import { ApiError } from '../kernel/errors.ts'
import type { Signer } from '../kernel/signer.ts'
import { type AttemptWindow, countAttempt, uncountAttempt } from './attempt-queries.ts'

interface AttemptContext {
  db: Queryable
  signer: Signer
  now: Date
}

/** What an attempt is, and how many of it an address and a person may make in a window of 15 minutes. */
const bounds = {
  sign_in: { address: 50, person: 10 },
  link: { address: 50 },
  /** Challenges count even when they lead to a sign-in: each is a row. */
  challenge: { address: 200 },
  password_mail: { address: 20, person: 3 },
  sign_up: { address: 20, person: 3 },
  /** By the address that is invited, whoever invites it. */
  invitation: { address: 50, person: 5 },
} as const satisfies Record<string, { address: number; person?: number }>
type AttemptKind = keyof typeof bounds

const windowMs = 15 * 60_000

interface Attempt {
  /** The network address of the browser. */
  address: string
  /** The email address that was given; nothing when none was. */
  email?: string
}

export interface CountedAttempt {
  /** Takes the attempt back, because it succeeded: only failures may lock somebody out. */
  undo(db: Queryable): Promise<void>
}

/**
 * Counts an attempt before it is judged, so that many at once are bounded, too. Refuses it with the same words whether
 * the address or the person made too many, and whether or not there is such a person.
 */
export async function takeAttempt(ctx: AttemptContext, kind: AttemptKind, attempt: Attempt): Promise<CountedAttempt> {
  const windowOf = (by: 'address' | 'person', text: string, limit: number): AttemptWindow => ({
    kind: `${kind} by ${by}`,
    subject: Buffer.from(ctx.signer.sign(`attempts of ${kind} by ${by}`, text), 'base64url'),
    limit,
  })
  const { address: byAddress, person: byPerson }: { address: number; person?: number } = bounds[kind]
  const windows = [windowOf('address', networkOf(attempt.address), byAddress)]
  if (attempt.email !== undefined && byPerson !== undefined) windows.push(windowOf('person', attempt.email, byPerson))
  const rows = await countAttempt(ctx.db, windows, ctx.now)
  const counted = windows.flatMap(({ kind, subject }) => {
    const row = rows.find((each) => each.kind === kind)
    return row?.counted && row.started_at ? [{ kind, subject, startedAt: row.started_at }] : []
  })
  if (counted.length === windows.length) return { undo: (db) => uncountAttempt(db, counted) }
  const full = rows.filter((row) => !row.counted).map((row) => (row.started_at ?? ctx.now).getTime() + windowMs)
  throw tooManyAttemptsError(Math.max(...full) - ctx.now.getTime())
}

function tooManyAttemptsError(waitMs: number): ApiError {
  return new ApiError('rate_limit_exceeded', 'There were too many attempts; try again in a few minutes.', {
    param: 'attempts',
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
  })
}
