import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { FilterResults } from './filters.ts'
import type { LighthouseResults } from './lighthouse.ts'

interface ResultsOfKind {
  lighthouse: LighthouseResults
  filters: FilterResults
}

/** Stores a run as `results/console-<kind>.json` beside the report, and writes the report from all stored runs. */
export function writeConsoleReport<Kind extends keyof ResultsOfKind>(
  file: string,
  kind: Kind,
  results: ResultsOfKind[Kind],
): void {
  const folder = join(dirname(file), 'results')
  mkdirSync(folder, { recursive: true })
  const path = (name: keyof ResultsOfKind) => join(folder, `console-${name}.json`)
  const read = <Name extends keyof ResultsOfKind>(name: Name): ResultsOfKind[Name] | null =>
    existsSync(path(name)) ? JSON.parse(readFileSync(path(name), 'utf8')) : null
  writeFileSync(path(kind), `${JSON.stringify(results, null, 2)}\n`)
  const [lighthouse, filters] = [read('lighthouse'), read('filters')]
  const parts = ['# The console', lighthouse && formatLighthouse(lighthouse), filters && formatFilters(filters)]
  writeFileSync(file, `${parts.filter(Boolean).join('\n\n')}\n`)
}

export function formatLighthouse({ lighthouse, chromium, benchmark_index, rounds, pages }: LighthouseResults): string {
  const head = [
    'page',
    'form',
    'performance',
    'accessibility',
    'best practices',
    'first paint',
    'largest paint',
    'blocked',
  ]
  const rows = pages.map(({ path, form, scores, metrics, lost }) => [
    path,
    form,
    ...Object.values(scores),
    `${metrics.first_contentful_paint_ms} ms`,
    `${metrics.largest_contentful_paint_ms} ms`,
    `${metrics.total_blocking_ms} ms`,
    metrics.layout_shift,
    lost.join(', '),
  ])
  return `## Pages

Lighthouse ${lighthouse} with Chromium ${chromium}, medians of ${rounds} rounds, benchmark index ${benchmark_index}. "mobile" simulates a slow phone on
slow 4G, "desktop" a computer on a fast line. All pages but the first are those of somebody who is signed in.

${formatTable([...head, 'layout shift', 'audits below 90'], rows)}`
}

export function formatFilters(results: FilterResults): string {
  const { stores, chromium, changes, total_ms, request_ms, counts_ms, count_request_ms } = results
  const measured = {
    'address → rows on the screen': total_ms,
    'of that, the request': request_ms,
    'address → counts beside the filters': counts_ms,
    'of that, the request of nine facets': count_request_ms,
  }
  const rows = Object.entries(measured).map(([name, { p50, p95, max }]) => [
    name,
    ...[p50, p95, max].map((ms) => `${ms.toFixed(0)} ms`),
  ])
  return `## A changed filter, at ${stores.toLocaleString('en')} stores

${changes} changes of filters on the page of stores, each a new search, in Chromium ${chromium}: from the change of the address until the
frame with the new rows, and the one with the new counts, is drawn. Service, PostgreSQL and browser share the machine.

${formatTable(['', 'median', '95 %', 'longest'], rows)}`
}

function formatTable(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
