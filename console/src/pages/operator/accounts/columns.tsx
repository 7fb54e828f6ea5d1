import type { Row } from '#api/operations.ts'
import { Link } from '#ui/actions/link.tsx'
import { Badge } from '#ui/data/badge.tsx'
import { Num, RelativeTime } from '#ui/data/relative-time.tsx'
import type { TableColumn } from '#ui/data/table.tsx'
import { planNames, stateOf } from '../labels.ts'

export const accountColumns: TableColumn<Row<'listAccounts'>>[] = [
  {
    id: 'name',
    opensRow: true,
    label: 'Account',
    render: ({ id, name, email }) => (
      <div className="min-w-44">
        <Link href={`/operator/accounts/${id}`} isPlain className="font-medium">
          <bdi>{name}</bdi>
        </Link>
        <div className="text-muted text-xs wrap-anywhere">
          <bdi>{email ?? 'no email'}</bdi>
        </div>
      </div>
    ),
  },
  { id: 'plan', label: 'Plan', render: ({ plan }) => planNames[plan] },
  {
    id: 'status',
    label: 'Status',
    render: (account) => {
      const { label, tone } = stateOf(account)
      return <Badge tone={tone}>{label}</Badge>
    },
  },
  { id: 'members', label: 'Members', align: 'end', render: ({ members }) => <Num value={members} /> },
  { id: 'keys', label: 'Keys', align: 'end', render: ({ keys }) => <Num value={keys} /> },
  { id: 'created', label: 'Created', render: ({ created_at }) => <RelativeTime time={created_at} /> },
]
