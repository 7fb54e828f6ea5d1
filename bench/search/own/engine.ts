import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { LiveSegment, StagedStores } from '@storedex/search-index'
import { type Answer, contactRowKey, type Engine, type Search, storeRowKey } from '../engine.ts'

export type OwnCode = typeof import('./bundle-entry.ts')

/** The search index in memory, with access to its segments. */
export interface OwnEngine extends Engine {
  prepare(search: Search): () => Answer
  build(staged: StagedStores): LiveSegment
  code: OwnCode
  /** The segments that prepared searches use. */
  segments: readonly LiveSegment[]
  /** The search for the page after this number of rows, or null when there are no more. */
  pageAfter(search: Search, rows: number): Search | null
}

/** Uses a bundle: tsx keeps function names, which slows code that creates many functions. */
export async function openOwnEngine(folder: string): Promise<OwnEngine> {
  const code = await bundleOwnCode(folder)
  const build = (staged: StagedStores) => ({ segment: code.buildSegment(staged), dead: null })
  const engine: OwnEngine = {
    name: 'Storedex',
    settings: ['one segment, one thread; nothing to set'],
    segments: [],
    build,
    code,
    async load({ staged }) {
      engine.segments = [build(staged)]
    },
    prepare(search) {
      if (search.kind === 'contacts') return () => code.scanContacts(engine.segments, search).map(contactRowKey)
      const { query, after, limit } = search
      return () => code.scanStores(engine.segments, query, after, limit).map(storeRowKey)
    },
    pageAfter(search, rows) {
      const limit = rows + 1
      if (search.kind === 'contacts') {
        const found = code.scanContacts(engine.segments, { ...search, limit })
        return found.length > rows ? { ...search, after: found[rows - 1]! } : null
      }
      const found = code.scanStores(engine.segments, search.query, search.after, limit)
      return found.length > rows ? { ...search, after: found[rows - 1]! } : null
    },
    countBytes: () => engine.segments.reduce((sum, { segment }) => sum + bytesOf(segment), 0),
    close() {
      engine.segments = []
    },
  }
  return engine
}

export async function bundleOwnCode(folder: string): Promise<OwnCode> {
  const esbuild = await import('esbuild')
  const outfile = join(folder, 'own-engine.mjs')
  const entryPoints = [join(import.meta.dirname, 'bundle-entry.ts')]
  await esbuild.build({ entryPoints, outfile, bundle: true, format: 'esm', platform: 'node', target: 'node20.19' })
  await esbuild.stop()
  return (await import(pathToFileURL(outfile).href)) as OwnCode
}

function bytesOf(part: object): number {
  if (ArrayBuffer.isView(part)) return part.byteLength
  const parts = Object.values(part).filter((value) => typeof value === 'object')
  return parts.reduce((sum, value) => sum + bytesOf(value), 0)
}
