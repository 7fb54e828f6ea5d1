import { isTimeOver } from '../../../server/src/kernel/wait.ts'
import type { EmbeddedPostgres } from './supervisor.ts'

export interface KeepRunningOptions {
  intervalMs: number
  /** What happened, and why where that is known. */
  log: (line: string, cause?: unknown) => void
}

/** A server that cannot be started is tried again ever more seldom. */
const maxPauseMs = 60_000

/**
 * Holds a PostgreSQL for as long as this process needs it: one that died meanwhile, killed for memory or by hand, is
 * started again where it was, and connections made from then on find it.
 */
export async function keepRunning(
  open: () => Promise<EmbeddedPostgres>,
  { intervalMs, log }: KeepRunningOptions,
): Promise<Pick<EmbeddedPostgres, 'url' | 'release'>> {
  const held = [await open()]
  const { url } = held[0]!
  const stopping = new AbortController()

  const startAgain = async () => {
    log('PostgreSQL has died and is started again')
    const again = await open()
    // Opened too late for anybody to need it.
    if (stopping.signal.aborted) return again.release()
    held.push(again)
    if (!again.urls.includes(url)) log('It answers at another address now: restart Storedex to follow it')
  }
  void (async () => {
    let pauseMs = intervalMs
    while (await isTimeOver(pauseMs, stopping.signal)) {
      try {
        if (held.at(-1)!.isRunning()) continue
        await startAgain()
        pauseMs = intervalMs
      } catch (error) {
        log('PostgreSQL cannot be started again', error)
        pauseMs = Math.min(pauseMs * 2, maxPauseMs)
      }
    }
  })()
  return {
    url,
    // Does not wait for a start in progress: it gives itself back.
    release: async () => {
      stopping.abort()
      for (const each of held.splice(0)) await each.release()
    },
  }
}
