import { UNSTABLE_ToastQueue as ToastQueue } from 'react-aria-components/Toast'

interface ToastMessage {
  text: string
  action?: { label: string; onPress: () => void }
}

export const toastQueue = new ToastQueue<ToastMessage>({ maxVisibleToasts: 3 })
const shownMs = 6_000

interface ToastOptions {
  /** Such as `Undo`. */
  action?: ToastMessage['action']
  /** Six seconds unless told. The time stands still while the toast is pointed at or has the focus. */
  timeoutMs?: number
  /** When it has gone, whether by time, cross or action. */
  onClose?: () => void
}

/** Says in a corner that something has happened. Returns a function that takes it away. */
export function showToast(text: string, { action, timeoutMs = shownMs, onClose }: ToastOptions = {}): () => void {
  const key = toastQueue.add({ text, ...(action && { action }) }, { timeout: timeoutMs, ...(onClose && { onClose }) })
  return () => toastQueue.close(key)
}
