import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore } from 'react'
import type { Contact } from '#api/catalogue.ts'
import { call, randomKey } from '#api/client.ts'
import { pause } from '#api/connection.ts'
import { ApiFailure } from '#api/failure.ts'
import type { Verdict } from '#lib/reveal-run.ts'
import { RevealRun, type RunState } from '#lib/reveal-run.ts'
import { markRevealed } from './api.ts'

interface UsedRun {
  state: RunState<Contact>
  start: () => void
  stop: () => void
}

/** A reveal of these people, which begins with `start`. It stops when the page that shows it is left. */
export function useRevealRun(account: string, ids: readonly string[]): UsedRun {
  const client = useQueryClient()
  const [run] = useState(
    () =>
      new RevealRun<Contact>({
        ids,
        newKey: randomKey,
        judge: judgeRevealError,
        pause,
        send: async (stepIds, key) => {
          const { data, credits } = await call('revealContacts', {
            account,
            body: { contact_ids: [...stepIds] },
            // Repeated with the same key it spends nothing more.
            headers: { 'Idempotency-Key': key },
          })
          markRevealed(
            client,
            account,
            data.map(({ id }) => id),
          )
          return { contacts: data, spent: credits.spent }
        },
      }),
  )
  useEffect(() => () => run.stop(), [run])
  const state = useSyncExternalStore(
    (listener) => run.subscribe(listener),
    () => run.state,
  )
  return { state, start: () => void run.start(), stop: () => run.stop() }
}

/** Fail rather than keep a user waiting at a progress bar for longer. */
const longestWaitMs = 30_000

/** Handles the failure of a step. A lost request may have been carried out, so it is repeated with its key. */
function judgeRevealError(error: unknown): Verdict {
  if (!(error instanceof ApiFailure)) return { kind: 'fail' }
  const { code, status, retryAfterMs } = error
  if (code === 'no_revealable_contacts') return { kind: 'nobody' }
  const isPassing =
    code === 'unreachable' || code === 'idempotency_in_progress' || code === 'rate_limit_exceeded' || status === 503
  // A limit of the period names the seconds until the period ends.
  if (!isPassing || (retryAfterMs ?? 0) > longestWaitMs) return { kind: 'fail' }
  return { kind: 'retry', afterMs: retryAfterMs }
}
