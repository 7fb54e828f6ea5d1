import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { failureProps } from '#api/failure.ts'
import { formatCount, formatNumber } from '#lib/format.ts'
import { Link } from '#ui/actions/link.tsx'
import { Badge, type BadgeTone } from '#ui/data/badge.tsx'
import { Num } from '#ui/data/num.tsx'
import { Pagination } from '#ui/data/pagination.tsx'
import { RelativeTime } from '#ui/data/relative-time.tsx'
import { Table, type TableColumn } from '#ui/data/table.tsx'
import { EmptyState } from '#ui/feedback/empty-state.tsx'
import { ErrorState } from '#ui/feedback/error-state.tsx'
import { SkeletonRows } from '#ui/feedback/skeleton.tsx'
import { useDelayed } from '#ui/feedback/use-delayed.ts'
import { usePaging } from '../../search/use-paging.ts'
import { none } from '../facts.tsx'
import { type PrivacyRequestRow, privacyRequestsQuery } from '../operator-api.ts'
import { OperatorSection } from '../section.tsx'

/** What people asked for on the public page: when and how it ended, and nothing about who. */
export function RequestTable() {
  return (
    <OperatorSection
      title="Requests"
      description={
        <>
          Of the public page <Link href="/privacy">/privacy</Link>. Whose they were is not kept.
        </>
      }
    >
      <Requests />
    </OperatorSection>
  )
}

function Requests() {
  const search = useSearch({ from: '/app/operator/privacy' })
  const { data, error, isPlaceholderData, isFetching, refetch } = useQuery(privacyRequestsQuery(search.cursor))
  const { page, onPrevious, onNext } = usePaging('/operator/privacy', search, data?.next_cursor ?? null)
  const isOutdated = useDelayed(isPlaceholderData)
  const isLoading = useDelayed(!data)
  if (error) return <ErrorState {...failureProps(error)} onRetry={() => void refetch()} isRetrying={isFetching} />
  if (!data) return isLoading && <SkeletonRows rows={4} />
  if (data.data.length === 0)
    return (
      <EmptyState title="Nobody has asked yet">
        The page needs mail, by the settings SMTP_URL and MAIL_FROM. Without it, it names PRIVACY_CONTACT.
      </EmptyState>
    )
  return (
    <>
      <Table
        hasCards
        label="Requests"
        columns={columns}
        rows={data.data}
        getId={({ entry }) => String(entry)}
        isOutdated={isOutdated}
      />
      <Pagination onPrevious={onPrevious} onNext={onNext} isPending={isPlaceholderData}>
        <span role="status">
          {formatCount(data.data.length, 'request')}
          {page > 1 && ` on page ${formatNumber(page)}`}
        </span>
      </Pagination>
    </>
  )
}

const outcomes: Record<PrivacyRequestRow['outcome'], [label: string, tone: BadgeTone]> = {
  waiting: ['Waiting', 'accent'],
  opened: ['Opened', 'accent'],
  erased: ['Erased', 'success'],
  nothing_held: ['Nothing held', 'neutral'],
  kept: ['Kept', 'neutral'],
  expired: ['Never opened', 'neutral'],
  mail_failed: ['Mail failed', 'danger'],
}

const time = (at: string | null) => (at ? <RelativeTime time={at} /> : none)

const columns: TableColumn<PrivacyRequestRow>[] = [
  { id: 'requested', label: 'Requested', render: ({ requested_at }) => time(requested_at) },
  {
    id: 'outcome',
    label: 'Outcome',
    render: ({ outcome }) => {
      const [label, tone] = outcomes[outcome]
      return <Badge tone={tone}>{label}</Badge>
    },
  },
  { id: 'opened', label: 'Opened', render: ({ opened_at }) => time(opened_at) },
  { id: 'ended', label: 'Ended', render: ({ ended_at }) => time(ended_at) },
  {
    id: 'erased',
    label: 'Contacts erased',
    align: 'end',
    render: ({ erased }) => (erased === null ? none : <Num value={erased} />),
  },
]
