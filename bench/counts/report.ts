import { cpus } from 'node:os'
import type { Distribution } from '@storedex/testkit'
import type { CountResults } from './bench.ts'

/** The aims for five million stores on two processors, in milliseconds. */
const aims = { total: { p50: 5, p99: 40 }, facets: { p50: 40, p99: 150 }, timesFaster: 20, besideFacets: 1.5 }

const ms = (value: number) => (value < 10 ? value.toFixed(2) : value.toFixed(0))
const row = (name: string, kind: string, { p50, p95, p99, max, mean }: Distribution) =>
  `| ${[name, kind, ...[p50, p95, p99, max, mean].map(ms)].join(' | ')} |`

/** The report as Markdown. */
export function renderCounts({ stores, contacts, questions, rounds, figures, searches }: CountResults): string {
  const [own, ...peers] = figures
  const ratio = (kind: 'total' | 'facets') => {
    if (peers.length === 0) return 'no peer was measured'
    const best = Math.min(...peers.map((peer) => peer[kind].mean))
    return `${(best / own![kind].mean).toFixed(0)} times as fast as the best peer, by the mean (aim: ${aims.timesFaster})`
  }
  const slowdown = searches.beside.p99 / searches.alone.p99
  return `# Counts and facets

\`npm run bench -- counts --stores ${stores} --rounds ${rounds} --report bench/counts.md\`: ${stores} stores with ${contacts} contacts,
${questions} filters (the store searches of \`bench/search/questions\`), Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'processor'}. Milliseconds; of Storedex
the best of ${rounds} rounds for each filter, of peers the better of two (what takes over a second is asked once). Nine facets are all facets of stores, each without the
filter's own condition on it, the twenty greatest counts of each; peers need a statement for each. Totals are compared with each other.

| engine | count | p50 | p95 | p99 | max | mean |
| --- | --- | --- | --- | --- | --- | --- |
${figures.flatMap(({ engine, total, facets }) => [row(engine, 'total', total), row(engine, 'nine facets', facets)]).join('\n')}

- Total: p50 ${ms(own!.total.p50)} (aim at 5,000,000 stores: ${aims.total.p50}), p99 ${ms(own!.total.p99)} (${aims.total.p99}); ${ratio('total')}.
- Nine facets: p50 ${ms(own!.facets.p50)} (aim at 5,000,000 stores: ${aims.facets.p50}), p99 ${ms(own!.facets.p99)} (${aims.facets.p99}); ${ratio('facets')}.

## Searches beside facets

Searches of one page in the main thread, alone and while four callers ask for nine facets one after another (${searches.facetRequests} answers).

| searches | count | p50 | p95 | p99 | max | mean |
| --- | --- | --- | --- | --- | --- | --- |
${row('alone', 'page', searches.alone)}
${row('beside facets', 'page', searches.beside)}

The p99 beside facets is ${slowdown.toFixed(2)} times the one alone (aim: ${aims.besideFacets}).
`
}
