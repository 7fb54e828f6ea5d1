import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { failureProps } from '#api/failure.ts'
import { formatCount, formatNumber } from '#lib/format.ts'
import { Badge } from '#ui/data/badge.tsx'
import { PageHeader } from '#ui/data/page-header.tsx'
import { Pagination } from '#ui/data/pagination.tsx'
import { RelativeTime } from '#ui/data/relative-time.tsx'
import { Table, type TableColumn } from '#ui/data/table.tsx'
import { EmptyState } from '#ui/feedback/empty-state.tsx'
import { ErrorState } from '#ui/feedback/error-state.tsx'
import { SkeletonRows } from '#ui/feedback/skeleton.tsx'
import { useDelayed } from '#ui/feedback/use-delayed.ts'
import { usePaging } from '../../search/use-paging.ts'
import { none } from '../facts.tsx'
import { type BillingEventRow, billingEventsQuery } from '../operator-api.ts'
import { wordsOf } from '../words.ts'

/** What the payment provider sent. */
export default function WebhooksPage() {
  return (
    <>
      <PageHeader
        title="Webhook events"
        description="What the payment provider sent in the last 90 days. One that is not handled is sent again by the provider."
      />
      <EventTable />
    </>
  )
}

function EventTable() {
  const search = useSearch({ from: '/app/operator/webhooks' })
  const { data, error, isPlaceholderData, isFetching, refetch } = useQuery(billingEventsQuery(search.cursor))
  const { page, onPrevious, onNext } = usePaging('/operator/webhooks', search, data?.next_cursor ?? null)
  const isOutdated = useDelayed(isPlaceholderData)
  const isLoading = useDelayed(!data)
  if (error) return <ErrorState {...failureProps(error)} onRetry={() => void refetch()} isRetrying={isFetching} />
  if (!data) return isLoading && <SkeletonRows />
  if (data.data.length === 0)
    return (
      <EmptyState title="No event has come yet">
        Events come when somebody buys or changes a plan. At Stripe, an endpoint must point to{' '}
        <code>/webhooks/stripe</code>.
      </EmptyState>
    )
  return (
    <>
      <Table
        hasCards
        label="Webhook events"
        columns={columns}
        rows={data.data}
        getId={({ id }) => id}
        isOutdated={isOutdated}
      />
      <Pagination onPrevious={onPrevious} onNext={onNext} isPending={isPlaceholderData}>
        <span role="status">
          {formatCount(data.data.length, 'event')}
          {page > 1 && ` on page ${formatNumber(page)}`}
        </span>
      </Pagination>
    </>
  )
}

const columns: TableColumn<BillingEventRow>[] = [
  { id: 'type', label: 'Type', render: ({ type }) => <span className="wrap-anywhere">{type}</span> },
  { id: 'id', label: 'Id', render: ({ id }) => <code className="text-xs wrap-anywhere">{id}</code> },
  {
    id: 'outcome',
    label: 'Outcome',
    render: ({ outcome, handled_at }) =>
      outcome && handled_at ? (
        <Badge tone={outcome === 'synced' ? 'success' : 'neutral'}>{wordsOf(outcome)}</Badge>
      ) : (
        <Badge tone="warning">Not handled</Badge>
      ),
  },
  { id: 'received', label: 'Received', render: ({ received_at }) => <RelativeTime time={received_at} /> },
  {
    id: 'handled',
    label: 'Handled',
    render: ({ handled_at }) => (handled_at ? <RelativeTime time={handled_at} /> : none),
  },
]
