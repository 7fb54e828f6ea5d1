import { ApiFailure } from '#api/failure.ts'
import type { Verdict } from '#lib/reveal/reveal-run.ts'

/** A longer wait is not for somebody who watches a progress bar. */
const longestWaitMs = 30_000

/** What to do when a step of a reveal failed. A try that was lost may have been carried out: it is repeated with its key. */
export function judgeRevealError(error: unknown): Verdict {
  if (!(error instanceof ApiFailure)) return { kind: 'fail' }
  const { code, status, retryAfterMs } = error
  if (code === 'no_revealable_contacts') return { kind: 'nobody' }
  const isPassing =
    code === 'unreachable' || code === 'idempotency_in_progress' || code === 'rate_limit_exceeded' || status === 503
  // A limit of the period names the seconds until the period ends.
  if (!isPassing || (retryAfterMs ?? 0) > longestWaitMs) return { kind: 'fail' }
  return { kind: 'retry', afterMs: retryAfterMs }
}
