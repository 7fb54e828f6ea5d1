import { lazy, Suspense, useSyncExternalStore } from 'react'
import { toastQueue } from './toasts.tsx'

const ToastList = lazy(() => import('./toast-list.tsx'))

/** Once, in the layout. What draws the toasts is loaded with the first one. */
export function ToastRegion() {
  const isNeeded = useSyncExternalStore(subscribe, () => toastQueue.visibleToasts.length > 0)
  return <Suspense>{isNeeded && <ToastList />}</Suspense>
}

function subscribe(notify: () => void): () => void {
  return toastQueue.subscribe(notify)
}
