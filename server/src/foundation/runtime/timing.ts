import { setTimeout as delay } from 'node:timers/promises'

export interface RepeatingTask {
  /** Resolves when the current run has ended. */
  stop(): Promise<void>
}

/**
 * Runs `work` at once, or after `startAfterMs`, and then repeatedly until stopped. A failure does not stop it;
 * `onOutage` is called only for the first of consecutive failures.
 */
export function startRepeating(
  work: () => Promise<unknown>,
  options: { intervalMs: number; startAfterMs?: number; onOutage: (error: unknown) => void },
): RepeatingTask {
  const stopping = new AbortController()
  const { signal } = stopping
  const running = (async () => {
    let isFailing = false
    if (options.startAfterMs && !(await sleepUnlessStopped(options.startAfterMs, signal))) return
    do {
      try {
        await work()
        isFailing = false
      } catch (error) {
        if (!isFailing) options.onOutage(error)
        isFailing = true
      }
    } while (await sleepUnlessStopped(options.intervalMs, signal))
  })()
  return {
    stop: () => {
      stopping.abort()
      return running
    },
  }
}

/** Resolves to true after the time, or to false as soon as it is stopped. Does not keep the process alive. */
export function sleepUnlessStopped(timeMs: number, stopped: AbortSignal): Promise<boolean> {
  return delay(timeMs, true, { signal: stopped, ref: false }).catch(() => false)
}

/** Runs `work`, and again after errors that `delayMs` gives a delay for; null means that the error is thrown. */
export async function withRetries<T>(
  work: () => Promise<T>,
  delayMs: (error: unknown, attempt: number) => number | null,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      const pauseMs = delayMs(error, attempt)
      if (pauseMs === null) throw error
      await delay(pauseMs)
    }
  }
}
