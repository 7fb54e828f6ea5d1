import { setTimeout as delay } from 'node:timers/promises'

export interface RepeatingTask {
  /** Resolves once nothing runs any more. */
  stop(): Promise<void>
}

/**
 * Does `work` at once, or a while later, and again in a steady rhythm until stopped. When it fails the rhythm goes on; `onOutage` hears of it
 * once, not at every try.
 */
export function startRepeating(
  work: () => Promise<unknown>,
  options: { intervalMs: number; startAfterMs?: number; onOutage: (error: unknown) => void },
): RepeatingTask {
  const stopping = new AbortController()
  const { signal } = stopping
  const repeating = (async () => {
    let isAway = false
    if (options.startAfterMs && !(await sleepUnlessStopped(options.startAfterMs, signal))) return
    do {
      try {
        await work()
        isAway = false
      } catch (error) {
        if (!isAway) options.onOutage(error)
        isAway = true
      }
    } while (await sleepUnlessStopped(options.intervalMs, signal))
  })()
  return {
    stop: () => {
      stopping.abort()
      return repeating
    },
  }
}

/** True after the time, false at once when stopped. Does not keep the process alive. */
export function sleepUnlessStopped(timeMs: number, stopped: AbortSignal): Promise<boolean> {
  return delay(timeMs, true, { signal: stopped, ref: false }).catch(() => false)
}
