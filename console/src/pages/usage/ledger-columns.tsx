import { KeyRound, UserRound } from 'lucide-react'
import { CopyButton } from '#ui/actions/copy-button.tsx'
import { Num, RelativeTime } from '#ui/data/relative-time.tsx'
import type { TableColumn } from '#ui/data/table.tsx'
import type { LedgerItem } from './api.ts'
import { meterNames } from './api.ts'

export const ledgerColumns: TableColumn<LedgerItem>[] = [
  { id: 'when', label: 'When', className: 'w-36', render: ({ spent_at }) => <RelativeTime time={spent_at} /> },
  { id: 'meter', label: 'Meter', className: 'whitespace-nowrap', render: ({ meter }) => meterNames[meter] },
  { id: 'amount', label: 'Amount', align: 'end', render: ({ amount }) => <Num value={amount} /> },
  { id: 'who', label: 'Who', render: ({ spent_by }) => <Spender spender={spent_by} /> },
  {
    id: 'request',
    label: 'Request',
    className: 'w-72',
    render: ({ spent_by_request: id }) => (
      <span className="flex items-center justify-between gap-2">
        <code className="truncate font-mono text-xs" title={id}>
          {id}
        </code>
        <CopyButton
          text={id}
          label="Copy request id"
          className="-my-1.5 h-7! w-7! border-transparent! bg-transparent!"
        />
      </span>
    ),
  },
]

function Spender({ spender }: { spender: LedgerItem['spent_by'] }) {
  if (!spender) return <span className="text-muted whitespace-nowrap">Not recorded</span>
  const Icon = spender.kind === 'key' ? KeyRound : UserRound
  return (
    <span className="flex items-center md:min-w-36 gap-2">
      <Icon aria-hidden className="size-3.5 shrink-0 text-muted" />
      <span className="sr-only">{spender.kind === 'key' ? 'API key' : 'Person'}</span>
      <span className="wrap-anywhere">{spender.name}</span>
    </span>
  )
}
