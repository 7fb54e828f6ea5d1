import { constants } from 'node:os'

// npm passes the terminal's Ctrl-C on to its child, which has had it already: two at once are one.
const repeatAfterMs = 500

/** Aborted by the first SIGINT, SIGTERM or SIGHUP (a closed terminal); a later one ends the process on the spot. */
export function watchTermination(): AbortSignal {
  const controller = new AbortController()
  let firstAt: number | undefined
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      firstAt ??= performance.now()
      if (performance.now() - firstAt > repeatAfterMs) process.exit(128 + constants.signals[signal])
      controller.abort()
    })
  }
  return controller.signal
}

/** The result of `work`, or a rejection with the signal's reason as soon as it is aborted. */
export async function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  let abandon = () => {}
  const aborted = new Promise<never>((_, reject) => {
    abandon = () => reject(signal.reason)
    if (signal.aborted) abandon()
    else signal.addEventListener('abort', abandon, { once: true })
  })
  // What is abandoned may still fail, and nobody waits for it any more.
  work.catch(() => {})
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', abandon)
  }
}
