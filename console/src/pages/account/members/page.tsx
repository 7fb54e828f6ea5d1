import { useQuery } from '@tanstack/react-query'
import { UserPlus } from 'lucide-react'
import { useState } from 'react'
import { useAccount, useIsAtLeast } from '#api/account.tsx'
import { failureProps } from '#api/failure.ts'
import type { Reply } from '#api/operations.ts'
import { callQuery } from '#api/query.ts'
import { Button } from '#ui/actions/button.tsx'
import { PageHeader } from '#ui/data/page-header.tsx'
import { SkeletonRows } from '#ui/feedback/skeleton.tsx'
import { ErrorState } from '#ui/feedback/states.tsx'
import { InvitationList } from './invitation-list.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { MemberList } from './member-list.tsx'

export default function MembersPage() {
  const { id, name } = useAccount()
  const isAdmin = useIsAtLeast('admin')
  const { data, error, isPending, isFetching, refetch } = useQuery(callQuery('listMembers', { account: id }))
  const [isInviting, setIsInviting] = useState(false)
  const [sent, setSent] = useState<Reply<'invite'>>()
  return (
    <>
      <PageHeader
        title="Members"
        description={`Who works in ${name}, and what they may do.`}
        actions={
          <Button
            variant="primary"
            disabledReason={isAdmin ? undefined : 'Only admins and owners of the account invite people.'}
            onPress={() => setIsInviting(true)}
          >
            <UserPlus aria-hidden />
            Invite
          </Button>
        }
      />
      {isPending ? (
        <SkeletonRows rows={4} />
      ) : error ? (
        <ErrorState {...failureProps(error)} onRetry={() => void refetch()} isRetrying={isFetching} />
      ) : (
        <MemberList account={id} members={data.data} />
      )}
      {isAdmin && <InvitationList account={id} onSent={setSent} />}
      <InviteDialog
        account={id}
        isOpen={isInviting || sent !== undefined}
        sent={sent}
        onSent={setSent}
        onClose={() => {
          setIsInviting(false)
          setSent(undefined)
        }}
      />
    </>
  )
}
