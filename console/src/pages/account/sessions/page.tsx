import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '#api/client.ts'
import { failureProps } from '#api/failure.ts'
import { callQuery, useReload } from '#api/query.ts'
import { Button } from '#ui/actions/button.tsx'
import { PageHeader } from '#ui/data/page-header.tsx'
import { SkeletonRows } from '#ui/feedback/skeleton.tsx'
import { ErrorState } from '#ui/feedback/states.tsx'
import { showToast } from '#ui/feedback/toasts.tsx'
import { ConfirmDialog } from '#ui/overlays/confirm-dialog.tsx'
import { SessionList } from './session-list.tsx'

export default function SessionsPage() {
  const { data, error, isPending, isFetching, refetch } = useQuery({ ...callQuery('listSessions', {}), staleTime: 0 })
  const reload = useReload('listSessions')
  const [isEndingOthers, setIsEndingOthers] = useState(false)
  const hasOthers = data?.data.some((session) => !session.is_current) ?? false
  return (
    <>
      <PageHeader
        title="Sessions"
        description="Where you are signed in. End what you do not know, and change your password then."
        actions={
          <Button
            disabledReason={data && !hasOthers ? 'You are signed in nowhere else.' : undefined}
            onPress={() => setIsEndingOthers(true)}
          >
            End all others
          </Button>
        }
      />
      {isPending ? (
        <SkeletonRows rows={3} />
      ) : error ? (
        <ErrorState {...failureProps(error)} onRetry={() => void refetch()} isRetrying={isFetching} />
      ) : (
        <SessionList sessions={data.data.toSorted((a, b) => Number(b.is_current) - Number(a.is_current))} />
      )}
      <ConfirmDialog
        title="End all other sessions?"
        isOpen={isEndingOthers}
        onClose={() => setIsEndingOthers(false)}
        confirmLabel="End all others"
        onConfirm={async () => {
          await call('endOtherSessions', {})
          showToast('All other sessions were ended.')
          await reload()
        }}
      >
        <p>You stay signed in here, and have to sign in again everywhere else.</p>
      </ConfirmDialog>
    </>
  )
}
