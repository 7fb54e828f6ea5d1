import type { ReplicaReport } from './replica/replica.ts'
import type { SearchService, SearchStatus } from './service.ts'

/** How search is answered, as the readiness check tells it. */
export function describeSearch({ engine, reason, batch, report }: SearchStatus): object {
  return {
    engine,
    ...(reason !== null && { reason }),
    ...(batch !== null && { batch }),
    ...(report && report.databaseBatch !== null && { database_batch: report.databaseBatch }),
  }
}

interface Gauge {
  name: string
  help: string
  labelNames?: readonly string[]
  read(): { labels?: Record<string, string>; value: number }[]
}

/** What is measured of the search. Figures that there are not are left out. */
export function searchGauges(search: SearchService): Gauge[] {
  const gauge = (name: string, help: string, read: (status: SearchStatus) => number | null | undefined): Gauge => ({
    name: `storedex_search_${name}`,
    help,
    read: () => {
      const value = read(search.status())
      return value == null ? [] : [{ value }]
    },
  })
  const ofIndex = (name: string, help: string, read: (figures: NonNullable<ReplicaReport['figures']>) => number) =>
    gauge(`index_${name}`, help, ({ report }) => report?.figures && read(report.figures))
  return [
    {
      name: 'storedex_search_engine',
      help: '1 for the engine that answers searches now.',
      labelNames: ['engine'],
      read: () => {
        const { engine } = search.status()
        return ['memory', 'postgres'].map((each) => ({ labels: { engine: each }, value: each === engine ? 1 : 0 }))
      },
    },
    gauge('batch', 'The batch of the catalogue that memory answers from.', ({ batch }) => batch),
    gauge('batch_lag', 'Batches of the database that are not in memory yet.', ({ batch, report }) =>
      batch === null || report?.databaseBatch == null ? null : Math.max(0, report.databaseBatch - batch),
    ),
    gauge('behind_seconds', 'For how long there have been such batches.', ({ report }) => report?.behindSeconds),
    gauge('needed_bytes', 'What the index needs of memory at most, as estimated.', ({ report }) => report?.neededBytes),
    ofIndex('bytes', 'What the index takes of memory.', ({ bytes }) => bytes),
    ofIndex('stores', 'Stores in the index.', ({ stores }) => stores),
    ofIndex('segments', 'Parts of the index.', ({ segments }) => segments),
    ofIndex('delta_stores', 'Stores outside of the largest parts.', ({ deltaStores }) => deltaStores),
    ofIndex('dead_stores', 'Older copies of stores that wait to be merged away.', ({ deadStores }) => deadStores),
    gauge('load_seconds', 'How long it took to bring the index into memory.', ({ report }) => report?.load?.seconds),
    gauge('snapshot_bytes', 'The size of the newest snapshot.', ({ report }) => report?.snapshot?.bytes),
    gauge('snapshot_timestamp_seconds', 'When it was written.', ({ report }) => {
      const writtenAt = report?.snapshot?.writtenAt
      return writtenAt === undefined ? null : writtenAt / 1_000
    }),
  ]
}
