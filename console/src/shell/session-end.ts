import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { type RegisteredRouter, useRouter } from '@tanstack/react-router'
import { useSyncExternalStore } from 'react'
import { call, setClientHooks } from '#api/client.ts'
import { messageOf } from '#api/failure.ts'
import { signInOptionsQuery } from '#api/session.ts'
import { showToast } from '#ui/feedback/toasts.tsx'

const openPages = ['/sign-in', '/link', '/privacy']
// Tells other tabs of this browser, which would show what they have until their next call.
const channel = new BroadcastChannel('storedex')

/** Connects calls of the API to the shell: an ended session leads to the sign-in page, and back from there. */
export function connectClient(router: RegisteredRouter, queryClient: QueryClient): void {
  const leave = async () => {
    const { pathname, href } = router.latestLocation
    if (openPages.includes(pathname)) return
    await router.navigate({ to: '/sign-in', search: { next: href } })
    forgetPrivateData(queryClient)
  }
  setClientHooks({ onSignedOut: () => void leave(), signInAgain })
  channel.onmessage = ({ data }) => data === 'signed out' && void leave()
}

/** Ends the session; nothing that was loaded stays in this tab. */
async function signOut(router: RegisteredRouter, queryClient: QueryClient): Promise<void> {
  await call('signOut', {})
  channel.postMessage('signed out')
  sessionStorage.clear()
  await router.navigate({ to: '/sign-in' })
  forgetPrivateData(queryClient)
}

/** Keeps the query of the sign-in page: it is public, and the page is already there. */
function forgetPrivateData(queryClient: QueryClient): void {
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== signInOptionsQuery.queryKey[0] })
  queryClient.getMutationCache().clear()
}

export function useSignOut(): () => void {
  const router = useRouter()
  const queryClient = useQueryClient()
  return () => {
    signOut(router, queryClient).catch((error: unknown) => showToast(messageOf(error)))
  }
}

// Calls that wait for the dialog. One dialog answers all of them.
let waiting: ((isSignedIn: boolean) => void)[] = []
const listeners = new Set<() => void>()

/** Opens the dialog; resolves when it is closed. */
function signInAgain(): Promise<boolean> {
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
