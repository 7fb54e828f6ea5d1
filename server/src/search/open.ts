import { createHmac } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { availableMemory, leastMemory } from '../kernel/memory.ts'
import type { SearchEngine } from './engine.ts'
import { megabyte } from './replica/memory-budget.ts'
import { type FeedListener, type FeedTimings, feedTimings, type StartFeed } from './replica/replica.ts'
import { CatalogueSearch, type EngineChoice } from './service.ts'

export interface SearchSettings {
  searchEngine: EngineChoice
  searchMemoryMb: number | null
  dataDir: string
  databaseUrl: string
  /** The installation's own: databases of other installations may share the data directory. */
  secret: Buffer
  postgres: SearchEngine
  onLine: FeedListener['onLine']
}

// Enough for the demonstration, on the smallest machine.
const leastShareMb = 16

/** The search of this process, as the operator wants it. */
export function openSearch(
  settings: SearchSettings,
  { startFeed, timings }: { startFeed?: StartFeed; timings?: Partial<FeedTimings> },
): CatalogueSearch {
  const { searchEngine: choice, searchMemoryMb, postgres, onLine, databaseUrl } = settings
  const feedSettings = {
    databaseUrl,
    snapshotFile: snapshotFile(settings),
    budgetBytes:
      choice === 'memory' ? null : searchMemoryMb === null ? shareOf(availableMemory()) : searchMemoryMb * megabyte,
    timings: { ...feedTimings, ...timings },
  }
  // Nobody would keep it true: it would still tell of people who are erased from now on.
  if (startFeed && choice === 'postgres') rmSync(feedSettings.snapshotFile, { force: true })
  const feed = startFeed ? { start: startFeed, settings: feedSettings } : null
  return new CatalogueSearch({ postgres, choice, feed, onLine })
}

function snapshotFile({ dataDir, secret }: SearchSettings): string {
  const installation = createHmac('sha256', secret).update('search snapshot').digest('hex').slice(0, 16)
  return join(dataDir, 'search', `catalogue-${installation}.snapshot`)
}

/** Half of what is left beside the service itself, which on a small machine is most of it. */
function shareOf(bytes: number): number {
  const left = bytes - leastMemory({ embedsPostgres: true })
  return Math.max(leastShareMb, Math.floor(left / 2 / megabyte)) * megabyte
}
