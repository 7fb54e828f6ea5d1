import { median } from '@storedex/testkit'
import { type VersionName, versionNames } from '../compare/versions.ts'
import type { TimedStatement } from './replay.ts'

/** Medians of both versions, and the median of the ratios, new to old, within a request: other work affects that least. */
export interface ComparedTimes {
  name: string
  /** How many requests or commands both sent it in. */
  executions: number
  oldMs: number
  newMs: number
  ratio: number
}

interface ComparedOperation extends ComparedTimes {
  oldStatements: number
  newStatements: number
}

export interface TimesReport {
  /** Statements that both versions have under one name, with different texts. */
  changed: ComparedTimes[]
  /** Those with one text: how far they are from 1 is the noise. */
  unchanged: ComparedTimes[]
  /** All statements of one request or command together. */
  operations: ComparedOperation[]
  /** Statements with different texts that were timed too seldom to be compared. */
  seldom: string[]
  /** Statements that only one version sends. */
  onlyOld: string[]
  onlyNew: string[]
  /** Statements that failed when they were sent again. */
  failed: string[]
}

/** The first executions on a connection are parsed, and planned for their values. */
const fewestExecutions = 50

/** What both versions took for one request or command. */
type Pair = Record<VersionName, number>

/** Collects the times of statements, and of operations. */
export class Times {
  readonly #texts: Record<VersionName, Map<string, string>> = { old: new Map(), new: new Map() }
  readonly #statements = new Map<string, Pair[]>()
  readonly #operations = new Map<string, Record<VersionName, readonly number[]>[]>()
  readonly #failed = new Set<string>()

  /** Adds what one step took in both versions; a step with a failure does not count for its operation. */
  add(operation: string, timed: Record<VersionName, readonly TimedStatement[]>): void {
    for (const version of versionNames)
      for (const { name, text, ms } of timed[version]) {
        if (ms === null) this.#failed.add(`${version}: ${name}`)
        else if (!this.#texts[version].has(name)) this.#texts[version].set(name, text)
      }
    const means = { old: meansOf(timed.old), new: meansOf(timed.new) }
    for (const [name, old] of means.old) {
      const current = means.new.get(name)
      if (current !== undefined) entryOf(this.#statements, name).push({ old, new: current })
    }
    if (versionNames.some((version) => timed[version].length === 0 || timed[version].some(({ ms }) => ms === null)))
      return
    entryOf(this.#operations, operation).push({ old: msOf(timed.old), new: msOf(timed.new) })
  }

  compare(): TimesReport {
    const { old, new: current } = this.#texts
    const named = [...old.keys()].filter((name) => isPreparedName(name) && current.has(name))
    const isChanged = (name: string) => old.get(name) !== current.get(name)
    const pairsOf = (name: string) => this.#statements.get(name) ?? []
    const isOften = (name: string) => pairsOf(name).length >= fewestExecutions
    const often = named.filter(isOften)
    return {
      changed: often.filter(isChanged).map((name) => comparisonOf(name, pairsOf(name))),
      unchanged: often.filter((name) => !isChanged(name)).map((name) => comparisonOf(name, pairsOf(name))),
      seldom: named.filter((name) => isChanged(name) && !isOften(name)),
      operations: [...this.#operations].map(([name, steps]) => ({
        ...(isCommand(steps) ? comparisonOfCommands(name, steps) : comparisonOfRequests(name, steps)),
        oldStatements: median(steps.map(({ old }) => old.length)),
        newStatements: median(steps.map((step) => step.new.length)),
      })),
      onlyOld: [...old.keys()].filter((name) => !current.has(name)),
      onlyNew: [...current.keys()].filter((name) => !old.has(name)),
      failed: [...this.#failed].sort(),
    }
  }
}

/** Texts without a name have spaces, and values that differ each time. */
function isPreparedName(name: string): boolean {
  return !name.includes(' ')
}

/** A step may send a statement several times. */
function meansOf(timed: readonly TimedStatement[]): Map<string, number> {
  const times = new Map<string, number[]>()
  for (const { name, ms } of timed) if (ms !== null) entryOf(times, name).push(ms)
  return new Map([...times].map(([name, ms]) => [name, ms.reduce((sum, each) => sum + each) / ms.length]))
}

/** None of them failed. */
function msOf(timed: readonly TimedStatement[]): number[] {
  return timed.map(({ ms }) => ms!)
}

function sumOf(ms: readonly number[]): number {
  return ms.reduce((sum, each) => sum + each, 0)
}

type OperationSteps = readonly Record<VersionName, readonly number[]>[]

/** In a short run requests are as few as commands, and may send more statements one time than another. */
function isCommand(steps: OperationSteps): boolean {
  const isRegular = (version: VersionName) => new Set(steps.map((step) => step[version].length)).size === 1
  return steps.length < fewestExecutions && versionNames.every(isRegular)
}

function comparisonOfRequests(name: string, steps: OperationSteps): ComparedTimes {
  return comparisonOf(
    name,
    steps.map((step) => ({ old: sumOf(step.old), new: sumOf(step.new) })),
  )
}

/**
 * A command is sent once a round, always with the same statements, so each of them has its median. Other work on the machine falls on a
 * few of them at a time, and would fall on every sum.
 */
function comparisonOfCommands(name: string, steps: OperationSteps): ComparedTimes {
  const sumOfMedians = (version: VersionName) =>
    sumOf(steps[0]![version].map((_, index) => median(steps.map((step) => step[version][index]!))))
  const [oldMs, newMs] = [sumOfMedians('old'), sumOfMedians('new')]
  return { name, executions: steps.length, oldMs, newMs, ratio: newMs / oldMs }
}

function comparisonOf(name: string, pairs: readonly Pair[]): ComparedTimes {
  const ratio = median(pairs.map((pair) => pair.new / pair.old))
  const oldMs = median(pairs.map((pair) => pair.old))
  return { name, executions: pairs.length, oldMs, newMs: median(pairs.map((pair) => pair.new)), ratio }
}

function entryOf<V>(map: Map<string, V[]>, name: string): V[] {
  const existing = map.get(name)
  if (existing) return existing
  const made: V[] = []
  map.set(name, made)
  return made
}
