import { setTimeout as delay } from 'node:timers/promises'

/** True after the time, false at once when stopped. Does not keep the process alive. */
export function isTimeOver(timeMs: number, stopped: AbortSignal): Promise<boolean> {
  return delay(timeMs, true, { signal: stopped, ref: false }).catch(() => false)
}
