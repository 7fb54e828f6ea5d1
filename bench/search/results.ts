import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DeltaFigures, Distribution } from './own/figures.ts'
import type { QuestionClass } from './question.ts'

/** What one run found out about a catalogue of one size. */
export interface SearchResults {
  stores: number
  contacts: number
  machine: { node: string; processor: string; processors: number; memoryGb: number }
  rounds: number
  generateSeconds: number
  /** The own engine is the first one. */
  engines: EngineResults[]
  questions: QuestionResults[]
  fuzz: Distribution
  delta: DeltaFigures
}

export interface EngineResults {
  name: string
  settings: string[]
  loadSeconds: number
  bytes: number
}

export interface QuestionResults {
  name: string
  about: string
  class: QuestionClass
  /** Rows of the first page, the one too many included. */
  rows: number
  /** Milliseconds, in the order of the engines. */
  first: number[]
  deep: number[] | null
}

export type ResultsKind = 'search' | 'ready'

/** Keeps the results of a size in place of those it had. */
export function keepResults(folder: string, kind: ResultsKind, results: { stores: number }): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${kind}-${results.stores}.json`), `${JSON.stringify(results, roundNumbers, 1)}\n`)
}

/** The kept results of all sizes, the smallest first. */
export function readResults<T extends { stores: number }>(folder: string, kind: ResultsKind): T[] {
  const files = readdirSync(folder).filter((name) => name.startsWith(`${kind}-`))
  const read = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as T
  return files.map(read).sort((a, b) => a.stores - b.stores)
}

/** Four digits tell all there is to tell. */
function roundNumbers(_key: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value
}
