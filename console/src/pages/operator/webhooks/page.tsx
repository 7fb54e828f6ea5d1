import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import type { Row } from '#api/operations.ts'
import { pageQuery } from '#api/query.ts'
import { Badge } from '#ui/data/badge.tsx'
import { PageHeader } from '#ui/data/page-header.tsx'
import { RelativeTime } from '#ui/data/relative-time.tsx'
import type { TableColumn } from '#ui/data/table.tsx'
import { EmptyState } from '#ui/feedback/states.tsx'
import { PagedTable } from '../../search/paged-table.tsx'
import { none } from '../facts.tsx'
import { wordsOf } from '../labels.ts'

/** The events that the payment provider sent. */
export default function WebhooksPage() {
  const search = useSearch({ from: '/app/operator/webhooks' })
  const query = useQuery(pageQuery('listBillingEvents', { cursor: search.cursor }))
  return (
    <>
      <PageHeader
        title="Webhook events"
        description="What the payment provider sent in the last 90 days. One that is not handled is sent again by the provider."
      />
      <PagedTable
        label="Webhook events"
        query={query}
        to="/operator/webhooks"
        place={search}
        columns={columns}
        getId={({ id }) => id}
        noun={['event']}
        empty={
          <EmptyState title="No event has come yet">
            Events come when somebody buys or changes a plan. At Stripe, an endpoint must point to{' '}
            <code>/webhooks/stripe</code>.
          </EmptyState>
        }
      />
    </>
  )
}

const columns: TableColumn<Row<'listBillingEvents'>>[] = [
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
