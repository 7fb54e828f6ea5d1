import { X } from 'lucide-react'
import { Text } from 'react-aria-components/Text'
import {
  UNSTABLE_Toast as AriaToast,
  UNSTABLE_ToastRegion as AriaToastRegion,
  UNSTABLE_ToastContent as ToastContent,
} from 'react-aria-components/Toast'
import { Button, IconButton } from '../actions/button.tsx'
import { toastQueue } from './toasts.tsx'

/** F6 moves the focus to it. */
export default function ToastList() {
  return (
    <AriaToastRegion
      queue={toastQueue}
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
                toastQueue.close(toast.key)
              }}
            >
              {toast.content.action.label}
            </Button>
          )}
          <IconButton label="Dismiss" isSmall icon={<X aria-hidden />} onPress={() => toastQueue.close(toast.key)} />
        </AriaToast>
      )}
    </AriaToastRegion>
  )
}
