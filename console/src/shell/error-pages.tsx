import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { onConnectionChange, useConnection } from '#api/connection.ts'
import { ApiFailure, failureProps } from '#api/failure.ts'
import { Button } from '#ui/actions/button.tsx'
import { Link } from '#ui/actions/link.tsx'
import { PageHeader } from '#ui/data/page-header.tsx'
import { ErrorState } from '#ui/feedback/states.tsx'
import { MissingFileError } from './lazy-page.tsx'

/** In place of a page that could not be loaded or drawn. Tries again by itself when the server is back. */
export function PageError({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const retry = () => {
    reset()
    void router.invalidate()
  }
  const isUnreachable =
    error instanceof MissingFileError || (error instanceof ApiFailure && error.code === 'unreachable')
  useEffect(() => {
    if (!isUnreachable) return
    return onConnectionChange((state) => {
      if (state !== 'online') return
      reset()
      void router.invalidate()
    })
  }, [isUnreachable, reset, router])

  return (
    <>
      <h1 tabIndex={-1} className="sr-only">
        This page could not be loaded
      </h1>
      <Problem error={error} isUnreachable={isUnreachable} onRetry={retry} />
    </>
  )
}

interface ProblemProps {
  error: unknown
  isUnreachable: boolean
  onRetry: () => void
}

function Problem({ error, isUnreachable, onRetry }: ProblemProps) {
  const connection = useConnection()
  if (connection === 'outdated') {
    const reload = (
      <Button variant="primary" onPress={() => window.location.reload()}>
        Reload
      </Button>
    )
    return <ErrorState message="A new version of Storedex is here" actions={reload} />
  }
  if (isUnreachable) return <ErrorState message="The server cannot be reached" onRetry={onRetry} />
  return <ErrorState {...failureProps(error)} onRetry={onRetry} />
}

export function NotFoundPage() {
  return (
    <main className="p-4 sm:p-6">
      <NotFound />
    </main>
  )
}

/** Inside a layout that has its own `main`. */
export function NotFound() {
  return (
    <>
      <PageHeader title="Page not found" />
      <p>
        There is no page at this address. <Link href="/stores">Go to the stores</Link>
      </p>
    </>
  )
}
