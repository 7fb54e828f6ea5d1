import type { ReactNode } from 'react'
import { Button } from '../actions/button.tsx'

interface ErrorStateProps {
  message: string
  requestId?: string | undefined
  onRetry?: (() => void) | undefined
  isRetrying?: boolean
  actions?: ReactNode
}

/** Where something could not be loaded: what failed, the id to quote, and another try. */
export function ErrorState({ message, requestId, onRetry, isRetrying = false, actions }: ErrorStateProps) {
  return (
    <div role="alert" className="mx-auto flex max-w-md flex-col items-center gap-2 px-4 py-14 text-center">
      <p className="font-medium wrap-anywhere">{message}</p>
      {requestId && (
        <p className="text-muted text-xs">
          Request <code className="font-mono select-all">{requestId}</code>
        </p>
      )}
      <div className="mt-2 flex flex-wrap justify-center gap-2">
        {onRetry && (
          <Button onPress={onRetry} isPending={isRetrying}>
            Try again
          </Button>
        )}
        {actions}
      </div>
    </div>
  )
}

interface EmptyStateProps {
  title: string
  /** The way out. */
  children?: ReactNode
  actions?: ReactNode
}

export function EmptyState({ title, children, actions }: EmptyStateProps) {
  return (
    <div className="mx-auto flex max-w-md flex-col items-center gap-2 px-4 py-14 text-center">
      <p className="font-medium">{title}</p>
      {children && <div className="text-muted">{children}</div>}
      {actions && <div className="mt-2 flex flex-wrap items-center justify-center gap-2">{actions}</div>}
    </div>
  )
}
