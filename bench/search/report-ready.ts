import { count, megabytes, ms, table } from './markdown.ts'
import type { ReadyResults } from './ready.ts'

/** What the service does beside answering, size by size, in Markdown. */
export function renderReady(all: readonly ReadyResults[]): string {
  const row = (what: string, figureOf: (results: ReadyResults) => string) => [what, ...all.map(figureOf)]
  const load = ({ perSecond, p50Ms, p99Ms }: ReadyResults['load']['quiet']) =>
    `${count(perSecond)} a second, p50 ${ms(p50Ms)} ms, p99 ${ms(p99Ms)} ms`
  return [
    '## The service',
    table(
      ['', ...all.map(({ stores, contacts }) => `${count(stores)} stores, ${count(contacts)} contacts`)],
      [
        row('from start to searches in memory, from PostgreSQL', (one) => `${one.fromPostgresSeconds.toFixed(1)} s`),
        row('the same from a snapshot', (one) => `${one.fromSnapshotSeconds.toFixed(1)} s`),
        row('a changed store is found after', (one) => `${one.changeFoundSeconds.toFixed(2)} s`),
        row('index', (one) => megabytes(one.indexBytes)),
        row('snapshot file', (one) => megabytes(one.snapshotBytes)),
        row('whole process, resident', (one) => megabytes(one.residentBytes)),
        row('searches at full load', (one) => load(one.load.quiet)),
        row('the same beside an import of 100,000 stores', (one) => load(one.load.besideImport)),
        row('that import took', (one) => `${one.load.importSeconds.toFixed(1)} s`),
      ],
    ),
    'A change is timed from the commit of its import until a search finds the store by what is new; it is then no longer found by what was. The load are the first pages of all searches of the set over HTTP, each charged to an account; load, import, service and PostgreSQL share the processors.',
  ].join('\n\n')
}
