import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { median } from '@storedex/testkit'
import { type Operation, operations } from '../api/load/workload.ts'
import { keepResults, readResults } from '../search/report/results.ts'
import { count, ms, table } from '../search/report/tables.ts'
import { aimsOf } from './aims.ts'
import { type CompareResults, type Comparison, type FigureName, importRatioOf, middleOf, ratioOf } from './results.ts'
import type { Crowd, SubjectName } from './services.ts'

/** Stores a run beside the report in place of earlier ones of its size, and writes the report from all sizes. */
export function writeCompareReport(file: string, results: CompareResults): void {
  const kept = join(dirname(file), 'results')
  keepResults(kept, 'compare', results)
  const sizes = readResults<CompareResults>(kept, 'compare')
  writeFileSync(file, `${[introduction, ...sizes.map(renderCompare)].join('\n\n')}\n`)
}

const introduction = `# An old version beside this one

Written by \`npm run bench -- compare --baseline COMMIT --report bench/compare.md\`, which replaces the figures of its number of stores.
[README](README.md) tells what is compared and how.`

/** The section of one run, in Markdown. */
export function renderCompare(results: CompareResults): string {
  const { stores, commits, machine, rounds, seconds, date, comparisons } = results
  const crowds = [...new Map(comparisons.map(({ crowd }) => [crowdTitle(crowd), crowd])).values()]
  return [
    `## ${count(stores)} stores: ${commits.old} and ${commits.new}`,
    `${date}, ${machine.processors} processors (${machine.processor}), Node ${machine.node}, ${rounds} rounds of ${seconds} s. Medians of the rounds; *times* is the median of the ratios within a round, new to old.`,
    renderAims(results),
    ...crowds.map((crowd) => renderCrowd(crowd, comparisons)),
    renderUncached(comparisons),
    renderImports(results),
  ]
    .filter((part) => part !== null)
    .join('\n\n')
}

function renderAims(results: CompareResults): string | null {
  const aims = aimsOf(results)
  if (aims.length === 0) return null
  return table(
    ['What was aimed at', 'aim', 'found', ''],
    aims.map(({ what, aim, found, isMet }) => [what, aim, found, isMet ? 'met' : '**missed**']),
  )
}

const titles: Record<Operation, string> = {
  lookup: 'lookup',
  search: 'search',
  enrich: 'enrichment of 25',
  contact_search: 'contact search',
  reveal_1: 'reveal of 1',
  reveal_10: 'reveal of 10',
  reveal_1_keyed: 'reveal of 1, Idempotency-Key',
  reveal_10_keyed: 'reveal of 10, Idempotency-Key',
}

function crowdTitle({ connections, accounts }: Crowd): string {
  const of = accounts === 1 ? 'one account' : `${accounts} accounts`
  return `${connections === 1 ? 'One connection' : `${connections} connections`}, ${of}`
}

function renderCrowd(crowd: Crowd, all: readonly Comparison[]): string {
  const title = crowdTitle(crowd)
  const comparisons = all.filter((each) => crowdTitle(each.crowd) === title)
  const rows = operations.flatMap((operation) => {
    const { rounds } = comparisons.find((each) => each.operation === operation) ?? {}
    if (!rounds) return []
    const pair = (figure: FigureName, format: (value: number) => string) =>
      [middleOf(rounds, 'old', figure), middleOf(rounds, 'new', figure)]
        .map((value) => (value === null ? '–' : format(value)))
        .join(' → ')
    return [
      [
        titles[operation],
        pair('perSecond', count),
        times(ratioOf(rounds, 'new', 'perSecond')),
        pair('p50Ms', ms),
        pair('p99Ms', ms),
        pair('nodeMicros', milliseconds),
        pair('postgresMicros', milliseconds),
      ],
    ]
  })
  const header = ['old → new', 'a second', 'times', 'p50 ms', 'p99 ms', "Node's processor ms", "PostgreSQL's"]
  return `### ${title}\n\n${table(header, rows)}`
}

/** The honest figure for documents that are not in memory. */
function renderUncached(all: readonly Comparison[]): string | null {
  const comparisons = all.filter(({ rounds }) => rounds.some(({ uncached }) => uncached))
  if (comparisons.length === 0) return null
  const rows = comparisons.map(({ operation, crowd, rounds }) => {
    const of = (subject: SubjectName, figure: FigureName, format: (value: number) => string) => {
      const value = middleOf(rounds, subject, figure)
      return value === null ? '–' : format(value)
    }
    return [
      `${titles[operation]}, ${crowdTitle(crowd)}`,
      of('uncached', 'perSecond', count),
      times(ratioOf(rounds, 'uncached', 'perSecond')),
      times(ratioOf(rounds, 'new', 'perSecond')),
      of('uncached', 'p50Ms', ms),
      of('uncached', 'p99Ms', ms),
      of('uncached', 'nodeMicros', milliseconds),
      of('uncached', 'postgresMicros', milliseconds),
    ]
  })
  const header = [
    'new, without cache',
    'a second',
    'times',
    'times with cache',
    'p50 ms',
    'p99 ms',
    "Node's processor ms",
    "PostgreSQL's",
  ]
  return `### Without the cache of documents

The runs above repeat their requests, so that the cache has every document after the first pass. Here it is off
(\`DOCUMENT_CACHE_MB=0\`), and every document is fetched.

${table(header, rows)}`
}

function renderImports(results: CompareResults): string | null {
  const { besideImport } = results
  if (besideImport.length === 0) return null
  const row = (name: 'old' | 'new') => {
    const of = (figure: 'perSecond' | 'p50Ms' | 'p99Ms' | 'importSeconds') =>
      median(besideImport.map((round) => round[name][figure]))
    return [name, count(of('perSecond')), ms(of('p50Ms')), ms(of('p99Ms')), `${of('importSeconds').toFixed(1)} s`]
  }
  return `### Searches beside an import

${table(['', 'a second', 'p50 ms', 'p99 ms', 'import'], [row('old'), row('new')])}

p99: ${times(importRatioOf(results))} the old one.`
}

const milliseconds = (micros: number) => (micros / 1_000).toFixed(2)
const times = (ratio: number | null) => (ratio === null ? '–' : ratio.toFixed(2))
