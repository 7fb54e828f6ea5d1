import { useSyncExternalStore } from 'react'

// Calls that wait for the dialog. One dialog answers all of them.
let waiting: ((isSignedIn: boolean) => void)[] = []
const listeners = new Set<() => void>()

/** Opens the dialog; resolves when it is closed. */
export function signInAgain(): Promise<boolean> {
  return new Promise((done) => {
    waiting = [...waiting, done]
    notify()
  })
}

export function finishSignInAgain(isSignedIn: boolean): void {
  const finished = waiting
  waiting = []
  notify()
  for (const done of finished) done(isSignedIn)
}

export function useIsSigningInAgain(): boolean {
  return useSyncExternalStore(subscribe, () => waiting.length > 0)
}

function notify(): void {
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
