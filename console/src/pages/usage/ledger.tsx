import { useQuery } from '@tanstack/react-query'
import { useLocation, useNavigate, useSearch } from '@tanstack/react-router'
import { Download, KeyRound, UserRound, X } from 'lucide-react'
import { failureProps } from '#api/failure.ts'
import { Button, buttonClass } from '#ui/actions/button.tsx'
import { CopyButton } from '#ui/actions/copy-button.tsx'
import { Pagination } from '#ui/data/pagination.tsx'
import { Num, RelativeTime } from '#ui/data/relative-time.tsx'
import { Table, type TableColumn } from '#ui/data/table.tsx'
import { SkeletonRows } from '#ui/feedback/skeleton.tsx'
import { EmptyState, ErrorState } from '#ui/feedback/states.tsx'
import { type Option, Select } from '#ui/fields/select.tsx'
import { type LedgerFilters, type LedgerItem, ledgerFileHref, ledgerQuery, meterNames } from './api.ts'
import { formatDays } from './days.ts'
import { type Meter, meters } from './search.ts'

interface LedgerProps {
  account: string
  filters: LedgerFilters
  /** The keys and users to choose from. */
  spenders: readonly Option[]
  /** The days are those of a bar of the plot. */
  isBar: boolean
  cursor: string | undefined
  onFilter: (changes: { meter?: Meter | undefined; who?: string | undefined; bar?: undefined }) => void
}

const everyMeter = { id: 'all', label: 'All meters' } as const
const everybody = { id: 'all', label: 'Everybody' }

/** The ledger entries, each with its request. */
export function Ledger(props: LedgerProps) {
  const { account, filters, spenders, isBar, onFilter } = props
  return (
    <div className="mt-8">
      <div className="mb-3 flex flex-wrap items-end justify-between gap-x-4 gap-y-2">
        <h2 className="font-semibold text-lg">Ledger</h2>
        <div className="flex flex-wrap items-center gap-2">
          {isBar && (
            <Button onPress={() => onFilter({ bar: undefined })} aria-label="Show all days again">
              {formatDays(filters.range)}
              <X aria-hidden />
            </Button>
          )}
          <Select
            label="Meter"
            isLabelHidden
            className="w-40"
            options={[everyMeter, ...meters.map((id) => ({ id, label: meterNames[id] }))]}
            value={filters.meter ?? everyMeter.id}
            onChange={(id) => onFilter({ meter: id === everyMeter.id ? undefined : id })}
          />
          <Select
            label="Who spent"
            isLabelHidden
            className="w-48"
            options={[everybody, ...spenders]}
            value={filters.who ?? everybody.id}
            onChange={(id) => onFilter({ who: id === everybody.id ? undefined : id })}
          />
          <a href={ledgerFileHref(account, filters)} download className={buttonClass()}>
            <Download aria-hidden />
            Download CSV
          </a>
        </div>
      </div>
      <LedgerPage {...props} />
    </div>
  )
}

function LedgerPage({ account, filters, isBar, cursor }: LedgerProps) {
  const { onNext, onPrevious } = useLedgerPages()
  const { data, error, isPending, isPlaceholderData, isFetching, refetch } = useQuery(
    ledgerQuery(account, filters, cursor),
  )
  if (isPending) return <SkeletonRows />
  if (error) return <ErrorState {...failureProps(error)} onRetry={() => void refetch()} isRetrying={isFetching} />
  if (data.data.length === 0) {
    const isFiltered = isBar || filters.meter !== undefined || filters.who !== undefined
    return (
      <div className="rounded-lg border border-line bg-surface">
        <EmptyState title={isFiltered ? 'No entry fits' : 'No entries'}>
          {isFiltered ? 'Choose another meter, person or day.' : 'Choose other days above to see earlier ones.'}
        </EmptyState>
      </div>
    )
  }
  const { next_cursor: next } = data
  return (
    <>
      <Table
        label="Ledger"
        columns={ledgerColumns}
        rows={data.data}
        getId={({ entry }) => entry}
        isOutdated={isPlaceholderData}
        hasCards
      />
      {(next || onPrevious) && (
        <Pagination
          onPrevious={onPrevious}
          onNext={next ? () => onNext(next) : undefined}
          isPending={isPlaceholderData}
        />
      )}
    </>
  )
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The cursors of the pages before this one; the first page has an empty one. */
    earlierCursors?: string[]
  }
}

/** Next and previous page of the ledger. A page that was opened by its address leads back to the first one. */
function useLedgerPages(): { onNext: (cursor: string) => void; onPrevious: (() => void) | undefined } {
  const search = useSearch({ from: '/app/usage' })
  const navigate = useNavigate({ from: '/usage' })
  const earlier = useLocation({ select: ({ state }) => state.earlierCursors }) ?? []
  const go = (cursor: string | undefined, earlierCursors: string[]) =>
    void navigate({ search: { ...search, cursor }, state: { earlierCursors }, resetScroll: false })
  return {
    onNext: (cursor) => go(cursor, [...earlier, search.cursor ?? '']),
    onPrevious: search.cursor === undefined ? undefined : () => go(earlier.at(-1) || undefined, earlier.slice(0, -1)),
  }
}

const ledgerColumns: TableColumn<LedgerItem>[] = [
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
