/**
 * The search of a service without the service, in a process that starts and can be killed quickly. It replicates the
 * catalogue in a thread, writes snapshots, and searches continuously: every search must find all stores exactly once.
 */

import { createPool } from '../../../../src/foundation/db/pool.ts'
import { threadProgram } from '../../../../src/program/serving/programs.ts'
import type { SearchEngine } from '../../../../src/search/engines/engine.ts'
import type { CatalogueIndex, StartReplica } from '../../../../src/search/replica/replica.ts'
import { runInThread } from '../../../../src/search/replica/thread.ts'
import { openSearch } from '../../../../src/search/service/service.ts'
import { answersOf, type DirectQuery } from './queries.ts'
import type { ProcessMessage, ProcessSettings } from './search-processes.ts'
import { compareWithTables } from './tables.ts'

const { databaseUrl, dataDir, timings, stores } = JSON.parse(process.argv[2]!) as ProcessSettings
const db = createPool({ url: databaseUrl, applicationName: 'storedex test', maxConnections: 1 })
const tell = (told: ProcessMessage) => process.send!(told)

const absent: SearchEngine = {
  findStores: () => Promise.reject(new Error('memory does not answer')),
  findContacts: () => Promise.reject(new Error('memory does not answer')),
  count: () => Promise.reject(new Error('memory does not answer')),
}
let index: CatalogueIndex | null = null
const startReplica: StartReplica = (settings, { onIndex, ...listener }) =>
  runInThread(threadProgram('search-thread'))(settings, {
    ...listener,
    onIndex: (shown) => {
      index = shown
      onIndex(shown)
    },
  })
const search = openSearch(
  {
    searchEngine: 'memory',
    searchMemoryMb: null,
    dataDir,
    databaseUrl,
    secret: Buffer.alloc(32),
    postgres: absent,
    onLog: (level, line, cause) => tell({ kind: 'line', line: `${level}: ${line}`, cause: String(cause) }),
  },
  { startReplica, timings },
)
await search.waitForBatch(0)
tell({ kind: 'ready' })

const everyStore = { clauses: [], noneOf: [], minActiveAds: null, createdBetween: null, discoveredBetween: null }
async function searchOnce(): Promise<void> {
  const found = await search.findStores({ mode: 'live', query: everyStore, after: null, limit: stores * 2 })
  if (found.length !== stores || new Set(found.map(({ storeId }) => storeId)).size !== stores)
    throw new Error(`${found.length} of ${stores} stores are found`)
}
async function searchOn(): Promise<void> {
  await searchOnce()
  setTimeout(searchOn, 1)
}
await searchOn()

process.on('message', async ({ batch, questions }: { batch: number; questions: DirectQuery[] }) => {
  await search.waitForBatch(batch)
  const answers = await answersOf(search, questions)
  await compareWithTables(index!.lists, db)
  tell({ kind: 'answers', answers, report: search.status().report })
})
