import { setTimeout as delay } from 'node:timers/promises'
import type { EmbeddedPostgres } from './supervisor.ts'

export interface KeepRunningOptions {
  intervalMs: number
  log: (line: string) => void
}

/**
 * Holds a PostgreSQL for as long as this process needs it: one that died meanwhile, killed for memory or by hand, is
 * started again where it was, and connections made from then on find it. Releasing ends the watch first.
 */
export async function keepRunning(
  open: () => Promise<EmbeddedPostgres>,
  { intervalMs, log }: KeepRunningOptions,
): Promise<Pick<EmbeddedPostgres, 'url' | 'release'>> {
  const held = [await open()]
  const { url } = held[0]!
  const stopping = new AbortController()
  const watching = (async () => {
    while (await isTimeOver(intervalMs, stopping.signal)) {
      if (held.at(-1)!.isRunning()) continue
      log('PostgreSQL has died and is started again')
      try {
        const again = await open()
        held.push(again)
        if (again.url !== url) log('Its port was taken meanwhile: restart Storedex to follow it')
      } catch (error) {
        log((error as Error).message)
      }
    }
  })()
  return {
    url,
    release: async () => {
      stopping.abort()
      await watching
      for (const each of held) await each.release()
    },
  }
}

/** True after the time, false at once when stopped. Does not keep the process alive. */
function isTimeOver(timeMs: number, signal: AbortSignal): Promise<boolean> {
  return delay(timeMs, true, { signal, ref: false }).catch(() => false)
}
