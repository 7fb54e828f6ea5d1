import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import type { Row } from '#api/operations.ts'
import { pageQuery } from '#api/query.ts'
import { Link } from '#ui/actions/link.tsx'
import { Badge, type BadgeTone } from '#ui/data/badge.tsx'
import { Num, RelativeTime } from '#ui/data/relative-time.tsx'
import type { TableColumn } from '#ui/data/table.tsx'
import { EmptyState } from '#ui/feedback/states.tsx'
import { PagedTable } from '../../search/paged-table.tsx'
import { none, OperatorSection } from '../facts.tsx'

/** Requests of the public page: time and outcome, without the person. */
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
  const query = useQuery(pageQuery('listPrivacyRequests', { cursor: search.cursor }))
  return (
    <PagedTable
      label="Requests"
      query={query}
      to="/operator/privacy"
      place={search}
      columns={columns}
      getId={({ entry }) => String(entry)}
      noun={['request']}
      skeletonRows={4}
      empty={
        <EmptyState title="Nobody has asked yet">
          The page needs mail, by the settings SMTP_URL and MAIL_FROM. Without it, it names PRIVACY_CONTACT.
        </EmptyState>
      }
    />
  )
}

const outcomes: Record<Row<'listPrivacyRequests'>['outcome'], [label: string, tone: BadgeTone]> = {
  waiting: ['Waiting', 'accent'],
  opened: ['Opened', 'accent'],
  erased: ['Erased', 'success'],
  nothing_held: ['Nothing held', 'neutral'],
  kept: ['Kept', 'neutral'],
  expired: ['Never opened', 'neutral'],
  mail_failed: ['Mail failed', 'danger'],
}

const time = (at: string | null) => (at ? <RelativeTime time={at} /> : none)

const columns: TableColumn<Row<'listPrivacyRequests'>>[] = [
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
