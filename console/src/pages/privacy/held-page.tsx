import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { failureProps, hasCode } from '#api/failure.ts'
import { callQuery } from '#api/query.ts'
import { formatCount } from '#lib/format.ts'
import { Button } from '#ui/actions/button.tsx'
import { PageHeader } from '#ui/data/page-header.tsx'
import { PageSpinner } from '#ui/feedback/spinner.tsx'
import { ErrorState } from '#ui/feedback/states.tsx'
import { HeldDataView } from './held-data-view.tsx'

interface HeldPageProps {
  token: string
  onAskAgain: () => void
}

/** The data held about the address that the link was mailed to. */
export function HeldPage({ token, onAskAgain }: HeldPageProps) {
  const [erased, setErased] = useState<number>()
  const held = useQuery({
    ...callQuery('openPrivacyLink', { body: { token } }),
    enabled: erased === undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  })
  if (erased !== undefined) return <ErasedPage erased={erased} />
  if (hasCode(held.error, 'invalid_link')) return <DeadLink onAskAgain={onAskAgain} />
  if (held.error)
    return (
      <>
        <PageHeader title="Your data" />
        <ErrorState {...failureProps(held.error)} onRetry={() => void held.refetch()} isRetrying={held.isFetching} />
      </>
    )
  if (!held.data)
    return (
      <>
        <PageHeader title="Your data" />
        <PageSpinner />
      </>
    )
  return <HeldDataView token={token} held={held.data} onErased={setErased} />
}

function DeadLink({ onAskAgain }: { onAskAgain: () => void }) {
  return (
    <>
      <PageHeader title="This link no longer works" />
      <p className="mb-4">A link works for one hour, and ends when the data is erased. You can ask for another one.</p>
      <Button variant="primary" onPress={onAskAgain}>
        Ask for another link
      </Button>
    </>
  )
}

function ErasedPage({ erased }: { erased: number }) {
  return (
    <>
      <PageHeader title={erased === 0 ? 'Done' : 'Your data is erased'} />
      <p role="status">
        {erased > 0 && `${formatCount(erased, 'record')} ${erased === 1 ? 'was' : 'were'} deleted. `}
        From now on, imports skip this address: nobody can add it again. We keep only a code that cannot be turned back
        into the address.
      </p>
      <p className="mt-4 text-muted">The link is used up. You can close this page.</p>
    </>
  )
}
