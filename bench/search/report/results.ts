import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Distribution, distributionOf } from '@storedex/testkit'
import { type QuestionClass, questionClasses } from '../engine.ts'
import type { DeltaFigures } from '../own/figures.ts'

/** Results of one run over a catalogue of one size. */
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

interface QuestionResults {
  name: string
  about: string
  class: QuestionClass
  /** Rows of the first page, including the extra one. */
  rows: number
  /** Milliseconds, in the order of the engines. */
  first: number[]
  deep: number[] | null
}

export type ResultsKind = 'search' | 'ready' | 'compare' | 'statements'

/** Stores the results of a size in place of its earlier ones. */
export function keepResults(folder: string, kind: ResultsKind, results: { stores: number }): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${kind}-${results.stores}.json`), `${JSON.stringify(results, roundNumbers, 1)}\n`)
}

/** The stored results of all sizes, the smallest first. */
export function readResults<T extends { stores: number }>(folder: string, kind: ResultsKind): T[] {
  const files = readdirSync(folder).filter((name) => name.startsWith(`${kind}-`))
  const read = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as T
  return files.map(read).sort((a, b) => a.stores - b.stores)
}

/** Four significant digits are enough. */
function roundNumbers(_key: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value
}

/** Summary of a run's times, in the order of its engines. */
export interface Summary {
  first: Distribution[]
  /** Null where no question has a page 200. */
  deep: Distribution[] | null
  classes: { name: QuestionClass; questions: number; first: Distribution[] }[]
  /** Null in a run without peers. */
  againstPeers: AgainstPeers | null
}

interface AgainstPeers {
  /** The lowest mean of a peer over that of the own engine, and the same of their worst questions. */
  meanRatio: number
  worstRatio: number
  /** The largest lag of the own engine behind the fastest peer, in milliseconds; negative when it is always faster. */
  largestLossMs: number
  /** The question with the largest lag. */
  largestLossAt: string
}

export function summarize({ questions }: SearchResults): Summary {
  const engines = questions[0]!.first.map((_, engine) => engine)
  const over = (questionsOfClass: QuestionResults[]) =>
    engines.map((engine) => distributionOf(questionsOfClass.map(({ first }) => first[engine]!)))
  const withDeep = questions.flatMap(({ deep }) => (deep ? [deep] : []))
  const first = over(questions)
  return {
    first,
    deep: withDeep.length > 0 ? engines.map((engine) => distributionOf(withDeep.map((deep) => deep[engine]!))) : null,
    classes: questionClasses.flatMap((name) => {
      const questionsOfClass = questions.filter((question) => question.class === name)
      return questionsOfClass.length > 0
        ? [{ name, questions: questionsOfClass.length, first: over(questionsOfClass) }]
        : []
    }),
    againstPeers: engines.length > 1 ? compareWithPeers(first, questions) : null,
  }
}

function compareWithPeers([own, ...peers]: Distribution[], questions: readonly QuestionResults[]): AgainstPeers {
  const losses = questions.flatMap(({ name, first, deep }) => [
    { at: name, ms: lossOf(first) },
    ...(deep ? [{ at: `${name}, page 200`, ms: lossOf(deep) }] : []),
  ])
  const largest = losses.reduce((worst, loss) => (loss.ms > worst.ms ? loss : worst))
  return {
    meanRatio: Math.min(...peers.map(({ mean }) => mean)) / own!.mean,
    worstRatio: Math.min(...peers.map(({ max }) => max)) / own!.max,
    largestLossMs: largest.ms,
    largestLossAt: largest.at,
  }
}

function lossOf([own, ...peers]: readonly number[]): number {
  return own! - Math.min(...peers)
}
