import type { Reply } from '#api/operations.ts'
import { formatBytes, formatNumber } from '#lib/format.ts'
import { Badge } from '#ui/data/badge.tsx'
import { RelativeTime } from '#ui/data/relative-time.tsx'
import { Facts, none } from './facts.tsx'

const figure = (value: number | null | undefined) => (value == null ? none : formatNumber(value))

/** Which engine answers searches, and how far it is behind. */
export function SearchFacts({ search }: { search: Reply<'getSystem'>['search'] }) {
  const { engine, reason, batch, lag, behind_seconds: behind, index, load, snapshot } = search
  return (
    <Facts
      title="Search"
      facts={[
        [
          'Engine',
          <Badge key="engine" tone={reason ? 'warning' : 'success'}>
            {engine === 'memory' ? 'Memory' : 'PostgreSQL'}
          </Badge>,
        ],
        ...(reason ? [['Not in memory because', reason] as const] : []),
        ['Batch', figure(batch)],
        ['Batches behind', figure(lag)],
        [
          'Behind for',
          behind === null
            ? none
            : formatNumber(Math.round(behind), { style: 'unit', unit: 'second', unitDisplay: 'narrow' }),
        ],
        ['Memory', index ? formatBytes(index.bytes) : none],
        ['Stores in the index', figure(index?.stores)],
        ['Outside of the largest segment', figure(index?.delta_stores)],
        [
          'Loaded from',
          load ? `${load.from === 'snapshot' ? 'Snapshot' : 'PostgreSQL'} in ${formatNumber(load.seconds)} s` : none,
        ],
        ['Snapshot', snapshot ? <RelativeTime key="snapshot" time={snapshot.written_at} /> : none],
      ]}
    />
  )
}
