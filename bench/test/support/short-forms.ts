import type { BenchName } from './short-bench.ts'

/** Benches by the file that runs their short forms. */
export const benchesOf = {
  load: ['api', 'outage', 'compression', 'profile', 'search-ready'],
  versions: ['compare', 'statements'],
  data: ['import', 'messy', 'workbooks', 'ledger', 'exports'],
  search: ['search', 'counts', 'exclude', 'bad-filters'],
  console: ['lighthouse', 'filters'],
} as const satisfies Record<string, readonly BenchName[]>
