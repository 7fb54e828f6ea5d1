import { useSyncExternalStore } from 'react'
import { addressOf } from './operations.ts'

export type ConnectionState = 'online' | 'offline' | 'outdated'

// `outdated`: the server has other files than those that this tab was loaded from.
let state: ConnectionState = 'online'
let probeTimer: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<(state: ConnectionState) => void>()

const longestPauseMs = 10_000

/** Also the pauses between tries of a query. */
export function pauseMs(attempt: number): number {
  return Math.min(longestPauseMs, 1_000 * 2 ** attempt)
}

export function useConnection(): ConnectionState {
  return useSyncExternalStore(onConnectionChange, () => state)
}

export function onConnectionChange(listener: (state: ConnectionState) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The server did not answer: show it, and ask until it does. */
export function markOffline(): void {
  if (state === 'outdated') return
  change('offline')
  if (probeTimer === undefined) probe(0)
}

/** The server has answered something. */
export function markOnline(): void {
  if (state === 'offline') change('online')
  clearTimeout(probeTimer)
  probeTimer = undefined
}

/** After a file could not be loaded: asks the server, and shows that this tab is outdated if it answers, offline if not. */
export async function markOutdatedOrOffline(): Promise<void> {
  if (await isServerThere()) change('outdated')
  else markOffline()
}

function change(next: ConnectionState): void {
  if (state === next) return
  state = next
  for (const listener of listeners) listener(next)
}

function probe(attempt: number): void {
  probeTimer = setTimeout(async () => {
    if (await isServerThere()) markOnline()
    else probe(attempt + 1)
  }, pauseMs(attempt))
}

async function isServerThere(): Promise<boolean> {
  try {
    const response = await fetch(addressOf('getSignInOptions', {}), { cache: 'no-store' })
    // A reply that is not read keeps its connection.
    await response.text()
    return response.status < 502
  } catch {
    return false
  }
}

/** Resolves after the time, or as soon as the signal aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
  })
}
