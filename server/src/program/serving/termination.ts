import { closeSync, constants as fileConstants, openSync } from 'node:fs'
import { constants } from 'node:os'
import { isOnTerminal } from '@storedex/process-lock/terminal'

// npm forwards the terminal's Ctrl-C to its child, which has already received it: two signals at once count as one.
const repeatAfterMs = 500

let reload: (() => void) | undefined
let isTerminalAttached = false

/**
 * Returns a signal that is aborted by the first SIGINT, SIGTERM or SIGHUP (a closed terminal); a later one ends the
 * process at once. A process that has no terminal among its standard streams ignores SIGHUP, as nohup wants, and calls
 * `reportIgnored` with a sentence.
 */
export function listenForTermination(reportIgnored: (sentence: string) => void): AbortSignal {
  const controller = new AbortController()
  let firstAt: number | undefined
  const end = (signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP') => {
    firstAt ??= performance.now()
    if (performance.now() - firstAt > repeatAfterMs) process.exit(128 + constants.signals[signal])
    controller.abort()
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, end)
  process.on('SIGHUP', () => {
    const isHangUp = isTerminalAttached && !hasTerminal()
    if (reload && !isHangUp && firstAt === undefined) reload()
    else if (isOnTerminal) end('SIGHUP')
    else reportIgnored('SIGHUP is ignored, because no standard stream is a terminal; SIGTERM ends the process')
  })
  return controller.signal
}

/** From now on SIGHUP calls `work`, unless the terminal was closed or the process is ending. */
export function reloadOnHangUp(work: () => void): void {
  reload = work
  isTerminalAttached = hasTerminal()
}

/** Whether the process has a controlling terminal. The system takes it away before it sends SIGHUP for closing it. */
function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', fileConstants.O_RDONLY | fileConstants.O_NOCTTY | fileConstants.O_NONBLOCK))
    return true
  } catch {
    return false
  }
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
