import { Outlet, useRouter } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState, useSyncExternalStore } from 'react'
import { RouterProvider as LinkProvider } from 'react-aria-components'
import { useConnection } from '#api/connection.ts'
import { Button } from '#ui/actions/button.tsx'
import { Banner } from '#ui/feedback/banner.tsx'
import { toastQueue } from '#ui/feedback/toasts.tsx'

const ToastList = lazy(() => import('#ui/feedback/toast-list.tsx'))

/** Around every page, also those without sign-in. */
export function RootLayout() {
  const router = useRouter()
  return (
    <LinkProvider navigate={(href) => router.history.push(href)}>
      <ConnectionBanner />
      <Outlet />
      <RouteAnnouncer />
      <ToastRegion />
    </LinkProvider>
  )
}

/** Over the lower edge: it comes and goes, and what is above must not move under the pointer. */
function ConnectionBanner() {
  const connection = useConnection()
  const reload = (
    <Button isSmall onPress={() => window.location.reload()}>
      Reload
    </Button>
  )
  return (
    <div role="status" className="fixed inset-x-0 bottom-0 z-30">
      {connection === 'offline' && (
        <Banner tone="warning" isWide>
          The server cannot be reached; trying again
        </Banner>
      )}
      {connection === 'outdated' && (
        <Banner isWide actions={reload}>
          A new version of Storedex is here
        </Banner>
      )}
    </div>
  )
}

/** After a change of page: the focus goes to its heading, and its title is read out. Filters and pages of a list stay put. */
function RouteAnnouncer() {
  const router = useRouter()
  const [title, setTitle] = useState('')
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
        if (!fromLocation || !pathChanged) return
        document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true })
        setTitle(document.title)
      }),
    [router],
  )
  return (
    <div aria-live="polite" className="sr-only">
      {title}
    </div>
  )
}

/** The code that draws the toasts is loaded with the first toast. */
function ToastRegion() {
  const isNeeded = useSyncExternalStore(subscribeToToasts, () => toastQueue.visibleToasts.length > 0)
  return <Suspense>{isNeeded && <ToastList />}</Suspense>
}

function subscribeToToasts(notify: () => void): () => void {
  return toastQueue.subscribe(notify)
}
