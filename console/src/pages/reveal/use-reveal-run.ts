import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore } from 'react'
import type { Contact } from '#api/catalogue.ts'
import { call } from '#api/client.ts'
import { pause } from '#lib/pause.ts'
import { randomKey } from '#lib/reveal/random-key.ts'
import { RevealRun, type RunState } from '#lib/reveal/reveal-run.ts'
import { markRevealed } from './mark-revealed.ts'
import { judgeRevealError } from './verdict.ts'

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
          return { people: data, spent: credits.spent }
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
