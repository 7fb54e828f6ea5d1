import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ReadyResults } from '../ready.ts'
import { renderAims } from './aims.ts'
import { growthChart, stripChart } from './plots.ts'
import { keepResults, type ResultsKind, readResults, type SearchResults, summarize } from './results.ts'
import { count, renderReady, renderSize } from './tables.ts'

/** Stores a run beside the report, and writes report and plots from all stored runs. */
export function writeReport(file: string, kind: ResultsKind, results: { stores: number }): void {
  const folder = dirname(file)
  const kept = join(folder, 'results')
  keepResults(kept, kind, results)
  const all = readResults<SearchResults>(kept, 'search')
  const ready = readResults<ReadyResults>(kept, 'ready')
  mkdirSync(join(folder, 'plots'), { recursive: true })
  const plot = (name: string, title: string, svg: string) => {
    writeFileSync(join(folder, 'plots', `${name}.svg`), svg)
    return `![${title}](plots/${name}.svg)`
  }

  const sizes = all.flatMap((size) => {
    const title = `First page of ${size.questions.length} searches over ${count(size.stores)} stores`
    return [renderSize(size), plot(`first-page-${size.stores}`, title, stripChart(title, stripsOf(size)))]
  })
  const growth = 'Mean of the first pages, by number of stores'
  const parts = [
    introduction,
    renderMachines(all),
    renderAims(all, ready),
    all.length > 1 ? plot('growth', growth, growthChart(growth, growthOf(all))) : null,
    ...sizes,
    ready.length > 0 ? renderReady(ready) : null,
    ...(all.length > 0 ? [renderSettings(all.at(-1)!)] : []),
    method,
  ]
  writeFileSync(file, `${parts.filter((part) => part !== null).join('\n\n')}\n`)
}

function stripsOf({ engines, questions }: SearchResults) {
  return engines.map(({ name }, engine) => ({ label: name, values: questions.map(({ first }) => first[engine]!) }))
}

function growthOf(all: readonly SearchResults[]) {
  const names = [...new Set(all.flatMap(({ engines }) => engines.map(({ name }) => name)))]
  return names.map((label) => ({
    label,
    points: all.flatMap((results) => {
      const engine = results.engines.findIndex(({ name }) => name === label)
      return engine < 0 ? [] : [[results.stores, summarize(results).first[engine]!.mean] as const]
    }),
  }))
}

const introduction = `# Searches, measured

Written by \`npm run bench -- search --stores N --report bench/report.md\`, which replaces the figures of that size and leaves
those of the others. [README](README.md) tells how to run it.

The index in memory that answers Storedex' searches stands beside engines that could be used in its place, each asked the
same pages of the same generated catalogue in the same run, and each set up as somebody would who knows it well. All of them
found the same rows: an answer that differed would have ended the run.`

function renderMachines(all: readonly SearchResults[]): string {
  const machines = all.map(
    ({ stores, rounds, machine: { node, processor, processors, memoryGb } }) =>
      `${count(stores)} stores: ${processors} processors (${processor}), ${memoryGb} GB, Node ${node}, ${rounds} rounds.`,
  )
  return machines.map((machine) => `- ${machine}`).join('\n')
}

function renderSettings({ engines }: SearchResults): string {
  const sections = engines
    .slice(1)
    .map(({ name, settings }) => `### ${name}\n\n${settings.map((line) => `- ${line}`).join('\n')}`)
  return ['## How the peers were set up', ...sections].join('\n\n')
}

const method = `## How it was measured

- *Catalogue*: generated, the same on every run. One latent quality of a store moves its traffic, revenue, plan, score, apps,
  ads and people together; countries, categories, apps and pixels are used by rank, a few by most. So filters that
  contradict each other find little, deep in the order. Three contacts a store on average, forty at most.
- *Searches*: broad, typical, narrow, empty and adversarial ones for stores, and ones for contacts; what each asks is in
  \`search/questions/stores.ts\` and \`search/questions/contacts.ts\`. A page is 26 rows: 25, and one more that shows whether there is a next page.
  Page 200 begins after row 4,975.
- *Time*: from the call to the rows' keys in this process, without fetching documents. Peers that are servers pay for the
  way to them, as they would in a service. A search counts by the median of its rounds, in which engines take turns; the own
  engine is asked five times a round. What took a peer more than two seconds was measured twice only, and more than 20 seconds count as 20.
- *In favour of the peers*: their rows lie in result order from the start and their cursor is a row's number, which a
  catalogue that changes could not have; statements are prepared with their values written in; whole tables are in memory; nothing
  is written meanwhile.
- *In favour of Storedex*: it runs in the process that asks, and its code is warm (25 passes), as it is in the service.
- *Random searches*: 3,000 with up to fifty values a list, every fourth for contacts, 101 rows, own engine only; each counts by
  the middle one of three passes.`
