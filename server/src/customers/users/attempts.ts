import type { Queryable } from '../../foundation/db/pool.ts'
import { type ConsoleErrorCode, Refusal } from '../../foundation/kernel/errors.ts'
import { mailboxOf } from '../../foundation/kernel/mail/mailbox.ts'
import type { Signer } from '../../foundation/kernel/signer.ts'
import { networkOf } from '../../foundation/kernel/text/networks.ts'
import { sleepUnlessStopped } from '../../foundation/runtime/timing.ts'
import { type AttemptWindow, countAttempt, uncountAttempt, type WindowLength } from './attempt-queries.ts'

interface AttemptContext {
  db: Queryable
  signer: Signer
  now: Date
}

/** What attempts are counted by. The narrow windows come first, so that the wide ones are hard for a stranger to fill. */
interface Attempt {
  /** The network address of the browser. */
  address?: string
  /** The email address that was given, or that of the user who is signed in. */
  email?: string
  /** The id of a browser that signed this user in before. */
  browser?: string
  /** The session that asks. */
  session?: number
  /** The account that asks. */
  account?: number
}
type Subject = 'address' | 'person' | 'person and address' | 'browser' | 'session' | 'account' | 'account and person'

/**
 * How many attempts of a kind fit into a window of 15 minutes. A window that a stranger can fill for a user is
 * wide, or has one beside it that the stranger does not reach.
 */
const bounds = {
  sign_in: [
    ['address', 50],
    ['person and address', 10],
    ['person', 100],
  ],
  /** From a browser that signed the user in before; what strangers do does not count here. */
  known_sign_in: [
    ['browser', 10],
    ['person', 100],
  ],
  /** Only counted: a day cannot have as many. */
  sign_in_as_nobody: [['address', 1_000_000_000]],
  reauthentication: [['session', 10]],
  link: [['address', 50]],
  /** Challenges count even when they lead to a sign-in: each is a row. */
  challenge: [['address', 200]],
  password_change: [['person', 5]],
  /** Each counted one has put a link into the mailbox, so its owner has what they need. */
  password_mail: [
    ['address', 20],
    ['person', 3],
  ],
  known_password_mail: [
    ['browser', 3],
    ['person', 9],
  ],
  sign_up: [
    ['address', 20],
    ['person', 3],
  ],
  /** By an account and the invited address, so that no account uses up the invitations of another. */
  invitation: [
    ['address', 50],
    ['account and person', 5],
  ],
  /** By an account without a plan, which any stranger can have: all of them together write to a mailbox this often. */
  free_invitation: [
    ['address', 50],
    ['person', 5],
  ],
  free_invitation_of_the_day: [['account', 5]],
} as const satisfies Record<string, readonly (readonly [Subject, number])[]>
export type AttemptKind = keyof typeof bounds

const lengths: Partial<Record<AttemptKind, WindowLength>> = {
  free_invitation_of_the_day: '1 day',
  sign_in_as_nobody: '1 day',
}
const lengthMs: Record<WindowLength, number> = { '15 minutes': 15 * 60_000, '1 day': 86_400_000 }

export interface CountedAttempt {
  /** Takes the attempt back. If the database does not answer, it is taken back once it does. */
  undo(db: Queryable): Promise<void>
}

/**
 * Counts an attempt before it is judged, so that many at once are bounded, too: in all of its windows, or in none if one
 * of them is full. Refuses it with the same words whichever is full, and whether or not there is such a user.
 */
export async function takeAttempt(ctx: AttemptContext, kind: AttemptKind, attempt: Attempt): Promise<CountedAttempt> {
  const length = lengths[kind] ?? '15 minutes'
  const windows = bounds[kind].flatMap(([by, limit]): AttemptWindow[] => {
    const text = textOf(attempt, by)
    if (text === null) return []
    const subject = Buffer.from(ctx.signer.sign(`attempts of ${kind} by ${by}`, text), 'base64url')
    return [{ kind: `${kind} by ${by}`, subject, limit }]
  })
  const rows = await countAttempt(ctx.db, windows, { now: ctx.now, length })
  const counted = windows.flatMap(({ kind: name, subject }) => {
    const row = rows.find((each) => each.kind === name)
    return row?.counted && row.started_at ? [{ kind: name, subject, startedAt: row.started_at }] : []
  })
  const undo = (db: Queryable) => giveBack(() => uncountAttempt(db, counted))
  if (counted.length === windows.length) return { undo }
  if (counted.length > 0) await undo(ctx.db)
  const full = rows.filter((row) => !row.counted).map((row) => (row.started_at ?? ctx.now).getTime() + lengthMs[length])
  throw tooManyAttemptsError(Math.max(...full) - ctx.now.getTime())
}

/**
 * Runs `work` as an attempt that counts only if it fails with `failure`, such as a wrong password. Any other outcome gives
 * it back: success, a 503, a database that does not answer. Failures of the service must lock no user out.
 */
export async function countFailures<T>(
  ctx: AttemptContext,
  { kind, attempt, failure }: { kind: AttemptKind; attempt: Attempt; failure: ConsoleErrorCode },
  work: () => Promise<T>,
): Promise<T> {
  const counted = await takeAttempt(ctx, kind, attempt)
  let isFailure = false
  try {
    return await work()
  } catch (error) {
    isFailure = error instanceof Refusal && error.code === failure
    throw error
  } finally {
    if (!isFailure) await counted.undo(ctx.db)
  }
}

function textOf({ address, email, browser, session, account }: Attempt, by: Subject): string | null {
  const network = address === undefined ? null : networkOf(address)
  const mailbox = email === undefined ? null : mailboxOf(email)
  const parts: Record<Subject, readonly (string | number | null | undefined)[]> = {
    address: [network],
    person: [mailbox],
    'person and address': [mailbox, network],
    browser: [browser, mailbox],
    session: [session],
    account: [account],
    'account and person': [account, mailbox],
  }
  const texts = parts[by]
  return texts.some((text) => text === null || text === undefined) ? null : texts.join(' ')
}

/** Longer than a window together: later there is nothing to give back. */
const pausesMs = [1_000, 5_000, 15_000, ...Array<number>(15).fill(60_000)]
const neverStopped = new AbortController().signal

async function giveBack(uncount: () => Promise<void>): Promise<void> {
  try {
    await uncount()
  } catch {
    void retryInBackground(uncount)
  }
}

async function retryInBackground(work: () => Promise<void>): Promise<void> {
  for (const pauseMs of pausesMs) {
    await sleepUnlessStopped(pauseMs, neverStopped)
    const isDone = await work().then(
      () => true,
      () => false,
    )
    if (isDone) return
  }
}

function tooManyAttemptsError(waitMs: number): Refusal {
  return new Refusal('rate_limit_exceeded', 'There were too many attempts; try again in a few minutes.', {
    param: 'attempts',
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
  })
}
