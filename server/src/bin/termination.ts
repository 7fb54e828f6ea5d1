import { constants } from 'node:os'

// npm forwards the terminal's Ctrl-C to its child, which has already received it: two signals at once count as one.
const repeatAfterMs = 500

/**
 * Returns a signal that is aborted by the first SIGINT, SIGTERM or SIGHUP (a closed terminal); a later one ends the
 * process at once.
 */
export function listenForTermination(): AbortSignal {
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

/** Resolves to the result of `work`, or rejects with the signal's reason as soon as it is aborted. */
export async function rejectOnAbort<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  let rejectAborted = () => {}
  const aborted = new Promise<never>((_, reject) => {
    rejectAborted = () => reject(signal.reason)
    if (signal.aborted) rejectAborted()
    else signal.addEventListener('abort', rejectAborted, { once: true })
  })
  // Abandoned work may still fail, and nothing waits for it.
  work.catch(() => {})
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', rejectAborted)
  }
}
