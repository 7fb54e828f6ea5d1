import { useState } from 'react'
import { useAccount } from '#api/account.tsx'
import { call } from '#api/client.ts'
import { messageOf } from '#api/failure.ts'
import type { Row } from '#api/operations.ts'
import { useReload } from '#api/query.ts'
import { type Role, useReloadSession } from '#api/session.ts'
import { Button } from '#ui/actions/button.tsx'
import { Badge } from '#ui/data/badge.tsx'
import { RelativeTime } from '#ui/data/relative-time.tsx'
import { Table, type TableColumn } from '#ui/data/table.tsx'
import { showToast } from '#ui/feedback/toasts.tsx'
import { FormError } from '#ui/fields/field.tsx'
import { Select } from '#ui/fields/select.tsx'
import { ConfirmDialog } from '#ui/overlays/confirm-dialog.tsx'
import { mayManage, roleLabel, roles } from '../roles.ts'

type Member = Row<'listMembers'>

/** The people of the account; those who may, change roles and remove people here. */
export function MemberList({ account, members }: { account: string; members: readonly Member[] }) {
  const { role: ownRole } = useAccount()
  const reload = useReload('listMembers', 'listInvitations')
  const reloadSession = useReloadSession()
  const [changing, setChanging] = useState<string>()
  const [problem, setProblem] = useState<string>()
  const [removed, setRemoved] = useState<Member>()

  const change = async (member: Member, role: Role) => {
    if (role === member.role) return
    setChanging(member.id)
    setProblem(undefined)
    try {
      await call('changeMember', { account, person: member.id, body: { role } })
      showToast(`${member.name} is now ${roleLabel(role).toLowerCase()}.`)
      await Promise.all([reload(), ...(member.is_you ? [reloadSession()] : [])])
    } catch (error) {
      setProblem(messageOf(error))
    } finally {
      setChanging(undefined)
    }
  }

  const columns: TableColumn<Member>[] = [
    { id: 'person', label: 'Person', className: 'min-w-48', render: (member) => <Person member={member} /> },
    {
      id: 'role',
      label: 'Role',
      className: 'w-44',
      render: (member) =>
        mayManage(ownRole, member.role) ? (
          <Select
            label={`Role of ${member.name}`}
            isLabelHidden
            options={roles.filter(({ id }) => mayManage(ownRole, id))}
            value={member.role}
            isDisabled={changing === member.id}
            onChange={(role) => void change(member, role)}
          />
        ) : (
          roleLabel(member.role)
        ),
    },
    {
      id: 'added',
      label: 'Since',
      className: 'w-32 whitespace-nowrap',
      render: ({ added_at }) => <RelativeTime time={added_at} />,
    },
  ]
  if (mayManage(ownRole, 'member'))
    columns.push({
      id: 'actions',
      label: 'Actions',
      isLabelHidden: true,
      align: 'end',
      render: (member) =>
        mayManage(ownRole, member.role) && !member.is_you ? (
          <Button isSmall aria-label={`Remove ${member.name}`} onPress={() => setRemoved(member)}>
            Remove
          </Button>
        ) : null,
    })
  return (
    <>
      <FormError>{problem}</FormError>
      <Table hasCards label="Members" columns={columns} rows={members} getId={({ id }) => id} />
      <ConfirmDialog
        title={`Remove ${removed?.name}?`}
        isOpen={removed !== undefined}
        onClose={() => setRemoved(undefined)}
        confirmLabel="Remove"
        isDanger
        onConfirm={async () => {
          if (!removed) return
          await call('removeMember', { account, person: removed.id })
          showToast(`${removed.name} is no member any more.`)
          await reload()
        }}
      >
        <p>
          {removed?.name} can no longer see anything of this account, from now on. Invitations that they sent end. What
          they revealed and spent stays with the account, and so do keys that they created.
        </p>
      </ConfirmDialog>
    </>
  )
}

function Person({ member }: { member: Member }) {
  return (
    <>
      <span className="font-medium wrap-anywhere">{member.name}</span>{' '}
      {member.is_you && <Badge tone="accent">You</Badge>}
      <span className="block text-muted text-xs wrap-anywhere">{member.email}</span>
    </>
  )
}
