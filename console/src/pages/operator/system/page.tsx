import { useQuery } from '@tanstack/react-query'
import { failureProps } from '#api/failure.ts'
import type { Reply } from '#api/operations.ts'
import { formatBytes, formatNumber } from '#lib/format.ts'
import { Link } from '#ui/actions/link.tsx'
import { PageHeader } from '#ui/data/page-header.tsx'
import { RelativeTime } from '#ui/data/relative-time.tsx'
import { Banner } from '#ui/feedback/banner.tsx'
import { PageSpinner } from '#ui/feedback/spinner.tsx'
import { ErrorState } from '#ui/feedback/states.tsx'
import { systemQuery } from '../api.ts'
import { Facts, none } from '../facts.tsx'
import { formatDuration } from '../labels.ts'
import { SearchFacts } from '../search-facts.tsx'

/** The state of this process and of what it depends on. */
export default function SystemPage() {
  const { data, error, isFetching, refetch } = useQuery(systemQuery)
  return (
    <>
      <PageHeader title="System" description="Of the server that answered; it refreshes by itself." />
      {error && !data ? (
        <ErrorState {...failureProps(error)} onRetry={() => void refetch()} isRetrying={isFetching} />
      ) : data ? (
        <System state={data} />
      ) : (
        <PageSpinner />
      )}
    </>
  )
}

const lowDisk = 0.1
const largeSkewSeconds = 10

function System({ state }: { state: Reply<'getSystem'> }) {
  const { problem, disk, clock_skew_seconds: skew, database, versions } = state
  const warnings = [
    disk &&
      disk.free_bytes < disk.total_bytes * lowDisk &&
      `Only ${formatBytes(disk.free_bytes)} of the disk are free.`,
    skew !== null &&
      Math.abs(skew) > largeSkewSeconds &&
      `The clock differs from the database's by ${formatNumber(skew)} s.`,
    state.billing.open_events > 0 && `Webhook events that are not handled: ${formatNumber(state.billing.open_events)}.`,
  ].filter((warning) => typeof warning === 'string')
  return (
    <div className="space-y-4">
      {problem && <Banner tone="danger">{problem}</Banner>}
      {warnings.map((warning) => (
        <Banner key={warning} tone="warning">
          {warning}
        </Banner>
      ))}
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Facts
          title="Server"
          facts={[
            ['Storedex', versions.storedex],
            ['Node', versions.node],
            ['Running for', formatDuration(state.uptime_seconds)],
            ['Memory', formatBytes(state.memory_bytes)],
            ['Disk', disk ? `${formatBytes(disk.free_bytes)} of ${formatBytes(disk.total_bytes)} free` : none],
            ['Ahead of the database', skew === null ? none : `${formatNumber(skew, { maximumFractionDigits: 3 })} s`],
            ['Mail', state.mail ? 'Set up' : 'Not set up'],
          ]}
        />
        <Facts
          title="Database"
          facts={[
            ['PostgreSQL', `${database.version}${database.is_embedded ? ', embedded' : ''}`],
            ['Size', formatBytes(database.size_bytes)],
            ['Schema', formatNumber(database.schema_version)],
            [
              'Connections',
              `${formatNumber(database.connections.total)} of ${formatNumber(database.connections.max)}, ${formatNumber(database.connections.idle)} idle`,
            ],
            ['Waiting for one', formatNumber(database.connections.waiting)],
          ]}
        />
        <Billing billing={state.billing} />
        <SearchFacts search={state.search} />
      </div>
    </div>
  )
}

const providerNames = {
  stripe: 'Stripe',
  stripe_test: 'Stripe in test mode, no money moves',
  standin: 'Local stand-in, no money moves',
  closed: 'Closed: no Stripe key is set',
}

function Billing({ billing }: { billing: Reply<'getSystem'>['billing'] }) {
  const { provider, address, last_event_at: lastEventAt, open_events: open } = billing
  return (
    <Facts
      title="Billing"
      facts={[
        ['Provider', providerNames[provider]],
        ...(provider === 'standin'
          ? [
              [
                'Address',
                address ? (
                  <Link key="address" href={address} isExternal>
                    {address}
                  </Link>
                ) : (
                  'It is not running; see the log'
                ),
              ] as const,
            ]
          : []),
        ['Last event', lastEventAt ? <RelativeTime key="last" time={lastEventAt} /> : none],
        ['Events not handled', formatNumber(open)],
      ]}
    />
  )
}
