import { readFileSync } from 'node:fs'
import type { Popularity, TaxonomyItem } from './files.ts'
import { type Row, readCsv, type Sources, slugOf } from './sources.ts'

/**
 * Apps and pixels are a selection, technologies.csv, which gives each a clean label and a category and names the entry
 * of an outside list that it stands for. An entry that its list does not hold is an error: nothing comes from memory.
 */
export interface SelectedTechnologies {
  apps: TaxonomyItem[]
  pixels: TaxonomyItem[]
  popularity: Popularity
}

export function selectTechnologies(sources: Sources): SelectedTechnologies {
  const count = occurrenceCounter(sources)
  const popularity: Popularity = { apps: {}, pixels: {} }
  const itemsOf = (facet: string, counts: Record<string, number>) =>
    selection()
      .filter((row) => row.facet === facet)
      .map((row) => ({ item: toItem(row), occurrences: count(row) }))
      .sort((a, b) => (a.item.value < b.item.value ? -1 : 1))
      .map(({ item, occurrences }) => {
        counts[item.value] = occurrences
        return item
      })
  return { apps: itemsOf('app', popularity.apps), pixels: itemsOf('pixel', popularity.pixels), popularity }
}

function selection(): Row[] {
  return readCsv(readFileSync(new URL('../technologies.csv', import.meta.url)))
}

function toItem({ label, category }: Row): TaxonomyItem {
  return { value: slugOf(label!), label: label!, category: category! }
}

/** How often an entry occurs: pages that load from its hosts, or else the reviews of its listing; 0 when not counted. */
function occurrenceCounter(sources: Sources): (row: Row) => number {
  const pagesByHost = pagesByParentHost(sources.hosts())
  const pagesOf = (host: string) => pagesByHost.get(host.replace(/^\*\./, '')) ?? 0
  const counted: Record<string, Map<string, number>> = {
    hosts: pagesByHost,
    app_store: new Map(sources.appStore().map((row) => [row['App Name']!, Number(row['Number of Reviews'])])),
    tags: new Map(sources.tags().map((row) => [row.name!, Math.max(...row.domains!.split('|').map(pagesOf))])),
    cookies: new Map(sources.cookies().map((row) => [row.platform!, 0])),
  }
  return ({ source, entry }) => {
    const occurrences = counted[source!]?.get(entry!)
    if (occurrences === undefined) throw new Error(`technologies.csv: ${source} has no entry ${entry}`)
    return occurrences
  }
}

/** A host counts for every host above it: the busiest child says how many pages load anything from there. */
function pagesByParentHost(rows: Row[]): Map<string, number> {
  const pages = new Map<string, number>()
  for (const row of rows) {
    const labels = row.domain!.split('.')
    for (let from = 0; from < labels.length - 1; from++) {
      const host = labels.slice(from).join('.')
      pages.set(host, Math.max(pages.get(host) ?? 0, Number(row.totalOccurrences)))
    }
  }
  return pages
}
