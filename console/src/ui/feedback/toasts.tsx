import { X } from 'lucide-react'
import { Text } from 'react-aria-components/Text'
import {
  UNSTABLE_Toast as AriaToast,
  UNSTABLE_ToastRegion as AriaToastRegion,
  UNSTABLE_ToastContent as ToastContent,
  UNSTABLE_ToastQueue as ToastQueue,
} from 'react-aria-components/Toast'
import { Button, IconButton } from '../actions/button.tsx'

interface ToastMessage {
  text: string
  action?: { label: string; onPress: () => void }
}

const queue = new ToastQueue<ToastMessage>({ maxVisibleToasts: 3 })
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
  const key = queue.add({ text, ...(action && { action }) }, { timeout: timeoutMs, ...(onClose && { onClose }) })
  return () => queue.close(key)
}

/** Once, in the layout. F6 moves the focus to it. */
export function ToastRegion() {
  return (
    <AriaToastRegion
      queue={queue}
      aria-label="Notifications"
      className="fixed right-4 bottom-4 z-50 flex w-90 max-w-[calc(100vw-2rem)] flex-col gap-2 outline-none"
    >
      {({ toast }) => (
        <AriaToast
          toast={toast}
          className="flex items-center gap-2 rounded-lg bg-surface py-2 pr-2 pl-4 shadow-overlay data-focus-visible:outline-2"
        >
          <ToastContent className="min-w-0 flex-1">
            <Text slot="title" className="wrap-anywhere">
              {toast.content.text}
            </Text>
          </ToastContent>
          {toast.content.action && (
            <Button
              isSmall
              onPress={() => {
                toast.content.action?.onPress()
                queue.close(toast.key)
              }}
            >
              {toast.content.action.label}
            </Button>
          )}
          <IconButton label="Dismiss" isSmall icon={<X aria-hidden />} onPress={() => queue.close(toast.key)} />
        </AriaToast>
      )}
    </AriaToastRegion>
  )
}
