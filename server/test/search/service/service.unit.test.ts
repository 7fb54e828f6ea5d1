import { buildSegment } from '@storedex/search-index'
import { describe, expect, test } from 'vitest'
import { stageStores } from '../../../../packages/search-index/test/support/plain-segments.ts'
import type { SearchEngine } from '../../../src/search/engines/engine.ts'
import {
  type CatalogueIndex,
  defaultTimings,
  type ReplicaListener,
  type ReplicaReport,
} from '../../../src/search/replica/replica.ts'
import { type EngineChoice, SearchService } from '../../../src/search/service/service.ts'
import { describeSearch, searchGauges } from '../../../src/search/service/status.ts'

const everything = {
  mode: 'live' as const,
  query: { clauses: [], noneOf: [], minActiveAds: null, createdBetween: null, discoveredBetween: null },
  after: null,
  limit: 10,
}
const everybody = {
  mode: 'live' as const,
  store: everything.query,
  storeIds: null,
  person: { roles: null, roleTokens: null, traits: null, storeTokens: [1] },
  maxPerStore: 1,
  after: null,
  limit: 10,
}
/** PostgreSQL finds store 1, memory store 2. */
const byPostgres = { negatedScore: 0, storeId: 1 }
const postgres: SearchEngine = {
  findStores: async () => [byPostgres],
  findContacts: async () => [{ ...byPostgres, contact: 0 }],
  count: async () => ({ parts: [{ stores: 1, people: 1, facets: [], peopleBy: [] }], exported: 0, unrevealed: 0 }),
}
const store = {
  id: 2,
  negatedScore: -1,
  activeAds: 0,
  created: null,
  discovered: null,
  tokens: [1],
  contacts: [{ role: 0, traits: 8, number: 3 }],
}
const viewOf = (batch: number): CatalogueIndex => ({
  batch,
  lists: { live: [{ segment: buildSegment(stageStores([store])), dead: null }], test: [] },
})
const report: ReplicaReport = {
  reason: null,
  databaseBatch: 7,
  behindSeconds: 1.5,
  neededBytes: 1_000,
  figures: { segments: 1, stores: 1, contacts: 1, deadStores: 0, deltaStores: 0, bytes: 500 },
  load: { from: 'postgres', seconds: 2 },
  snapshot: { batch: 5, bytes: 600, writtenAt: 1_000_000 },
}

function openSearch(choice: EngineChoice) {
  let listener: ReplicaListener | undefined
  let closed = 0
  const search = new SearchService({
    postgres,
    choice,
    replica: {
      start: (_, given) => {
        listener = given
        return { close: async () => void closed++ }
      },
      settings: { databaseUrl: '', snapshotFile: null, budgetBytes: null, timings: defaultTimings },
    },
    onLog: () => {},
  })
  return { search, replica: () => listener!, hasReplica: () => listener !== undefined, closed: () => closed }
}

describe('auto', () => {
  test('answers with PostgreSQL until the index is loaded, and says why', async () => {
    const { search, replica } = openSearch('auto')
    expect(search.status()).toMatchObject({ engine: 'postgres', reason: 'the search index is being loaded' })
    expect(await search.findStores(everything)).toEqual([byPostgres])
    replica().onReport({ ...report, reason: 'it needs about 1,400 MB, and SEARCH_MEMORY_MB is 512' })
    expect(describeSearch(search.status())).toEqual({
      engine: 'postgres',
      reason: 'it needs about 1,400 MB, and SEARCH_MEMORY_MB is 512',
      database_batch: 7,
    })
    expect(search.readinessFailure()).toBe(null)
  })

  test('answers from memory after the first view and warm-up', async () => {
    const { search, replica } = openSearch('auto')
    replica().onIndex(viewOf(5))
    expect(search.status()).toMatchObject({ engine: 'postgres', reason: 'the search index is being warmed up' })
    replica().onIndex(viewOf(6))
    await search.waitForBatch(6)
    replica().onReport(report)
    expect(describeSearch(search.status())).toEqual({ engine: 'memory', batch: 6, database_batch: 7 })
    expect(await search.findStores(everything)).toEqual([{ negatedScore: -1, storeId: 2 }])
    expect(await search.findContacts(everybody)).toEqual([{ negatedScore: -1, storeId: 2, contact: 2 ** 13 + 3 }])
    expect(await search.findStores({ ...everything, mode: 'test' })).toEqual([])
  })

  test('goes back to PostgreSQL when the view is withdrawn', async () => {
    const { search, replica } = openSearch('auto')
    replica().onIndex(viewOf(5))
    await search.waitForBatch(5)
    replica().onIndex(null)
    expect(await search.findStores(everything)).toEqual([byPostgres])
    expect(await search.findContacts(everybody)).toEqual([{ ...byPostgres, contact: 0 }])
    replica().onIndex(viewOf(9))
    expect(search.status()).toMatchObject({ engine: 'memory', batch: 9 })
  })
})

test('with engine memory, the process is not ready while PostgreSQL answers', async () => {
  const { search, replica } = openSearch('memory')
  expect(search.readinessFailure()).toBe('Search does not run in memory: the search index is being loaded.')
  expect(await search.findStores(everything)).toEqual([byPostgres])
  replica().onIndex(viewOf(1))
  await search.waitForBatch(1)
  expect(search.readinessFailure()).toBe(null)
})

test('with engine postgres, no replica starts', async () => {
  const { search, hasReplica } = openSearch('postgres')
  expect(hasReplica()).toBe(false)
  expect(describeSearch(search.status())).toEqual({ engine: 'postgres' })
  expect(await search.findStores(everything)).toEqual([byPostgres])
})

test('closing closes the replica; then PostgreSQL answers', async () => {
  const { search, replica, closed } = openSearch('auto')
  replica().onIndex(viewOf(1))
  await search.waitForBatch(1)
  await search.close()
  expect(closed()).toBe(1)
  expect(await search.findStores(everything)).toEqual([byPostgres])
})

test('metrics', async () => {
  const { search, replica } = openSearch('auto')
  const read = () =>
    Object.fromEntries(
      searchGauges(search).map(({ name, read }) => [
        name.replace('storedex_search_', ''),
        read().map(({ value }) => value),
      ]),
    )
  expect(read()).toMatchObject({ engine: [0, 1], batch: [], batch_lag: [], index_bytes: [] })
  replica().onIndex(viewOf(5))
  await search.waitForBatch(5)
  replica().onReport(report)
  expect(read()).toEqual({
    engine: [1, 0],
    batch: [5],
    batch_lag: [2],
    behind_seconds: [1.5],
    needed_bytes: [1_000],
    index_bytes: [500],
    index_stores: [1],
    index_segments: [1],
    index_delta_stores: [0],
    index_dead_stores: [0],
    load_seconds: [2],
    snapshot_bytes: [600],
    snapshot_timestamp_seconds: [1_000],
  })
})
