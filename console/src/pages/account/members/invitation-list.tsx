import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useAccount } from '#api/account.tsx'
import { call } from '#api/client.ts'
import { failureProps, messageOf } from '#api/failure.ts'
import type { Reply, Row } from '#api/operations.ts'
import { callQuery, useReload } from '#api/query.ts'
import { Button } from '#ui/actions/button.tsx'
import { Badge } from '#ui/data/badge.tsx'
import { RelativeTime } from '#ui/data/relative-time.tsx'
import { Table, type TableColumn } from '#ui/data/table.tsx'
import { ErrorState } from '#ui/feedback/states.tsx'
import { showToast } from '#ui/feedback/toasts.tsx'
import { FormError } from '#ui/fields/field.tsx'
import { mayManage, roleLabel } from '../roles.ts'

type Invitation = Row<'listInvitations'>

interface InvitationListProps {
  account: string
  /** A new link has to be shown. */
  onSent: (sent: Reply<'invite'>) => void
}

/** Invitations that wait for an answer; nothing where there are none. */
export function InvitationList({ account, onSent }: InvitationListProps) {
  const { role: ownRole } = useAccount()
  const { data, error, refetch, isFetching } = useQuery(callQuery('listInvitations', { account }))
  const reload = useReload('listInvitations')
  const [pending, setPending] = useState<string>()
  const [problem, setProblem] = useState<string>()

  const run = async (invitation: Invitation, work: () => Promise<void>) => {
    setPending(invitation.id)
    setProblem(undefined)
    try {
      await work()
    } catch (failure) {
      setProblem(messageOf(failure))
    } finally {
      setPending(undefined)
      await reload()
    }
  }
  const sendAgain = (invitation: Invitation) =>
    run(invitation, async () => {
      const sent = await call('sendInvitationAgain', { account, invitation: invitation.id })
      if (sent.link) onSent(sent)
      else showToast(`The invitation was mailed to ${invitation.email} again.`)
    })
  const revoke = (invitation: Invitation) =>
    run(invitation, async () => {
      await call('revokeInvitation', { account, invitation: invitation.id })
      showToast(`The invitation of ${invitation.email} was revoked.`)
    })

  if (error && !data)
    return <ErrorState {...failureProps(error)} onRetry={() => void refetch()} isRetrying={isFetching} />
  if (!data || data.data.length === 0) return null

  const columns: TableColumn<Invitation>[] = [
    {
      id: 'email',
      label: 'Email',
      className: 'min-w-48',
      render: ({ email, is_expired: isExpired }) => (
        <>
          <span className="wrap-anywhere">{email}</span> {isExpired && <Badge tone="warning">Expired</Badge>}
        </>
      ),
    },
    { id: 'role', label: 'Role', render: ({ role }) => roleLabel(role) },
    { id: 'by', label: 'Invited by', render: ({ invited_by: by }) => by?.name ?? 'The command line' },
    {
      id: 'expires',
      label: 'Link works until',
      className: 'whitespace-nowrap',
      render: ({ expires_at }) => <RelativeTime time={expires_at} />,
    },
    {
      id: 'actions',
      label: 'Actions',
      isLabelHidden: true,
      align: 'end',
      render: (invitation) =>
        mayManage(ownRole, invitation.role) ? (
          <span className="inline-flex flex-wrap justify-end gap-2">
            <Button
              isSmall
              isDisabled={pending === invitation.id}
              aria-label={`Send again to ${invitation.email}`}
              onPress={() => void sendAgain(invitation)}
            >
              Send again
            </Button>
            <Button
              isSmall
              isDisabled={pending === invitation.id}
              aria-label={`Revoke invitation of ${invitation.email}`}
              onPress={() => void revoke(invitation)}
            >
              Revoke
            </Button>
          </span>
        ) : null,
    },
  ]
  return (
    <div className="mt-6">
      <h2 className="mb-2 font-semibold">Invitations</h2>
      <FormError>{problem}</FormError>
      <Table hasCards label="Invitations" columns={columns} rows={data.data} getId={({ id }) => id} />
    </div>
  )
}
