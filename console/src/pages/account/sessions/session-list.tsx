import { useState } from 'react'
import { call } from '#api/client.ts'
import { messageOf } from '#api/failure.ts'
import type { Row } from '#api/operations.ts'
import { useReload } from '#api/query.ts'
import { Button } from '#ui/actions/button.tsx'
import { Badge } from '#ui/data/badge.tsx'
import { RelativeTime } from '#ui/data/relative-time.tsx'
import { Table, type TableColumn } from '#ui/data/table.tsx'
import { showToast } from '#ui/feedback/toasts.tsx'
import { FormError } from '#ui/fields/field.tsx'

type PersonSession = Row<'listSessions'>

export function SessionList({ sessions }: { sessions: readonly PersonSession[] }) {
  const reload = useReload('listSessions')
  const [ending, setEnding] = useState<string>()
  const [problem, setProblem] = useState<string>()
  const end = async ({ id, device }: PersonSession) => {
    setEnding(id)
    setProblem(undefined)
    try {
      await call('endSession', { session: id })
      showToast(`The session of ${device} was ended.`)
    } catch (error) {
      setProblem(messageOf(error))
    } finally {
      setEnding(undefined)
      await reload()
    }
  }
  const columns: TableColumn<PersonSession>[] = [
    {
      id: 'device',
      label: 'Browser',
      className: 'min-w-40',
      render: ({ device, is_current: isCurrent }) => (
        <>
          <span className="font-medium">{device}</span> {isCurrent && <Badge tone="accent">This one</Badge>}
        </>
      ),
    },
    { id: 'address', label: 'Address', render: ({ address }) => <span className="font-mono text-xs">{address}</span> },
    {
      id: 'created',
      label: 'Signed in',
      className: 'whitespace-nowrap',
      render: ({ created_at }) => <RelativeTime time={created_at} />,
    },
    {
      id: 'seen',
      label: 'Last seen',
      className: 'whitespace-nowrap',
      render: ({ last_seen_at }) => <RelativeTime time={last_seen_at} />,
    },
    {
      id: 'actions',
      label: 'Actions',
      isLabelHidden: true,
      align: 'end',
      render: (session) =>
        session.is_current ? null : (
          <Button
            isSmall
            isPending={ending === session.id}
            aria-label={`End session of ${session.device}, ${session.address}`}
            onPress={() => void end(session)}
          >
            End
          </Button>
        ),
    },
  ]
  return (
    <>
      <FormError>{problem}</FormError>
      <Table hasCards label="Sessions" columns={columns} rows={sessions} getId={({ id }) => id} />
    </>
  )
}
