import type { GaugeSource } from '../../foundation/http/metrics.ts'
import type { ReplicaReport } from '../replica/replica.ts'
import type { SearchService, SearchStatus } from './service.ts'

/** The state of search in the readiness check. */
export function describeSearch({ engine, reason, batch, report }: SearchStatus): object {
  return {
    engine,
    ...(reason !== null && { reason }),
    ...(batch !== null && { batch }),
    ...(report && report.databaseBatch !== null && { database_batch: report.databaseBatch }),
  }
}

/** The metrics of search. A figure that does not exist yet is omitted. */
export function searchGauges(search: SearchService): GaugeSource[] {
  const gauge = (
    name: string,
    help: string,
    read: (status: SearchStatus) => number | null | undefined,
    aggregate: NonNullable<GaugeSource['aggregate']> = 'max',
  ): GaugeSource => ({
    name: `storedex_search_${name}`,
    help,
    aggregate,
    read: () => {
      const value = read(search.status())
      return value == null ? [] : [{ value }]
    },
  })
  const ofIndex = (
    name: string,
    help: string,
    read: (figures: NonNullable<ReplicaReport['figures']>) => number,
    aggregate?: GaugeSource['aggregate'],
  ) => gauge(`index_${name}`, help, ({ report }) => report?.figures && read(report.figures), aggregate)
  return [
    {
      name: 'storedex_search_engine',
      help: '1 for the engine that answers searches now, else 0.',
      labelNames: ['engine'],
      read: () => {
        const { engine } = search.status()
        return ['memory', 'postgres'].map((each) => ({ labels: { engine: each }, value: each === engine ? 1 : 0 }))
      },
    },
    gauge('batch', 'Catalogue batch of the search index.', ({ batch }) => batch, 'min'),
    gauge('batch_lag', 'Batches in the database that are not in the search index yet.', ({ batch, report }) =>
      batch === null || report?.databaseBatch == null ? null : Math.max(0, report.databaseBatch - batch),
    ),
    gauge('behind_seconds', 'Time since the search index was up to date.', ({ report }) => report?.behindSeconds),
    gauge('needed_bytes', 'Estimated peak memory of the search index.', ({ report }) => report?.neededBytes, 'sum'),
    ofIndex('bytes', 'Memory used by the search index.', ({ bytes }) => bytes, 'sum'),
    ofIndex('stores', 'Stores in the search index.', ({ stores }) => stores),
    ofIndex('segments', 'Segments of the search index.', ({ segments }) => segments),
    ofIndex('delta_stores', 'Stores outside the largest segments.', ({ deltaStores }) => deltaStores),
    ofIndex('dead_stores', 'Dead copies of stores that wait for a merge.', ({ deadStores }) => deadStores),
    gauge('load_seconds', 'Duration of the initial load of the search index.', ({ report }) => report?.load?.seconds),
    gauge('snapshot_bytes', 'Size of the newest snapshot file.', ({ report }) => report?.snapshot?.bytes),
    gauge('snapshot_timestamp_seconds', 'Time when the newest snapshot file was written.', ({ report }) => {
      const writtenAt = report?.snapshot?.writtenAt
      return writtenAt === undefined ? null : writtenAt / 1_000
    }),
  ]
}
